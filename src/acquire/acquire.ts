/** Bytes in: opens a source and spools its body, bounded by the setting for the largest source. */
import type { Body, Claims } from "../detect/kind.ts";
import { bodyOf } from "./body.ts";
import type { Source } from "./source.ts";
import { type Spool, type SpoolOptions, spool } from "./spool.ts";

/** A spooled body with what is claimed about it and a way to look into it anywhere. */
export type Acquired = Spool & { readonly claims: Claims; readonly body: Body };

export async function acquire(source: Source, options: SpoolOptions): Promise<Acquired> {
  const spooled = await spool(await source.open(options.signal), options);
  const claims: Claims = { headers: source.headers, firstBytes: spooled.firstBytes, url: source.name };
  return { ...spooled, claims, body: bodyOf(spooled.content, spooled.sizeBytes) };
}
