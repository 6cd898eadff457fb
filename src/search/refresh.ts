/** Keeps searches fresh: a folder is indexed on its first search, and looked over again now and then. */
import { setTimeout as wait } from "node:timers/promises";
import { counted, grouped } from "../answer/phrases.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { type RunningJob, startIndexing } from "./jobs.ts";
import type { Repository } from "./repository.ts";

/** By a clock that never goes back. */
const lookedAt = new WeakMap<Repository, number>();

/** Longer than any indexing takes: whoever wants a complete index waits for it. */
const untilCompleteMs = 6 * 3_600_000;

export type FreshenOptions = {
  readonly complete?: boolean;
  readonly progress?: ((message: string) => void) | undefined;
};

/** A writer that ends before there is an index was killed or cancelled: the next one is us. */
const mostAttempts = 3;

function isLeft({ status }: JobRecord, { store }: Repository): boolean {
  return (status === "completed" || status === "interrupted") && store.fact("indexed_at") === undefined;
}

/** Times between two words about how far it is. */
const tellEveryMs = 500;

/**
 * Brings the index up to date, as far as that goes in the time a search may wait. Gives the job that is still under way
 * or has failed, or null when the index is complete. A folder that cannot be indexed at all is an error.
 */
export async function freshen(
  repository: Repository,
  session: Session,
  { complete = false, progress, attempts = mostAttempts }: FreshenOptions & { readonly attempts?: number },
): Promise<JobRecord | null> {
  const { settings } = session;
  const isNew = repository.store.fact("indexed_at") === undefined;
  const looked = lookedAt.get(repository) ?? -Infinity;
  if (!isNew && performance.now() - looked < settings["search.refresh_every"]) return null;
  const job = await startIndexing(repository, session, isNew ? "asked" : "by the way");
  const waitMs = isNew ? settings["search.wait"] : settings["search.refresh_wait"];
  const telling = progress && setInterval(() => progress(progressWords(job.record())), tellEveryMs);
  const ended = await endedWithin(job, complete ? untilCompleteMs : waitMs, session.signal).finally(() =>
    clearInterval(telling),
  );
  if (ended === null) return job.record();
  if (ended.status === "failed" && isNew) throw indexFailed(ended);
  if (isLeft(ended, repository) && attempts > 1) {
    return freshen(repository, session, { complete, progress, attempts: attempts - 1 });
  }
  if (ended.status === "failed") return ended;
  lookedAt.set(repository, performance.now());
  return ended.status === "pending" || ended.status === "running" ? ended : null;
}

function progressWords({ files_done, files_total }: JobRecord): string {
  return `Indexed ${grouped(files_done)} of ${counted(files_total, "file")}`;
}

async function endedWithin(job: RunningJob, waitMs: number, signal: AbortSignal): Promise<JobRecord | null> {
  const enough = new AbortController();
  const stop = AbortSignal.any([signal, enough.signal]);
  try {
    return await Promise.race([job.ended(stop), wait(waitMs, null, { signal: stop })]);
  } finally {
    enough.abort();
  }
}

function indexFailed({ error, repository_path }: JobRecord): SpillwayError {
  return new SpillwayError("index_failed", error ?? `${repository_path} could not be indexed.`, {
    hint: "Name a folder with source files in it; .gitignore and .spillwayignore decide what counts.",
  });
}
