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
type Admission = { readonly target: string } | { readonly refusal: string };

/** Refuses requests without the token, and host names that merely resolve to this machine (DNS rebinding). */
export function admit({ headers, url = "" }: IncomingMessage, { port, allowOrigins, token }: AccessGuard): Admission {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  if (!names.includes(host.toLowerCase())) return { refusal: "This proxy answers only to 127.0.0.1 and localhost." };
  const isPage = origin !== undefined || site === "cross-site";
  if (isPage && !allowOrigins.includes(origin ?? "")) return { refusal: "Web pages may not use this proxy." };
  if (token === undefined) return { target: url };
  const [, sentToken = "", target = ""] = /^\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  return isEqual(sentToken, token)
    ? { target }
    : { refusal: "The path must begin with the token spillway proxy printed." };
}

/** Compares in constant time. */
function isEqual(sentToken: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sentToken), digest(token));
}
