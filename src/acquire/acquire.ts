/** Bytes in: spools the body of an open source, bounded by the setting for the largest source. */
import type { Body, Claims } from "../detect/kind.ts";
import type { Opened } from "./source.ts";
import { type Spool, type SpoolOptions, spool } from "./spool.ts";
import { bodyOf } from "./spooled-body.ts";

/** A spooled body with what is claimed about it and a way to look into it anywhere. */
export type Acquired = Spool &
  Pick<Opened, "name" | "response"> & { readonly claims: SourceClaims; readonly body: Body };

type SourceClaims = Omit<Claims, "firstBytes">;

export async function acquire(opened: Opened, options: SpoolOptions): Promise<Acquired> {
  const { chunks, name, headers, location = name, response } = opened;
  const spooled = await spool(chunks, options);
  const claims: SourceClaims = { headers, url: location };
  const truncated = spooled.truncated || response?.shortfall() !== undefined;
  const body = bodyOf(spooled.content, spooled.sizeBytes);
  return { ...spooled, truncated, claims, body, name, ...(response ? { response } : {}) };
}
