/** Code search on one screen: find the index, bring it up to date, rank, choose spans, fit, answer. */
import { resolve } from "node:path";
import { spoolBytes } from "../acquire/spool.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import type { CodeResult, SearchFacts, SearchReply } from "../contract/search-fields.ts";
import { detectContentKind } from "../detect/detect.ts";
import type { Budget, Tokenizer } from "../fit/budget.ts";
import { type FittedResults, truncateResultsBySize } from "../fit/fit-results.ts";
import { CHARACTER_LIMIT } from "../fit/limits.ts";
import { estimateTokens } from "../fit/measure.ts";
import type { Session } from "../session/session.ts";
import { takeLock } from "../system/lock.ts";
import { isDamaged } from "../system/sqlite.ts";
import { registerSweeper, sweepIfDue } from "../verbs/sweep.ts";
import { findMeaning } from "./embed/lazy-embedding.ts";
import { indexSweeper } from "./expire-indexes.ts";
import { cancelJob, type RunningJob, readJob, startIndexing } from "./indexing-jobs.ts";
import { findProject, type Project } from "./project.ts";
import { findResults } from "./ranked-results.ts";
import { refreshIndex } from "./refresh-index.ts";
import {
  discardIndex,
  findRepository,
  isDiscarded,
  openRepository,
  type Repository,
  type RepositoryHold,
} from "./repository.ts";
import { reportSearch } from "./search-events.ts";
import { formatCursor, MAX_RANKED, parseSearchInput, resolveDirectory, type SearchInput } from "./search-input.ts";

registerSweeper(indexSweeper);

/** What a surface adds to the input. */
export type SearchOptions = {
  /** The limits of the client and of the turn. */
  readonly budget?: Budget | undefined;
  /** Wait until the index is complete, however long it takes: for scripts, which cannot search again. */
  readonly complete?: boolean;
  /** Called at intervals while the folder is indexed for the first time. */
  readonly progress?: ((message: string) => void) | undefined;
};

/** Answers a query about a folder of code with the spans that matter, best first, within the budget. */
export async function searchCode(
  input: SearchInput,
  session: Session,
  options: SearchOptions = {},
): Promise<SearchReply> {
  const search = await findCode(input, session, options);
  await search.keepOversized(options.budget);
  const fittedSearch = search.fit(options.budget);
  search.report(fittedSearch);
  return fittedSearch.reply;
}

/** A reply with the results of fitting it. */
export type FittedSearch = FittedResults<CodeResult, SearchFacts>;

/** A search whose results are ranked but not yet fitted: they can be fitted to any budget. */
export type Search = {
  /** The reply within a budget, exactly as it was measured. `extraFields` are added and measured too. */
  fit(budget?: Budget, extraFields?: object): FittedSearch;
  /** Stores the first result as an artifact if it alone exceeds the budget, so that later fits can refer to it. */
  keepOversized(budget?: Budget): Promise<void>;
  /** Reports the reply that was sent to events, metrics and the log. */
  report(fittedSearch: FittedSearch): void;
};

/** Finds the index, brings it up to date and ranks. */
export async function findCode(input: SearchInput, session: Session, options: SearchOptions = {}): Promise<Search> {
  const started = performance.now();
  const parameters = parseSearchInput(input);
  const search = await withSoundIndex(
    () => openTarget(input, session),
    async (repository) => {
      const job = await refreshIndex(repository, session, options);
      const { rate, facts: embedding } = await findMeaning(parameters.query, repository.store, session);
      const loaded = repository.reader.load(job === null || job.status === "failed");
      const page = findResults(repository, loaded, resolveDirectory(parameters, repository.root), {
        contextLines: session.settings["search.context_lines"],
        meaning: rate === null ? null : rate(loaded.view),
      });
      return { repository, job, embedding, page, indexedAt: repository.store.fact("indexed_at") ?? null };
    },
  );
  const { repository, job, embedding, page, indexedAt } = search;
  const latencyMs = Number((performance.now() - started).toFixed(2));
  const facts = (returned: readonly CodeResult[]): SearchFacts => {
    const hasMore = returned.length < page.results.length || page.hasMore;
    return {
      total_count: page.results.length,
      project_id: repository.project.id,
      database_name: repository.databaseName,
      repository_id: repository.id,
      latency_ms: latencyMs,
      next_cursor: hasMore && returned.length > 0 ? formatCursor(parameters.offset + returned.length) : null,
      indexed_at: indexedAt,
      stale_files: returned.filter(({ stale }) => stale).map(({ file_path }) => file_path),
      ...(job !== null && { indexing: indexingOf(job) }),
      ...page.facts,
      ...(page.isAtLimit && !hasMore && { ranked_limit: MAX_RANKED }),
      ...(embedding === null ? {} : { embedding }),
    };
  };
  let artifactRef: string | null | undefined;
  const tokenizer = await session.tokenizer();
  const fit: Search["fit"] = (budget = unlimited, extraFields = {}) =>
    truncateResultsBySize(page.results, undefined, undefined, {
      envelope: (returned) => ({ ...facts(returned), ...extraFields }),
      budget: tokenizer === undefined ? budget : withTokens(budget, tokenizer),
      ...(artifactRef !== undefined && { artifactRef }),
    });
  return {
    fit,
    async keepOversized(budget) {
      const { oversized } = fit(budget);
      if (oversized !== null) artifactRef = await storeResult(oversized, session);
    },
    report: (fittedSearch) => reportSearch(fittedSearch, parameters.query, performance.now() - started, session),
  };
}

/** Damage shows only when an index is read. Such an index is deleted and built again, and the search is repeated once. */
async function withSoundIndex<T>(
  open: () => Promise<RepositoryHold>,
  search: (repository: Repository) => Promise<T>,
): Promise<T> {
  {
    using hold = await open();
    try {
      return await search(hold.repository);
    } catch (error) {
      if (!isDiscarded(hold.repository) && !discardIfDamaged(hold.repository, error)) throw error;
    }
  }
  using hold = await open();
  return await search(hold.repository);
}

/** Whether the index was damaged and is now deleted; where another process writes it, that process deals with it. */
function discardIfDamaged(repository: Repository, error: unknown): boolean {
  if (!isDamaged(error) || repository.lockPath === null) return false;
  using lock = takeLock(repository.lockPath);
  if (lock !== null) discardIndex(repository);
  return lock !== null;
}

/** How far the indexing of the folder is. */
function indexingOf({ files_done, files_total, error }: JobRecord): NonNullable<SearchFacts["indexing"]> {
  return { files_done, files_total, ...(error !== null && { error }) };
}

const unlimited: Budget = { chars: Infinity, bound: "default" };

/** With a tokenizer, a reply has a limit in tokens even if its client names none. */
function withTokens(budget: Budget, tokenizer: Tokenizer): Budget {
  return { ...budget, tokens: { ...tokenizer, max: budget.tokens?.max ?? estimateTokens(CHARACTER_LIMIT) } };
}

async function openTarget(input: SearchInput, session: Session): Promise<RepositoryHold> {
  const dir = resolve(session.cwd, input.dir ?? ".");
  const project = projectOf(input.project_id, dir, session, false);
  const id = input.repository_id;
  return id === undefined || id === ""
    ? openRepository(project, dir, session.roots)
    : findRepository(project, id, session.roots);
}

function projectOf(explicit: string | undefined, startFolder: string, session: Session, create: boolean): Project {
  return findProject({ explicit, startFolder, home: session.searchFolder, scope: session.store, create });
}

async function storeResult(result: CodeResult, session: Session): Promise<string | null> {
  const { file_path } = result;
  const bytes = Buffer.from(wholeText(result));
  const origin = { given: file_path, identity: `search:${file_path}`, name: file_path };
  const detection = detectContentKind({ firstBytes: bytes, url: file_path });
  // Where nothing can be stored, the reply has the excerpt only and its ref is null.
  return session.store.keep(spoolBytes(bytes), detection, origin).then(
    ({ artifact_ref }) => artifact_ref,
    () => null,
  );
}

/** Everything the result would have shown. */
function wholeText({ context_before, content, context_after, spans = [] }: CodeResult): string {
  const best = [context_before, content, context_after].filter((lines) => lines !== "").join("\n");
  return [best, ...spans.map((span) => span.content)].join("\n\n");
}

/** What a client sends to have a folder indexed. */
export type IndexInput = {
  readonly repo_path?: string | undefined;
  readonly project_id?: string | undefined;
  /** Read every file again, changed or not. */
  readonly force_reindex?: boolean | undefined;
};

/** Starts to index a folder and returns the job at once. */
export async function startIndexJob(input: IndexInput, session: Session): Promise<RunningJob> {
  const dir = resolve(session.cwd, input.repo_path ?? ".");
  const project = projectOf(input.project_id, dir, session, true);
  session.background(() => sweepIfDue(session));
  using hold = await openRepository(project, dir, session.roots);
  return await startIndexing(hold.repository, session, input.force_reindex ? "force" : "changes");
}

/** Starts to index a folder and returns the job's first record, whose id identifies it. */
export async function indexRepository(input: IndexInput, session: Session): Promise<JobRecord> {
  return (await startIndexJob(input, session)).record();
}

/** What a client sends to name a job. */
export type JobInput = { readonly job_id: string; readonly project_id?: string | undefined };

/** The current record of a job of the project. */
export function getIndexingStatus(input: JobInput, session: Session): JobRecord {
  return readJob(projectOf(input.project_id, session.cwd, session, false), input.job_id);
}

/** Asks a job of the project to stop. */
export function cancelIndexingJob(input: JobInput, session: Session): JobRecord {
  return cancelJob(projectOf(input.project_id, session.cwd, session, false), input.job_id);
}
