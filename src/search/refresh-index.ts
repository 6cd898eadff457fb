/** Refreshes an index before a search: a folder is indexed on its first search and checked for changes at intervals. */

import { setTimeout as wait } from "node:timers/promises";
import { formatCount, formatNumber } from "../answer/phrases.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { indexedAt, noteChecked } from "./index-notes.ts";
import { isIndexing, type RunningJob, startIndexing } from "./indexing-jobs.ts";
import { NOTHING_INDEXED } from "./jobs/job-record.ts";
import type { Repository } from "./repository/repository.ts";
import { segmentsOf } from "./repository/repository-segments.ts";

/** When each index was last refreshed, by the monotonic clock. */
const refreshTimes = new WeakMap<Repository, number>();

/** Longer than any indexing takes. */
const COMPLETE_WAIT_MS = 6 * 3_600_000;

export type RefreshOptions = {
  /** Wait until the index is complete. */
  readonly complete?: boolean;
  readonly progress?: ((message: string) => void) | undefined;
  /** The longest wait for a first index and for changes. Default: the settings. */
  readonly waitMs?: { readonly first: number; readonly changes: number } | undefined;
};

/** Whether the index was checked for changes so lately that a search does not check it again. */
export function isFresh(repository: Repository, { settings }: Session): boolean {
  const refreshedAt = refreshTimes.get(repository) ?? -Infinity;
  return !isFirst(repository) && performance.now() - refreshedAt < settings["search.refresh_every"];
}

/** Whether the index was never complete. */
export function isFirst({ store }: Repository): boolean {
  return indexedAt(store) === undefined;
}

/** A writer that ends before there is an index was killed or cancelled; then this process tries. So it does after older looks. */
const MAX_ATTEMPTS = 3;

function isUnfinished({ status }: JobRecord, { store }: Repository): boolean {
  return (status === "completed" || status === "interrupted") && indexedAt(store) === undefined;
}

/** Between two calls of `progress`. */
const PROGRESS_INTERVAL_MS = 500;

/**
 * Brings the index up to date, within the time a search may wait. Returns the record of a job that is still running or
 * has failed, or null when the index is complete. Throws for a folder that cannot be indexed at all.
 */
export async function refreshIndex(
  repository: Repository,
  session: Session,
  { complete = false, progress, waitMs, attempts = MAX_ATTEMPTS }: RefreshOptions & { readonly attempts?: number },
): Promise<JobRecord | null> {
  const { settings, signal } = session;
  if (isFresh(repository, session)) return null;
  const startedAt = performance.now();
  const isNew = isFirst(repository);
  const waits = waitMs ?? { first: settings["search.wait"], changes: settings["search.refresh_wait"] };
  const remaining = (ms: number) => Math.max(0, ms - (performance.now() - startedAt));
  const maxWaitMs = complete ? COMPLETE_WAIT_MS : isNew ? waits.first : waits.changes;
  const freshness = await judgeFreshness(repository, session, maxWaitMs);
  if (freshness === "unchanged") return null;
  // A look that began before this search may have passed what has changed since.
  const isOlder = !isNew && isIndexing(repository);
  const job = await startIndexing(repository, session, isNew ? "changes" : "background");
  using _progress = showProgress(job, progress);
  let record = freshness === "too long" ? null : await waitForEnd(job, maxWaitMs, signal);
  if (record === null && !isNew && (await isPartial(repository, session)))
    record = await waitForEnd(job, remaining(waits.first), signal);
  if (record === null) return job.record();
  if (record.status === "failed" && isNew) throw makeIndexError(record);
  if ((isOlder || isUnfinished(record, repository)) && attempts > 1) {
    const rest = { first: remaining(waits.first), changes: remaining(waits.changes) };
    return refreshIndex(repository, session, { complete, progress, waitMs: rest, attempts: attempts - 1 });
  }
  if (record.status === "failed") {
    refreshTimes.delete(repository); // The next search looks again, and gives the reason again.
    return record;
  }
  refreshTimes.set(repository, performance.now());
  return record.status === "pending" || record.status === "running" ? record : null;
}

let watches: Promise<typeof import("./watched-folders.ts")> | undefined;

/** Only the second search of a process needs it, and then every one: importing it again takes longer than asking it. */
function loadWatches() {
  watches ??= import("./watched-folders.ts");
  return watches;
}

/** Repositories that this process has searched before. */
const searched = new WeakSet<Repository>();

/**
 * Whether the folder is watched and nothing in it has changed; then at most a look in the background is begun. Where it is
 * not watched and a look takes too long to wait for, it counts as unchanged for a while after each look: else one would
 * always be under way.
 */
async function judgeFreshness(
  repository: Repository,
  session: Session,
  maxWaitMs: number,
): Promise<"unchanged" | "unknown" | "too long"> {
  const isSearched = searched.has(repository);
  searched.add(repository);
  if (!isSearched || isFirst(repository)) return "unknown";
  const { isLookLong, isLookRecent, isQuiet, isWholeLookDue } = await loadWatches();
  if (isLookLong(repository, maxWaitMs)) {
    const mayRest = session.settings["search.refresh_every"] > 0;
    return mayRest && isLookRecent(repository) ? "unchanged" : "too long";
  }
  if (!refreshTimes.has(repository) || !(await isQuiet(repository))) return "unknown";
  if (isWholeLookDue(repository)) {
    session.background(async () => void (await (await startIndexing(repository, session, "background")).waitForEnd()));
  } else noteChecked(repository.store, session.now());
  return "unchanged";
}

/** Whether files of an index that was complete cannot be searched now: the segments that they were in are built again. */
async function isPartial(repository: Repository, session: Session): Promise<boolean> {
  return (await repository.reader.load(segmentsOf(repository, session), false)).missingFiles > 0;
}

function showProgress(job: RunningJob, progress: RefreshOptions["progress"]): Disposable {
  const timer = progress && setInterval(() => progress(progressWords(job.record())), PROGRESS_INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function progressWords({ files_done, files_total }: JobRecord): string {
  return `Indexed ${formatNumber(files_done)} of ${formatCount(files_total, "file")}`;
}

/** The last record, or null if the job takes longer. */
async function waitForEnd(job: RunningJob, waitMs: number, signal: AbortSignal): Promise<JobRecord | null> {
  const done = new AbortController();
  const stop = AbortSignal.any([signal, done.signal]);
  try {
    return await Promise.race([job.waitForEnd(stop), wait(waitMs, null, { signal: stop })]);
  } finally {
    done.abort();
  }
}

function makeIndexError({ error, message, repository_path }: JobRecord): SpillwayError {
  return new SpillwayError("index_failed", error ?? `${repository_path} could not be indexed.`, {
    hint:
      message === NOTHING_INDEXED
        ? "Name a folder with source files in it; .gitignore and .spillwayignore decide which files count."
        : "Search again; if it fails again, spillway doctor shows what is wrong with the data folder.",
  });
}
