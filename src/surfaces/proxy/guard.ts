/** Who may use the proxy: programs of this machine, and web pages only when the user named them. */
import type { IncomingMessage } from "node:http";

export type Guard = { readonly port: number; readonly allowOrigins: readonly string[] };

/** Why a request is not served, or undefined. A name that merely resolves to this machine is refused (DNS rebinding). */
export function refusalOf({ headers }: IncomingMessage, { port, allowOrigins }: Guard): string | undefined {
  const { host = "", origin } = headers;
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  if (!names.includes(host.toLowerCase())) return "This proxy answers only to 127.0.0.1 and localhost.";
  if (origin !== undefined && !allowOrigins.includes(origin)) return "Web pages may not use this proxy.";
  return undefined;
}
