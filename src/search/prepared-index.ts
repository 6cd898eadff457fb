/** Prepares indexes for a query: each is brought up to date as far as time allows, and what the query needs is loaded. */

import type { JobRecord } from "../contract/indexing-job.ts";
import type { EmbeddingFacts, SearchFacts } from "../contract/search-fields.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { takeLock } from "../system/lock.ts";
import { isDamaged } from "../system/sqlite.ts";
import { findMeaning } from "./embed/lazy-embedding.ts";
import { countLiveFiles, filterFiles } from "./filter-files.ts";
import type { IndexView } from "./index/index-view.ts";
import { indexedAt } from "./index-notes.ts";
import type { LiteralMatch } from "./literal/literal-matches.ts";
import type { NearChunk } from "./rank/meaning.ts";
import { parseQuery } from "./rank/query.ts";
import { sliceView } from "./rank/slice.ts";
import { isFirst, isFresh, type RefreshOptions, refreshIndex } from "./refresh-index.ts";
import { discardIndex, isDiscarded, type Repository, type RepositoryHold } from "./repository/repository.ts";
import { segmentsOf } from "./repository/repository-segments.ts";
import { resolveDirectory, type SearchParameters } from "./search-input.ts";

/** Opens a repository; the same one every time. */
type OpenRepository = () => Promise<RepositoryHold>;

/** How far the indexing of a folder is, or why it failed. */
export type IndexingState = NonNullable<SearchFacts["indexing"]>;

/** What a query needs of one index. */
export type PreparedIndex = {
  readonly repository: Pick<Repository, "id" | "root" | "databaseName" | "storageProblem">;
  readonly view: IndexView;
  /** 1 for each file of the view that passes the filters; null without filters. */
  readonly accepted: Uint8Array | null;
  readonly filteredFiles: number | null;
  /** The chunks nearest in meaning; null where words alone have to do. */
  readonly near: readonly NearChunk[] | null;
  readonly embedding: EmbeddingFacts | null;
  /** The files that contain the text of a literal query; null for an ordinary one. */
  readonly literal: readonly LiteralMatch[] | null;
  /** Null when the index is complete. */
  readonly indexing: IndexingState | null;
  readonly indexedAt: string | null;
  /** Runs work on the open repository. */
  use<T>(work: (repository: Repository) => T): Promise<T>;
};

/** The error after which a search has to start again: an index was damaged, and is deleted now. */
export class IndexLost extends Error {
  override readonly name = "IndexLost";
}

/** Prepares the index of one repository. */
export async function prepareIndex(
  open: OpenRepository,
  parameters: SearchParameters,
  session: Session,
  options: RefreshOptions,
): Promise<PreparedIndex> {
  return withRepository(open, MAX_PREPARATIONS, async (repository) => {
    const state = toState(await refreshIndex(repository, session, options));
    return loadIndex(repository, { open, parameters, session, ...state });
  });
}

/**
 * Prepares many indexes, one after the other, and keeps only the part of each that the query needs. They share the time
 * that a search waits; the one that was checked longest ago is checked first.
 */
export async function prepareIndexes(
  targets: readonly OpenRepository[],
  parameters: SearchParameters,
  session: Session,
  options: RefreshOptions,
): Promise<PreparedIndex[]> {
  const prepared: PreparedIndex[] = [];
  const failures: SpillwayError[] = [];
  const started = performance.now();
  for (const open of await oldestFirst(targets)) {
    const waitMs = remainingWait(session, performance.now() - started);
    try {
      prepared.push(await prepareSlice(open, parameters, session, { ...options, waitMs }));
    } catch (error) {
      if (!(error instanceof SpillwayError) || error.code !== "search_invalid") throw error;
      failures.push(error); // The directory is outside this repository; it may be in another.
    }
  }
  const [failure] = failures;
  if (prepared.length === 0 && failure !== undefined) throw failure;
  return prepared.sort((one, other) => (one.repository.id < other.repository.id ? -1 : 1));
}

async function oldestFirst(targets: readonly OpenRepository[]): Promise<OpenRepository[]> {
  const rows: { readonly open: OpenRepository; readonly indexedAt: string }[] = [];
  for (const open of targets) {
    const age = await withRepository(open, MAX_PREPARATIONS, async ({ store }) => indexedAt(store) ?? "");
    rows.push({ open, indexedAt: age });
  }
  return rows.sort((one, other) => (one.indexedAt < other.indexedAt ? -1 : 1)).map(({ open }) => open);
}

function remainingWait({ settings }: Session, elapsedMs: number): { first: number; changes: number } {
  const rest = (waitMs: number) => Math.max(0, waitMs - elapsedMs);
  return { first: rest(settings["search.wait"]), changes: rest(settings["search.refresh_wait"]) };
}

async function prepareSlice(
  open: OpenRepository,
  parameters: SearchParameters,
  session: Session,
  options: RefreshOptions,
): Promise<PreparedIndex> {
  return withRepository(open, MAX_PREPARATIONS, async (repository) => {
    const state = await refreshOrReport(repository, session, options);
    const prepared = await loadIndex(repository, { open, parameters, session, ...state });
    const { view, near, literal, accepted } = prepared;
    const neededChunks = [...(near ?? []), ...(literal ?? [])].map(({ chunk }) => chunk);
    const slice = sliceView(view, parseQuery(parameters.query), neededChunks);
    return {
      ...prepared,
      view: slice.view,
      accepted: accepted && slice.pick(accepted),
      near: near?.flatMap((each) => withChunk(each, slice.chunkOf(each.chunk))) ?? null,
      literal: literal?.flatMap((each) => withChunk(each, slice.chunkOf(each.chunk))) ?? null,
    };
  });
}

const withChunk = <T extends { readonly chunk: number }>(each: T, chunk: number | undefined): T[] =>
  chunk === undefined ? [] : [{ ...each, chunk }];

/** One repository that cannot be indexed does not fail the search of the others. */
async function refreshOrReport(
  repository: Repository,
  session: Session,
  options: RefreshOptions,
): Promise<RefreshState> {
  const { first, changes } = options.waitMs ?? { first: 1, changes: 1 };
  const hasTime = options.complete || (isFirst(repository) ? first : changes) > 0;
  if (!hasTime && isFresh(repository, session)) return { indexing: null, isSettled: true };
  if (!hasTime) return { indexing: { files_done: 0, files_total: 0 }, isSettled: !isFirst(repository) };
  try {
    return toState(await refreshIndex(repository, session, options));
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return { indexing: { files_done: 0, files_total: 0, error: error.message }, isSettled: true };
  }
}

type RefreshState = {
  readonly indexing: IndexingState | null;
  /** Whether every file is loaded, also those that no segment has yet. */
  readonly isSettled: boolean;
};

function toState(job: JobRecord | null): RefreshState {
  if (job === null) return { indexing: null, isSettled: true };
  const { files_done, files_total, error, status } = job;
  return { indexing: { files_done, files_total, ...(error !== null && { error }) }, isSettled: status === "failed" };
}

type LoadOptions = RefreshState & {
  readonly open: OpenRepository;
  readonly parameters: SearchParameters;
  readonly session: Session;
};

async function loadIndex(
  repository: Repository,
  { open, parameters, session, indexing, isSettled }: LoadOptions,
): Promise<PreparedIndex> {
  const { id, root, databaseName, storageProblem, store, reader } = repository;
  const { findNear, facts: embedding } = await findMeaning(parameters.query, store, session);
  const { view, missingFiles } = await reader.load(segmentsOf(repository, session), isSettled);
  const accepted = filterFiles(view, resolveDirectory(parameters, root));
  return {
    repository: { id, root, databaseName, storageProblem },
    view,
    accepted,
    filteredFiles: accepted && countLiveFiles(view, accepted),
    near: findNear?.(view) ?? null,
    embedding,
    literal: await findLiteral(repository, view, accepted, parameters, session),
    indexing: indexing && { ...indexing, ...(missingFiles > 0 && { files_missing: missingFiles }) },
    indexedAt: indexedAt(store) ?? null,
    // What was prepared is of this index: another one in its place is of no use.
    use: (work) => withRepository(open, 1, async (current) => work(current)),
  };
}

async function findLiteral(
  { reader }: Repository,
  view: IndexView,
  accepted: Uint8Array | null,
  { literal }: SearchParameters,
  { signal }: Session,
): Promise<readonly LiteralMatch[] | null> {
  if (literal === null) return null;
  const { findLiteralMatches } = await import("./literal/literal-matches.ts");
  return findLiteralMatches(reader, view, literal, accepted, signal);
}

/** An index that is found damaged is deleted and prepared again, once. */
const MAX_PREPARATIONS = 2;

/** Damage shows only when an index is read. Such an index is deleted, and the work is repeated or the index is lost. */
async function withRepository<T>(
  open: OpenRepository,
  attempts: number,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  using hold = await open();
  try {
    return await work(hold.repository);
  } catch (error) {
    if (!isDiscarded(hold.repository) && !discardIfDamaged(hold.repository, error)) throw error;
    if (attempts <= 1) throw new IndexLost("The index was damaged and has to be built again.", { cause: error });
  }
  return withRepository(open, attempts - 1, work);
}

/** Whether the index was damaged and is now deleted; where another process writes it, that process deals with it. */
function discardIfDamaged(repository: Repository, error: unknown): boolean {
  if (!isDamaged(error) || repository.lockPath === null) return false;
  using lock = takeLock(repository.lockPath);
  if (lock !== null) discardIndex(repository);
  return lock !== null;
}
