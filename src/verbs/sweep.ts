/** Sweeping: applies retention to what an owner has stored, when it is due or on request, and removes single artifacts. */
import { existsSync, readdirSync } from "node:fs";
import {
  deleteArtifact as remove,
  type SweepReport,
  type SweptArtifact,
  sweep,
  sweepWhenDue,
} from "../artifacts/sweeper.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import type { Session } from "../session/session.ts";

/** What a sweep deleted. */
export type SweepResult = SweepReport & { readonly deletedIndexes: number; readonly deletedProfiles: number };

/** Expiry of something other than artifacts. Its module is loaded only where the owner has something to sweep. */
type Sweeper = {
  hasWork(session: Session): boolean;
  /** Returns the function that deletes what has expired, emits the events and counts. */
  load(): Promise<(session: Session) => number | Promise<number>>;
};

const indexSweeper: Sweeper = {
  hasWork: ({ searchFolder }) => searchFolder !== null && existsSync(searchFolder),
  load: async () => (await import("../search/expire-indexes.ts")).expireIndexes,
};

/** The folders that a browser of a killed process left behind. */
const profileSweeper: Sweeper = {
  hasWork: ({ spoolFolders }) => spoolFolders.some(hasProfile),
  load: async () => {
    const { sweepProfiles } = await import("../acquire/render/profiles.ts");
    return ({ spoolFolders, now }) => sweepProfiles(spoolFolders, now());
  },
};

/** By the name alone, so that the module is loaded only where there is one. */
function hasProfile(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith("spillway-render-"));
  } catch {
    // A folder that cannot be listed has nothing that could be removed.
    return false;
  }
}

/** Every sweeper, by the count of the report that it fills. */
const sweepers: Readonly<Record<Exclude<keyof SweepResult, keyof SweepReport>, Sweeper>> = {
  deletedIndexes: indexSweeper,
  deletedProfiles: profileSweeper,
};

/** Applies retention to the owner's artifacts and runs every sweeper, now. */
export async function sweepArtifacts(session: Session): Promise<SweepResult> {
  const report = await sweep(session.store, session.settings).catch(throwUnwritable);
  for (const swept of report.swept) emitSwept(session, swept);
  return {
    ...report,
    deletedIndexes: await runSweeper(sweepers.deletedIndexes, session),
    deletedProfiles: await runSweeper(sweepers.deletedProfiles, session),
  };
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
  if (!isUnwritable(error)) throw error;
  throw new SpillwayError("store_unavailable", `The store cannot be changed (${systemCode(error)}).`, {
    hint: "Give this user the right to write to it, or free space on its disk.",
    cause: error,
  });
}

function emitSwept({ emit }: Session, { ref, reason, sizeBytes }: SweptArtifact): void {
  emit({ event: "artifact.swept", artifact_ref: ref, reason, size_bytes: sizeBytes });
}
