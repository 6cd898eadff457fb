/** The header that names a client, for replies that fit it. */
import type { IncomingMessage } from "node:http";
import { clientRows, findClientProfile } from "../../../config/clients.ts";
import { clip } from "../../../system/safe-names.ts";

/** Names the client that replies are fitted to, instead of the one that the client says it is. */
export const CLIENT_HEADER = "spillway-client";

/** Why the name cannot be used; undefined if it can, or if there is none. Replies would silently not be fitted to it. */
export function findClientProblem({ headers }: IncomingMessage): string | undefined {
  const name = headers[CLIENT_HEADER];
  if (name === undefined || findClientProfile(String(name))) return undefined;
  const names = clientRows.map((row) => row.name).join(", ");
  return `The limits of the client ${JSON.stringify(clip(String(name)))} are not known. Known clients: ${names}.`;
}
