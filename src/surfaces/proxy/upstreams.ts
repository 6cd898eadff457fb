/** The upstreams of the proxy. A path selects one by name; requests go to no other address. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";

/** Addresses by name. */
export type Upstreams = ReadonlyMap<string, URL>;

/** Parses the lines of the setting, `name=address`. */
export function parseUpstreams(lines: readonly string[]): Upstreams {
  return new Map(lines.map(parseLine));
}

function parseLine(line: string): [string, URL] {
  const equals = line.indexOf("=");
  const [name, address] = [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isValid = /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) && url && /^https?:$/.test(url.protocol);
  if (isValid && url.username === "" && url.search === "" && url.hash === "") return [name, url];
  throw new SpillwayError("config_invalid", `proxy.upstreams cannot hold ${JSON.stringify(clip(line))}.`, {
    hint: "Write each as name=address with http or https and no user, query or fragment, for example local=http://127.0.0.1:8080.",
  });
}

/** The address for a request target: the named upstream with the rest of the path, or undefined. */
export function resolveUpstream(upstreams: Upstreams, target: string): URL | undefined {
  const [, name = "", rest = ""] = /^\/([^/?#]+)(\/[^#]*)?$/.exec(target) ?? [];
  const base = upstreams.get(name);
  if (base === undefined || !URL.canParse(`${base.origin}${rest}`)) return undefined;
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, "")}${rest}`);
  const basePath = base.pathname.replace(/\/?$/, "/");
  return url.origin === base.origin && `${url.pathname}/`.startsWith(basePath) ? url : undefined;
}
