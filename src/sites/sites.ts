/** All sites that are read through their API, and the choice of the one that a URL belongs to. */
import { isLoopbackHost } from "../acquire/http/guard/ip-addresses.ts";
import { SpillwayError } from "../errors.ts";
import type { Site } from "./site.ts";

type SiteEntry = {
  readonly name: string;
  /** Hosts of its pages. */
  readonly hosts: RegExp;
  load(): Promise<Site>;
};

const sites: readonly SiteEntry[] = [
  {
    name: "github",
    hosts: /^(www\.|gist\.)?github\.com$/,
    load: async () => (await import("./forges/github.ts")).github,
  },
  { name: "gitlab", hosts: /^gitlab\.com$/, load: async () => (await import("./forges/gitlab.ts")).gitlab },
  { name: "codeberg", hosts: /^codeberg\.org$/, load: async () => (await import("./forges/gitea.ts")).codeberg },
  { name: "gitea", hosts: /^gitea\.com$/, load: async () => (await import("./forges/gitea.ts")).gitea },
  { name: "bitbucket", hosts: /^bitbucket\.org$/, load: async () => (await import("./forges/bitbucket.ts")).bitbucket },
  { name: "npm", hosts: /^(www\.)?npmjs\.com$/, load: async () => (await import("./packages/npm.ts")).npm },
  { name: "pypi", hosts: /^pypi\.org$/, load: async () => (await import("./packages/pypi.ts")).pypi },
  { name: "crates", hosts: /^(crates\.io|docs\.rs)$/, load: async () => (await import("./packages/crates.ts")).crates },
  { name: "arxiv", hosts: /^(www\.)?arxiv\.org$/, load: async () => (await import("./arxiv.ts")).arxiv },
  {
    name: "stackexchange",
    hosts:
      /^((.+\.)?stackexchange|stackoverflow|serverfault|superuser|askubuntu|stackapps)\.com$|^([a-z]+\.)?stackoverflow\.com$|^mathoverflow\.net$/,
    load: async () => (await import("./threads/stack-exchange.ts")).stackExchange,
  },
  {
    name: "hackernews",
    hosts: /^news\.ycombinator\.com$/,
    load: async () => (await import("./threads/hacker-news.ts")).hackerNews,
  },
  {
    name: "reddit",
    hosts: /^((www|old|new|np)\.)?reddit\.com$/,
    load: async () => (await import("./threads/reddit.ts")).reddit,
  },
];

export type FoundSite = { readonly name: string; readonly apiUrl: string | undefined; load(): Promise<Site> };

/**
 * The site of a page, by its host or by the host of an address in the settings; undefined for all other pages. An address of
 * one's own server is for the pages of that server; only one on this machine, such as a test's, is for the public pages too.
 */
export function findSite({ hostname, host }: URL, addresses: readonly string[]): FoundSite | undefined {
  const named = parseAddresses(addresses);
  const site = sites.find(({ name, hosts }) => hosts.test(hostname) || isAt(host, named.get(name)));
  if (site === undefined) return undefined;
  const address = named.get(site.name);
  const isUsed = address !== undefined && (isAt(host, address) || isLoopbackHost(new URL(address).hostname));
  return { name: site.name, apiUrl: isUsed ? address : undefined, load: site.load };
}

const isAt = (host: string, address: string | undefined): boolean =>
  address !== undefined && new URL(address).host === host;

/** Lines such as `gitlab=https://git.example.com/api/v4`. */
function parseAddresses(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, name = "", address = ""] = /^([a-z]+)=(https?:\/\/[^?#@\s]+)$/.exec(line.trim()) ?? [];
      if (sites.some((site) => site.name === name) && URL.canParse(address)) return [name, address.replace(/\/+$/, "")];
      throw new SpillwayError("config_invalid", "sites.addresses has a line that is not name=address.", {
        hint: `Write for example gitlab=https://git.example.com/api/v4. Names: ${sites.map((site) => site.name).join(", ")}.`,
      });
    }),
  );
}
