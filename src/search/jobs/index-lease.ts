/**
 * The lease of a job on the index of a repository: taken before the first change, renewed while the job runs, and needed
 * to publish a generation. On one machine the writer's lock does the same sooner; a lease also holds between machines.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import {
  findGeneration,
  findLease,
  type LeaseRow,
  publishGeneration,
  releaseLease,
  renewLease,
  takeLease,
} from "../../catalogue/index-rows.ts";
import { CatalogueError } from "../../catalogue/sql.ts";
import { SpillwayError, systemCode } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { isPublished } from "../index-notes.ts";
import type { Project } from "../repository/project.ts";
import type { Repository } from "../repository/repository.ts";
import { closeDeadJobs, projectKey } from "./job-log.ts";

/** How long a lease outlives its job if the process dies, and how often it is renewed. */
const LEASE_MS = 60_000;
const RENEWAL_INTERVAL_MS = 15_000;

export type IndexLease = {
  /**
   * Publishes the state of the index, unless it is known, and releases the lease. Returns the store's generation if the
   * catalogue knows it now; null if another job has the lease or the catalogue cannot be written.
   */
  publish(index: Pick<Repository, "store" | "root">): Promise<number | null>;
  release(): Promise<void>;
};

/**
 * Takes the lease of a repository for a job, and marks its jobs that died. Throws if a job elsewhere has it. Where the
 * catalogue cannot be written, the writer's lock has to do.
 */
export async function takeIndexLease(
  repository: Pick<Repository, "id" | "project">,
  jobId: string,
  session: Pick<Session, "store" | "now">,
  onLost: () => void,
): Promise<IndexLease> {
  const { catalogue } = session.store;
  const key = repositoryKey(repository, session);
  const place = findPlace(repository.project);
  const holder = `${hostname()}:${process.pid}`;
  const taken = await ignoreRefusal(
    catalogue.transact(async (queries) => {
      const now = session.now();
      const lease = { job: jobId, place, holder, expires_at: now + LEASE_MS };
      if (!(await takeLease(queries, key, lease, now))) return { instead: await findLease(queries, key) };
      await closeDeadJobs(queries, key, key.repository, jobId);
      return {};
    }, patience),
  );
  if (taken?.instead !== undefined) throw leasedError(taken.instead);
  if (taken === undefined) return noLease;

  const renew = () => ignoreRefusal(renewLease(catalogue, key, jobId, session.now() + LEASE_MS));
  const timer = setInterval(async () => {
    if ((await renew()) === false) onLost();
  }, RENEWAL_INTERVAL_MS).unref();

  return {
    async publish({ store, root }) {
      const { generation, fileIds, segments } = store.snapshot();
      const isKnown = isPublished(store);
      const row = { root, files: fileIds.length, segments: JSON.stringify(segments), published_at: session.now() };
      const hasLease = await ignoreRefusal(
        catalogue.transact(async (queries) => {
          if (!(await releaseLease(queries, key, jobId))) return false;
          if (!isKnown || !(await findGeneration(queries, key))) await publishGeneration(queries, key, row);
          return true;
        }, patience),
      );
      clearInterval(timer);
      return hasLease ? generation : null;
    },
    async release() {
      clearInterval(timer);
      await ignoreRefusal(catalogue.transact((queries) => releaseLease(queries, key, jobId), patience));
    },
  };
}

/** The next look publishes, and a lease ends on its own: neither is worth a search that waits for a locked catalogue. */
const patience = { patienceMs: 200 };

/** For a job that only the writer's lock protects. */
const noLease: IndexLease = { publish: async () => null, release: async () => undefined };

/** A repository as rows name it. */
function repositoryKey({ id, project }: Pick<Repository, "id" | "project">, { store }: Pick<Session, "store">) {
  return { ...projectKey(project, store), repository: id };
}

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
export function findPlace({ folder }: Project): string {
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

function leasedError({ job, holder }: LeaseRow): SpillwayError {
  return new SpillwayError("index_failed", `Another process (${holder}) is indexing this folder.`, {
    hint: `Follow its job ${job}, or try again when it has ended.`,
  });
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
