/** The syntax of network places in settings: hosts, addresses and ranges, each with an optional port. */
import { isIP } from "node:net";

/** A place that a rule matches. Without a port it matches every port. */
export type NetworkPlace = { readonly port: number | null } & (
  | { readonly type: "name"; readonly name: string; readonly below: boolean }
  | { readonly type: "range"; readonly family: 4 | 6; readonly address: string; readonly prefix: number }
);

/** `wiki.example.com`, `*.corp.example`, `127.0.0.1:8080`, `10.0.0.0/8`, `[fd00::1]:443`, `fd00::/8`; else undefined. */
export function parseNetworkPlace(text: string): NetworkPlace | undefined {
  const { host, port } = splitPort(text.trim());
  if (port === undefined) return undefined;
  const [address = "", prefix, ...rest] = host.split("/");
  if (rest.length > 0) return undefined;
  return isIP(address) === 0 && prefix === undefined ? namePlace(host, port) : rangePlace(address, prefix, port);
}

/** Whether a key of network.headers is a host, with an optional port or `http://`. */
export function isHeaderHost(text: string): boolean {
  const place = parseNetworkPlace(text.replace(/^https?:\/\//i, ""));
  return place !== undefined && (place.type === "name" ? !place.below : place.prefix === widths[place.family]);
}

/** A host in its canonical form: lower case, without brackets and without the trailing dot. */
export function canonicalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "");
}

const widths = { 4: 32, 6: 128 } as const;

/** The port is null if there is none and undefined if it is invalid. */
function splitPort(text: string): { host: string; port: number | null | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed) return { host: bracketed[1] ?? "", port: readPort(bracketed[2]) };
  // More than one colon is an IPv6 address without a port.
  const [host = "", port, ...rest] = text.split(":");
  return rest.length > 0 ? { host: text, port: null } : { host, port: readPort(port) };
}

function readPort(digits: string | undefined): number | null | undefined {
  if (digits === undefined) return null;
  return /^\d{1,5}$/.test(digits) && Number(digits) <= 65_535 ? Number(digits) : undefined;
}

function rangePlace(address: string, prefix: string | undefined, port: number | null): NetworkPlace | undefined {
  const family = isIP(address);
  if (family !== 4 && family !== 6) return undefined;
  const bits = prefix === undefined ? widths[family] : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  return bits <= widths[family] ? { type: "range", family, address, prefix: bits, port } : undefined;
}

/** Names are compared in the URL parser's form, so that an umlaut equals its ASCII form. */
function namePlace(host: string, port: number | null): NetworkPlace | undefined {
  const below = host.startsWith("*.");
  const hostName = below ? host.slice(2) : host;
  const url = `http://${hostName}`;
  if (!/^[\p{L}\p{N}._-]+$/u.test(hostName) || !URL.canParse(url)) return undefined;
  const name = canonicalHost(new URL(url).hostname);
  // An address in an unusual spelling (0x7f.1) is normalised here.
  return isIP(name) === 0 ? { type: "name", name, below, port } : below ? undefined : rangePlace(name, undefined, port);
}
