/** Spools the body of an open source, up to the largest size that the settings allow. */
import type { Body, Claims } from "../detect/kind.ts";
import { referenceFile } from "./file-reference.ts";
import type { OpenedSource } from "./source.ts";
import { type Spool, type SpoolOptions, spool } from "./spool.ts";
import { toBody } from "./spooled-body.ts";

/** A spooled body with random access to it, and what its source claims about it. */
export type AcquiredSource = Spool &
  Pick<OpenedSource, "name" | "response"> & { readonly claims: SourceClaims; readonly body: Body };

type SourceClaims = Omit<Claims, "firstBytes">;

export type AcquireOptions = SpoolOptions & {
  /** A larger local file is read in place. Default: every file is copied. */
  readonly copyBytes?: number;
};

/** Reads the whole source into a spool, which the caller disposes. */
export async function acquire(source: OpenedSource, options: AcquireOptions): Promise<AcquiredSource> {
  const { chunks, name, headers, location = name, response } = source;
  const spooled = (await referenceIfLarge(source, options)) ?? (await spool(chunks, options));
  const claims: SourceClaims = { headers, url: location };
  const cutBy = spooled.cutBy ?? response?.shortfall()?.by ?? null;
  const body = toBody(spooled.content, spooled.sizeBytes);
  return { ...spooled, cutBy, claims, body, name, ...(response ? { response } : {}) };
}

async function referenceIfLarge(
  { openFile }: OpenedSource,
  { copyBytes = Number.POSITIVE_INFINITY, signal }: AcquireOptions,
): Promise<Spool | undefined> {
  if (openFile === undefined || !Number.isFinite(copyBytes)) return undefined;
  const file = await openFile();
  if ((await file.handle.stat()).size > copyBytes) return referenceFile(file, signal);
  await file.handle.close();
  return undefined;
}
