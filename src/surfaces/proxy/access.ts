/** Access control of the proxy: local programs that know its token, and web pages only if the user allowed their origin. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

type AccessGuard = {
  readonly port: number;
  readonly allowOrigins: readonly string[];
  /** What every path must begin with; undefined if the user turned it off. */
  readonly token?: string | undefined;
};

/** The target of a request without the token, or why the request is not served. */
type Admission = { readonly target: string } | { readonly refusal: string; readonly status: number };

/** Refuses requests without the token, and host names that merely resolve to this machine (DNS rebinding). */
export function admit(request: IncomingMessage, { port, allowOrigins, token }: AccessGuard): Admission {
  const { headers, rawHeaders, method = "", url = "" } = request;
  const { host = "", origin, "sec-fetch-site": site } = headers;
  // Node keeps the first of two, another server behind us might take the second (RFC 9112, 3.2).
  if (countHeaders(rawHeaders, "host") > 1) return { refusal: "A request has one Host header.", status: 400 };
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  if (!names.includes(host.toLowerCase())) return forbid("This proxy answers only to 127.0.0.1 and localhost.");
  const isPage = origin !== undefined || site === "cross-site";
  if (isPage && !allowOrigins.includes(origin ?? "")) return forbid("Web pages may not use this proxy.");
  if (refusedMethods.includes(method)) return { refusal: `This proxy does not serve ${method}.`, status: 405 };
  if (token === undefined) return { target: url };
  const [, sentToken = "", target = ""] = /^\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  return isEqual(sentToken, token) ? { target } : forbid("The path must begin with the token spillway proxy printed.");
}

/** TRACE and TRACK return the request with its keys; CONNECT would open a tunnel to any address. */
const refusedMethods: readonly string[] = ["TRACE", "TRACK", "CONNECT"];

const forbid = (refusal: string): Admission => ({ refusal, status: 403 });

function countHeaders(raw: readonly string[], name: string): number {
  return raw.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

/** Compares in constant time. */
function isEqual(sentToken: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sentToken), digest(token));
}
