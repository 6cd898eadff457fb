/** Who may use the proxy: programs of this machine that know its token, and web pages only when the user named them. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export type Guard = {
  readonly port: number;
  readonly allowOrigins: readonly string[];
  /** What every path must begin with; undefined where the user wants none. */
  readonly token?: string | undefined;
};

/** Why a request is not served, or the target it asks for behind the token. */
export type Admitted = { readonly target: string } | { readonly refused: string };

/** A name that merely resolves to this machine is refused (DNS rebinding), and so is who does not know the token. */
export function admit({ headers, url = "" }: IncomingMessage, { port, allowOrigins, token }: Guard): Admitted {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  if (!names.includes(host.toLowerCase())) return { refused: "This proxy answers only to 127.0.0.1 and localhost." };
  const isPage = origin !== undefined || site === "cross-site";
  if (isPage && !allowOrigins.includes(origin ?? "")) return { refused: "Web pages may not use this proxy." };
  if (token === undefined) return { target: url };
  const [, given = "", target = ""] = /^\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  return isSame(given, token) ? { target } : { refused: "The path must begin with the token spillway proxy printed." };
}

/** In a time that says nothing of how much was right. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
