/**
 * The lease of a job on the index of a repository: taken before the first change, renewed while the job runs, and needed
 * to publish a generation. On one machine the writer's lock does the same sooner; a lease also holds between machines.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { segmentsKey } from "../../artifacts/keys.ts";
import {
  endLease,
  findGeneration,
  findLease,
  type LeaseRow,
  publishGeneration,
  type RepositoryKey,
  releaseLease,
  renewLease,
  takeLease,
} from "../../catalogue/index-rows.ts";
import { listSegments, type SegmentList, type SegmentRow, segmentsOfOthers } from "../../catalogue/segment-rows.ts";
import { CatalogueError, type Queries } from "../../catalogue/sql.ts";
import { systemCode } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import type { IndexLocation } from "../index/segments/segment-store.ts";
import { isListed, isPublished, isReminderDue, type Published } from "../index-notes.ts";
import type { Project } from "../repository/project.ts";
import type { Repository } from "../repository/repository.ts";
import { repositoryKey } from "../repository/repository-segments.ts";
import { closeDeadJobs } from "./job-log.ts";

/** How long a lease outlives its job if the process dies, and how often it is renewed. */
const LEASE_MS = 60_000;
const RENEWAL_INTERVAL_MS = 15_000;
/** Between two looks whether the lease of a job elsewhere has ended. */
const LEASE_CHECK_INTERVAL_MS = 500;
/** How long segments stay that another machine may be about to read. */
const RETIRED_STAY_MS = 3_600_000;

export type IndexLease = {
  /** The names of the segments that other places have published of this repository. */
  readonly published: readonly string[];
  /**
   * Publishes the state of the index, unless it is known, and releases the lease. Returns what the catalogue knows now;
   * null if another job has the lease or the catalogue cannot be written.
   */
  publish(index: IndexLocation): Promise<Published | null>;
  release(): Promise<void>;
};

type LeaseOptions = {
  readonly jobId: string;
  /** Ends the wait for a job elsewhere. */
  readonly signal: AbortSignal;
  /** Is called with a sentence when a job elsewhere has the lease. */
  readonly onWait: (reason: string) => void;
  readonly onLost: () => void;
  /** Whether a process has to stay for the job. */
  readonly isAwaited: boolean;
};

/**
 * Takes the lease of a repository for a job, and marks its jobs that died. Waits while a job elsewhere has it: the lease
 * of one that is dead ends. Where the catalogue cannot be written, the writer's lock has to do.
 */
export async function takeIndexLease(
  repository: Pick<Repository, "id" | "project">,
  session: Pick<Session, "store" | "now">,
  options: LeaseOptions,
): Promise<IndexLease> {
  const index = { ...repository, key: repositoryKey(repository, session), place: findPlace(repository.project) };
  // All jobs on a store of one machine need the same lock, and a search is not to wait for two transactions.
  if (session.store.parts === undefined && !options.isAwaited) return lockedLease(index, session, options);
  const published = await waitForLease(index, session, options);
  return published === undefined ? noLease : renewedLease(index, session, options, published);
}

/** An index, as rows name it, in one place. */
type LeasedIndex = { readonly key: RepositoryKey; readonly place: string };

/** The names of the segments of others, once this job has the lease; undefined if the catalogue cannot be used. */
async function waitForLease(
  { key, place }: LeasedIndex,
  { store, now: readClock }: Pick<Session, "store" | "now">,
  { jobId, signal, isAwaited, onWait }: LeaseOptions,
): Promise<readonly string[] | undefined> {
  const holder = `${hostname()}:${process.pid}`;
  for (;;) {
    const taken = await ignoreRefusal(
      store.catalogue.transact(async (queries) => {
        const now = readClock();
        const lease = { job: jobId, place, holder, expires_at: now + LEASE_MS };
        if (!(await takeLease(queries, key, lease, now))) return { instead: await findLease(queries, key) };
        await closeDeadJobs(queries, key, key.repository, jobId);
        return { published: store.parts === undefined ? [] : await segmentsOfOthers(queries, key, place) };
      }, patience),
    );
    if (taken === undefined) return undefined;
    if (taken.published !== undefined) return taken.published.map((row) => nameOfSegment(key, row));
    onWait(describeHolder(taken.instead));
    await wait(LEASE_CHECK_INTERVAL_MS, undefined, { signal, ref: isAwaited });
  }
}

const nameOfSegment = (key: RepositoryKey, { object_key }: SegmentRow): string =>
  object_key.slice(segmentsKey(key).length);

/** A lease in the catalogue, which is renewed until it is released. */
function renewedLease(
  index: LeasedIndex,
  session: Pick<Session, "store" | "now">,
  { jobId, onLost }: LeaseOptions,
  published: readonly string[],
): IndexLease {
  const { catalogue } = session.store;
  const { key } = index;
  const renew = () => ignoreRefusal(renewLease(catalogue, key, jobId, session.now() + LEASE_MS));
  const timer = setInterval(async () => {
    if ((await renew()) === false) onLost();
  }, RENEWAL_INTERVAL_MS).unref();
  const release = (queries: Queries) => releaseLease(queries, key, jobId);
  return {
    published,
    publish: (location) => publishIndex(index, session, location, release).finally(() => clearInterval(timer)),
    async release() {
      clearInterval(timer);
      await ignoreRefusal(catalogue.transact(release, patience));
    },
  };
}

/** The writer's lock in place of a lease: whatever job has one is dead. */
function lockedLease(index: LeasedIndex, session: Pick<Session, "store" | "now">, { jobId }: LeaseOptions): IndexLease {
  const { key } = index;
  const endDead = async (queries: Queries): Promise<true> => {
    if ((await endLease(queries, key)) !== undefined) await closeDeadJobs(queries, key, key.repository, jobId);
    return true;
  };
  return { ...noLease, publish: (location) => publishIndex(index, session, location, endDead) };
}

/** Publishes the state of an index in one transaction, if `release` says that the job had the right to change it. */
async function publishIndex(
  index: LeasedIndex,
  session: Pick<Session, "store" | "now">,
  location: IndexLocation,
  release: (queries: Queries) => Promise<boolean>,
): Promise<Published | null> {
  const { key } = index;
  const { root, store } = location;
  const [generation, segments, isKnown] = [store.generation(), store.segmentNames(), isPublished(store)];
  const now = session.now();
  const row = { root, files: store.fileCount(), segments: JSON.stringify(segments), published_at: now };
  const list = await findList(index, session, location, segments);
  const isPermitted = await ignoreRefusal(
    session.store.catalogue.transact(async (queries) => {
      if (!(await release(queries))) return false;
      if (!isKnown || !(await findGeneration(queries, key))) await publishGeneration(queries, key, row);
      if (list !== null) await listSegments(queries, key, list, now);
      return true;
    }, patience),
  );
  return isPermitted ? { generation, segments } : null;
}

/** The segments of the index; null if the catalogue lists them already. */
async function findList(
  { key, place }: LeasedIndex,
  session: Pick<Session, "store" | "now">,
  { store, segments }: IndexLocation,
  names: readonly string[],
): Promise<SegmentList | null> {
  if (segments === null || (isListed(store) && !isReminderDue(store, session.now()))) return null;
  const sizes = [...(await segments.sizesOf(names))];
  const listed = sizes.map(([name, sizeBytes]) => ({ objectKey: segmentsKey(key) + name, sizeBytes }));
  return { place, segments: listed, stayMs: session.store.parts === undefined ? 0 : RETIRED_STAY_MS };
}

/** The next look publishes, and a lease ends on its own: neither is worth a search that waits for a locked catalogue. */
const patience = { patienceMs: 200 };

/** For a job that only the writer's lock protects. */
const noLease: IndexLease = { published: [], publish: async () => null, release: async () => undefined };

/** Undefined if the catalogue cannot be used. */
async function ignoreRefusal<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

/** The id of the data folder with the indexes of a project; jobs of one place exclude each other by the writer's lock. */
export function findPlace({ folder }: Pick<Project, "folder">): string {
  const path = join(dirname(folder ?? ""), "place");
  return readPlace(path) ?? makePlace(path);
}

/** Undefined where there is none, or one that a killed process began to write. */
function readPlace(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return text.endsWith("\n") ? text.trim() : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Where it cannot be written it lasts as long as the call: then a lease is free only when it ends. */
function makePlace(path: string): string {
  const place = randomUUID();
  try {
    writeFileSync(path, `${place}\n`, { mode: 0o600 });
    return readPlace(path) ?? place; // Another process may have written one at the same time.
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return place;
  }
}

function describeHolder(lease: LeaseRow | undefined): string {
  return `Another process (${lease?.holder ?? "unknown"}) is indexing this folder; this job waits until it has ended.`;
}

/**
 * Whether a job holds a repository: it has the lease and, if it runs in this place, the writer's lock is held. Jobs of
 * earlier versions have the lock only.
 */
export async function isHolder(
  jobId: string,
  repository: Pick<Repository, "id" | "project">,
  session: Pick<Session, "store" | "now">,
  isLockHeld: () => boolean,
): Promise<boolean> {
  const lease = await ignoreRefusal(findLease(session.store.catalogue, repositoryKey(repository, session)));
  if (lease === undefined) return isLockHeld();
  if (lease.job !== jobId) return false;
  return lease.place === findPlace(repository.project) ? isLockHeld() : lease.expires_at > session.now();
}
