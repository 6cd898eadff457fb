/** The fixed places a proxy may send to: a name in the path, an address in the settings, nothing else. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";

export type Upstreams = ReadonlyMap<string, URL>;

/** Reads the setting's lines, `name=address`. */
export function parseUpstreams(lines: readonly string[]): Upstreams {
  return new Map(lines.map(parseLine));
}

function parseLine(line: string): [string, URL] {
  const at = line.indexOf("=");
  const [name, address] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const sound = /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) && url && /^https?:$/.test(url.protocol);
  if (sound && url.username === "" && url.search === "" && url.hash === "") return [name, url];
  throw new SpillwayError("config_invalid", `proxy.upstreams cannot hold ${JSON.stringify(clip(line))}.`, {
    hint: "Write each as name=address with http or https and no user, query or fragment, for example local=http://127.0.0.1:8080.",
  });
}

/** Where a request target leads: the name's upstream and the rest of the path below it, or undefined. */
export function upstreamFor(upstreams: Upstreams, target: string): URL | undefined {
  const [, name = "", rest = ""] = /^\/([^/?#]+)(\/[^#]*)?$/.exec(target) ?? [];
  const base = upstreams.get(name);
  if (base === undefined || !URL.canParse(`${base.origin}${rest}`)) return undefined;
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, "")}${rest}`);
  const below = base.pathname.replace(/\/?$/, "/");
  return url.origin === base.origin && `${url.pathname}/`.startsWith(below) ? url : undefined;
}
