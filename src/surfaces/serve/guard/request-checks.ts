/** What every request has to pass before its token is looked at: its framing, its Host and its Origin. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Refusal } from "../refusal.ts";

/** The names under which this server may be addressed, and the web origins whose pages may use it. */
export type AllowedNames = {
  /** Exact values of Host, in lower case: `127.0.0.1:8787`, `mcp.example.com`. */
  readonly hosts: ReadonlySet<string>;
  /** Exact values of Origin: `https://app.example.com`. */
  readonly origins: ReadonlySet<string>;
};

/** Headers that decide who is asked, by whom, and where the message ends. Node and a proxy may choose different ones of two. */
const singleHeaders = [
  "host",
  "origin",
  "authorization",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "mcp-session-id",
  "mcp-protocol-version",
  "cookie",
  "spillway-token",
];

/** Node refuses conflicting lengths and broken chunks itself; this refuses what it lets through. */
export function checkFraming({ rawHeaders, headers, url = "", httpVersion }: IncomingMessage): Refusal | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = singleHeaders.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) return bad(`A request has one ${repeated} header.`);
  if (httpVersion !== "1.1") return { status: 505, message: "Use HTTP/1.1." };
  // An absolute target would name another host than the Host header.
  if (!/^\/(?!\/)[\x21\x22\x24-\x7e]*$/.test(url))
    return bad("The target of a request is a path that begins with one slash.");
  const [path = ""] = url.split("?");
  if (DOT_SEGMENT.test(path)) return bad("The target of a request has no segments of dots and no backslashes.");
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked") return { status: 501, message: "Use chunked." };
  if (encoding !== undefined && length !== undefined) return bad("A request has a length or chunks, not both.");
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return bad("content-length is a number.");
  return undefined;
}

/** A proxy in front may have judged the path as it is written; resolving it would lead to another one. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

/** Bodies that are read here are not compressed: their size would not be what was sent. */
export function checkCoding({ headers }: IncomingMessage): Refusal | undefined {
  const coding = headers["content-encoding"];
  if (coding === undefined || coding.toLowerCase() === "identity") return undefined;
  return { status: 415, message: "Send the body without a content-encoding." };
}

/** Undefined for a request to one of our names, from a program or an allowed page. */
export function checkNames(request: IncomingMessage, names: AllowedNames): Refusal | undefined {
  return checkHost(request, names) ?? checkOrigin(request, names);
}

/** Exactly one of our names: a name of somebody else may resolve to this machine (DNS rebinding). */
function checkHost({ headers }: IncomingMessage, { hosts }: AllowedNames): Refusal | undefined {
  if (hosts.has((headers.host ?? "").toLowerCase())) return undefined;
  return {
    status: 403,
    message: "This server does not answer to this host name. Its operator can add it: serve.hosts.",
  };
}

/** Programs send no origin; the pages of other sites do, or the browser marks their requests. */
function checkOrigin({ headers }: IncomingMessage, { origins }: AllowedNames): Refusal | undefined {
  const { origin } = headers;
  const isAllowed = origin === undefined ? !isFromOtherSite(headers) : origins.has(origin);
  if (isAllowed) return undefined;
  return {
    status: 403,
    message: "Pages of this origin may not use this server. Its operator can add it: serve.origins.",
  };
}

/** A link on another site may be followed; nothing else may be loaded from there. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return (site === "cross-site" || site === "same-site") && headers["sec-fetch-mode"] !== "navigate";
}

const bad = (message: string): Refusal => ({ status: 400, message });

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** The names of a server that listens on this address and port, with those that the settings add. */
export function allowedNames(
  { address, port }: { readonly address: string; readonly port: number },
  { hosts, origins }: { readonly hosts: readonly string[]; readonly origins: readonly string[] },
): AllowedNames {
  const local = isLoopback(address) ? loopbackNames.map((name) => `${name}:${port}`) : [];
  const named = hosts.map((host) => host.toLowerCase());
  return {
    hosts: new Set([...local, ...named]),
    origins: new Set([
      ...local.map((name) => `http://${name}`),
      ...named.map((name) => `https://${name}`),
      ...origins.map((origin) => origin.replace(/\/$/, "")),
    ]),
  };
}

export const isLoopback = (address: string): boolean => /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(address);
