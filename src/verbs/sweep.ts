/** Sweeping: applies retention to what an owner has stored, when it is due or on request, and removes single artifacts. */
import { existsSync, readdirSync } from "node:fs";
import type { SweptArtifact } from "../artifacts/retention.ts";
import { toStoreError } from "../artifacts/store-errors.ts";
import { sweepWhenDue } from "../artifacts/sweep-turn.ts";
import type { SweepReport } from "../artifacts/sweeper.ts";
import type { Session } from "../session/session.ts";

/** What a sweep deleted. */
export type SweepResult = SweepReport & {
  readonly deletedIndexes: number;
  readonly deletedProfiles: number;
  readonly deletedClones: number;
};

/** Expiry of something other than artifacts. It registers itself, so that a sweep loads no code that is not in use. */
export type Sweeper = {
  /** The count of the result that it fills. */
  readonly counts: "deletedIndexes";
  /** Whether its last sweep, by any process, is long enough ago. Marks the sweep as done. */
  takeTurn(session: Session): boolean;
  /** Deletes what has expired, emits the events and returns how many. */
  sweep(session: Session): Promise<number>;
};

const sweepers = new Map<Sweeper["counts"], Sweeper>();

/** Adds a sweeper to every later sweep of this process. */
export function registerSweeper(sweeper: Sweeper): void {
  sweepers.set(sweeper.counts, sweeper);
}

/** Applies retention to the owner's artifacts and runs every registered sweeper, now. */
export async function sweepArtifacts(session: Session): Promise<SweepResult> {
  const { sweep } = await import("../artifacts/sweeper.ts");
  const onDeleted = (blobs: number) => session.progress?.(`${blobs.toLocaleString("en")} blobs deleted`);
  const report = await sweep(session.store, session.settings, undefined, onDeleted).catch(throwUnwritable);
  for (const swept of report.swept) emitSwept(session, swept);
  return {
    ...report,
    deletedIndexes: (await sweepers.get("deletedIndexes")?.sweep(session)) ?? 0,
    deletedProfiles: await sweepBrowserProfiles(session),
    deletedClones: await sweepOldClones(session),
  };
}

/** Does the same if the last sweep is long enough ago; every fetch and every requested indexing calls it. */
export async function sweepIfDue(session: Session): Promise<void> {
  const report = await sweepWhenDue(session.store, session.settings);
  for (const swept of report?.swept ?? []) emitSwept(session, swept);
  if (report !== undefined) {
    await sweepBrowserProfiles(session);
    await sweepOldClones(session);
  }
  for (const sweeper of sweepers.values()) if (sweeper.takeTurn(session)) await sweeper.sweep(session);
}

/** Removes one artifact; its ref then says when it was removed. */
export async function removeArtifact(ref: string, session: Session): Promise<void> {
  const { deleteArtifact } = await import("../artifacts/sweeper.ts");
  emitSwept(session, await deleteArtifact(session.store, ref).catch(throwUnwritable));
}

/** Removes clones that were not used for as long as artifacts are kept. */
async function sweepOldClones({ cloneFolder, settings, now }: Session): Promise<number> {
  if (cloneFolder === null || !existsSync(cloneFolder)) return 0;
  const { sweepClones } = await import("../clones/sweep-clones.ts");
  return sweepClones(cloneFolder, settings["artifacts.keep"], now());
}

/** Removes the folders that browsers of killed processes left behind. Loads its module only where there is one. */
async function sweepBrowserProfiles({ spoolFolders, now }: Session): Promise<number> {
  if (!spoolFolders.some(hasProfile)) return 0;
  const { sweepProfiles } = await import("../acquire/render/profiles.ts");
  return sweepProfiles(spoolFolders, now());
}

function hasProfile(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith("spillway-render-"));
  } catch {
    // A folder that cannot be listed has nothing that could be removed.
    return false;
  }
}

function throwUnwritable(error: unknown): never {
  throw toStoreError("changed", error);
}

function emitSwept({ emit }: Session, { ref, reason, sizeBytes }: SweptArtifact): void {
  emit({ event: "artifact.swept", artifact_ref: ref, reason, size_bytes: sizeBytes });
}
