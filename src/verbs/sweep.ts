/** Sweeping: applies retention to what an owner has stored, when it is due or on request, and removes single artifacts. */
import { existsSync } from "node:fs";
import type { SweptArtifact } from "../artifacts/retention.ts";
import { unavailableError } from "../artifacts/store-errors.ts";
import { deleteArtifact as remove, type SweepReport, sweep, sweepWhenDue } from "../artifacts/sweeper.ts";
import { systemCode } from "../errors.ts";
import type { Session } from "../session/session.ts";

/** What a sweep deleted. */
export type SweepResult = SweepReport & { readonly deletedIndexes: number };

/** Expiry of something other than artifacts. Its module is loaded only where the owner has something to sweep. */
type Sweeper = {
  hasWork(session: Session): boolean;
  /** Gives the function that deletes what has expired, emits the events and counts. */
  load(): Promise<(session: Session) => number>;
};

const indexSweeper: Sweeper = {
  hasWork: ({ searchFolder }) => searchFolder !== null && existsSync(searchFolder),
  load: async () => (await import("../search/expire.ts")).expireIndexes,
};

/** Every sweeper, by the count of the report that it fills. */
const sweepers: Readonly<Record<Exclude<keyof SweepResult, keyof SweepReport>, Sweeper>> = {
  deletedIndexes: indexSweeper,
};

/** Applies retention to the owner's artifacts and runs every sweeper, now. */
export async function sweepArtifacts(session: Session): Promise<SweepResult> {
  const report = await sweep(session.store, session.settings).catch(throwUnwritable);
  for (const swept of report.swept) emitSwept(session, swept);
  return { ...report, deletedIndexes: await runSweeper(sweepers.deletedIndexes, session) };
}

/** Does the same if the last sweep is long enough ago; every fetch and every requested indexing calls it. */
export async function sweepIfDue(session: Session): Promise<void> {
  const report = await sweepWhenDue(session.store, session.settings);
  if (report === undefined) return;
  for (const swept of report.swept) emitSwept(session, swept);
  for (const sweeper of Object.values(sweepers)) await runSweeper(sweeper, session);
}

async function runSweeper({ hasWork, load }: Sweeper, session: Session): Promise<number> {
  if (!hasWork(session)) return 0;
  const expire = await load();
  return expire(session);
}

/** Removes one artifact; its ref then says when it was removed. */
export async function removeArtifact(ref: string, session: Session): Promise<void> {
  emitSwept(session, await remove(session.store, ref).catch(throwUnwritable));
}

function throwUnwritable(error: unknown): never {
  throw systemCode(error) === undefined ? error : unavailableError("changed", error);
}

function emitSwept({ emit }: Session, { ref, reason, sizeBytes }: SweptArtifact): void {
  emit({ event: "artifact.swept", artifact_ref: ref, reason, size_bytes: sizeBytes });
}
