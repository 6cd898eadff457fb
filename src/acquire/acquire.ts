/** Spools the body of an open source, up to the largest size that the settings allow. */
import type { Body, Claims } from "../detect/kind.ts";
import type { OpenedSource } from "./source.ts";
import { type Spool, type SpoolOptions, spool } from "./spool.ts";
import { toBody } from "./spooled-body.ts";

/** A spooled body with random access to it, and what its source claims about it. */
export type AcquiredSource = Spool &
  Pick<OpenedSource, "name" | "response"> & { readonly claims: SourceClaims; readonly body: Body };

type SourceClaims = Omit<Claims, "firstBytes">;

/** Reads the whole source into a spool, which the caller disposes. */
export async function acquire(source: OpenedSource, options: SpoolOptions): Promise<AcquiredSource> {
  const { chunks, name, headers, location = name, response } = source;
  const spooled = await spool(chunks, options);
  const claims: SourceClaims = { headers, url: location };
  const cutBy = spooled.cutBy ?? response?.shortfall()?.by ?? null;
  const body = toBody(spooled.content, spooled.sizeBytes);
  return { ...spooled, cutBy, claims, body, name, ...(response ? { response } : {}) };
}
