/** The verbs that take artifacts away, each with its event: by retention, when it is due, or at the owner's word. */
import { removeArtifact as remove, type SweepReport, type Swept, sweep, sweepWhenDue } from "../artifacts/sweeper.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { retireIndexes } from "../search/expire.ts";
import type { Session } from "../session/session.ts";

/** What a sweep took away. */
export type Sweeping = SweepReport & { readonly deletedIndexes: number };

/** Applies retention to the owner's artifacts, and to search indexes of folders that are gone, now. */
export async function sweepArtifacts(session: Session): Promise<Sweeping> {
  const report = await sweep(session.store, session.settings).catch(unwritable);
  for (const swept of report.swept) tell(session, swept);
  return { ...report, deletedIndexes: sweepIndexes(session) };
}

/** Applies retention when the last time is long enough ago; every fetch and every indexing that is asked for wants it. */
export async function sweepIfDue(session: Session): Promise<void> {
  const report = await sweepWhenDue(session.store, session.settings);
  for (const swept of report?.swept ?? []) tell(session, swept);
  if (report !== undefined) sweepIndexes(session);
}

function sweepIndexes(session: Session): number {
  const retired = retireIndexes(session);
  for (const { sizeBytes } of retired) session.emit({ event: "index.swept", size_bytes: sizeBytes });
  return retired.length;
}

/** Removes one artifact; its ref then says when that was. */
export async function removeArtifact(ref: string, session: Session): Promise<void> {
  tell(session, await remove(session.store, ref).catch(unwritable));
}

function unwritable(error: unknown): never {
  if (!isUnwritable(error)) throw error;
  throw new SpillwayError("store_unavailable", `The store cannot be changed (${systemCode(error)}).`, {
    hint: "Give this user the right to write to it, or free space on its disk.",
    cause: error,
  });
}

function tell({ emit }: Session, { ref, reason, sizeBytes }: Swept): void {
  emit({ event: "artifact.swept", artifact_ref: ref, reason, size_bytes: sizeBytes });
}
