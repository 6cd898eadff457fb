/** Code search on one screen: find the index, bring it up to date, rank, choose spans, fit, answer. */
import { resolve } from "node:path";
import { spoolOf } from "../acquire/spool.ts";
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
import { sweepIfDue } from "../verbs/sweep.ts";
import { askMeaning, nearChunks } from "./embed/meaning.ts";
import { cancelIndexing, indexingStatus, type RunningJob, startIndexing } from "./jobs.ts";
import { findProject, type Project } from "./project.ts";
import { findResults } from "./ranked-results.ts";
import { freshen } from "./refresh.ts";
import {
  discardIndex,
  findRepository,
  type HeldRepository,
  isDiscarded,
  openRepository,
  type Repository,
} from "./repository.ts";
import { cursorAt, inRepository, mostRanked, parseRequest, type SearchInput } from "./request.ts";
import { reportSearch } from "./search-events.ts";

/** What a surface knows beyond the input. */
export type SearchOptions = {
  /** The limits of the client and of the turn. */
  readonly budget?: Budget | undefined;
  /** Wait until the index is complete, however long that takes: for scripts, which cannot ask again. */
  readonly complete?: boolean;
  /** Told now and then while the folder is indexed first. */
  readonly progress?: ((message: string) => void) | undefined;
};

/** Answers a question about a folder of code with the few spans that matter, best first, inside the budget. */
export async function searchCode(
  input: SearchInput,
  session: Session,
  options: SearchOptions = {},
): Promise<SearchReply> {
  const search = await findCode(input, session, options);
  await search.keepOversized(options.budget);
  const fitted = search.fit(options.budget);
  search.report(fitted);
  return fitted.reply;
}

/** A reply and what fitting it found out. */
export type FittedSearch = FittedResults<CodeResult, SearchFacts>;

/** A search that is done but for its fitting: the same results for whatever room there is. */
export type Search = {
  /** The reply within a budget, exactly as it was measured. `more` stands among its keys and is measured with them. */
  fit(budget?: Budget, more?: object): FittedSearch;
  /** Keeps a first result that fits no reply of this budget even alone, so that later fits can name it. */
  keepOversized(budget?: Budget): Promise<void>;
  /** Tells events, metrics and the log which reply left. */
  report(fitted: FittedSearch): void;
};

/** Finds the index, brings it up to date and ranks. */
export async function findCode(input: SearchInput, session: Session, options: SearchOptions = {}): Promise<Search> {
  const started = performance.now();
  const request = parseRequest(input);
  const answer = await onSoundIndex(
    () => repositoryOf(input, session),
    async (repository) => {
      const job = await freshen(repository, session, options);
      const { vector, facts: embedding } = await askMeaning(request.query, repository.store, session);
      const loaded = repository.reader.load(job === null || job.status === "failed");
      const meaning = vector === null ? null : nearChunks(vector, repository.store, loaded.view);
      const contextLines = session.settings["search.context_lines"];
      const found = findResults(repository, loaded, inRepository(request, repository.root), { contextLines, meaning });
      return { repository, job, embedding, found, indexedAt: repository.store.fact("indexed_at") ?? null };
    },
  );
  const { repository, job, embedding, found, indexedAt } = answer;
  const latencyMs = Number((performance.now() - started).toFixed(2));
  const facts = (returned: readonly CodeResult[]): SearchFacts => {
    const left = returned.length < found.results.length || found.more;
    return {
      total_count: found.results.length,
      project_id: repository.project.id,
      database_name: repository.databaseName,
      repository_id: repository.id,
      latency_ms: latencyMs,
      next_cursor: left && returned.length > 0 ? cursorAt(request.offset + returned.length) : null,
      indexed_at: indexedAt,
      stale_files: returned.filter(({ stale }) => stale).map(({ file_path }) => file_path),
      ...(job !== null && { indexing: indexingOf(job) }),
      ...found.facts,
      ...(found.atLimit && !left && { ranked_limit: mostRanked }),
      ...(embedding === null ? {} : { embedding }),
    };
  };
  let artifactRef: string | null | undefined;
  const tokenizer = await session.tokenizer();
  const fit: Search["fit"] = (budget = unlimited, more = {}) =>
    truncateResultsBySize(found.results, undefined, undefined, {
      envelope: (returned) => ({ ...facts(returned), ...more }),
      budget: tokenizer === undefined ? budget : countedBy(tokenizer, budget),
      ...(artifactRef !== undefined && { artifactRef }),
    });
  return {
    fit,
    async keepOversized(budget) {
      const { oversized } = fit(budget);
      if (oversized !== null) artifactRef = await keepResult(oversized, session);
    },
    report: (fitted) => reportSearch(fitted, request.query, performance.now() - started, session),
  };
}

/** A damaged index is found out only when it is read: then it is taken away, made anew, and asked once more. */
async function onSoundIndex<T>(
  open: () => Promise<HeldRepository>,
  ask: (repository: Repository) => Promise<T>,
): Promise<T> {
  {
    using held = await open();
    try {
      return await ask(held.repository);
    } catch (error) {
      if (!isDiscarded(held.repository) && !discardIfDamaged(held.repository, error)) throw error;
    }
  }
  using held = await open();
  return await ask(held.repository);
}

/** Whether the index was damaged; it is left to its writer where there is one. */
function discardIfDamaged(repository: Repository, error: unknown): boolean {
  if (!isDamaged(error) || repository.lockPath === null) return false;
  using lock = takeLock(repository.lockPath);
  if (lock !== null) discardIndex(repository);
  return lock !== null;
}

/** How far the index is behind its folder. */
function indexingOf({ files_done, files_total, error }: JobRecord): NonNullable<SearchFacts["indexing"]> {
  return { files_done, files_total, ...(error !== null && { error }) };
}

const unlimited: Budget = { chars: Infinity, bound: "default" };

/** Where a tokenizer counts, a reply has a limit in tokens even if its client names none. */
function countedBy(tokenizer: Tokenizer, budget: Budget): Budget {
  return { ...budget, tokens: { ...tokenizer, max: budget.tokens?.max ?? estimateTokens(CHARACTER_LIMIT) } };
}

async function repositoryOf(input: SearchInput, session: Session): Promise<HeldRepository> {
  const dir = resolve(session.cwd, input.dir ?? ".");
  const project = projectOf(input.project_id, dir, session, false);
  const id = input.repository_id;
  return id === undefined || id === ""
    ? openRepository(project, dir, session.roots)
    : findRepository(project, id, session.roots);
}

function projectOf(explicit: string | undefined, from: string, session: Session, create: boolean): Project {
  return findProject({ explicit, from, home: session.searchFolder, scope: session.store, create });
}

async function keepResult(result: CodeResult, session: Session): Promise<string | null> {
  const { file_path } = result;
  const bytes = Buffer.from(wholeText(result));
  const origin = { given: file_path, identity: `search:${file_path}`, name: file_path };
  const detection = detectContentKind({ firstBytes: bytes, url: file_path });
  // Where nothing can be kept the excerpt has to do, and the ref says that there is none.
  return session.store.keep(spoolOf(bytes), detection, origin).then(
    ({ artifact_ref }) => artifact_ref,
    () => null,
  );
}

/** Everything a result would have shown. */
function wholeText({ context_before, content, context_after, spans = [] }: CodeResult): string {
  const best = [context_before, content, context_after].filter((lines) => lines !== "").join("\n");
  return [best, ...spans.map((span) => span.content)].join("\n\n");
}

/** What is asked of the indexer. */
export type IndexInput = {
  readonly repo_path?: string | undefined;
  readonly project_id?: string | undefined;
  /** Read every file again, changed or not. */
  readonly force_reindex?: boolean | undefined;
};

/** Starts indexing a folder and returns at once with the job. */
export async function startIndex(input: IndexInput, session: Session): Promise<RunningJob> {
  const dir = resolve(session.cwd, input.repo_path ?? ".");
  const project = projectOf(input.project_id, dir, session, true);
  session.background(() => sweepIfDue(session));
  using held = await openRepository(project, dir, session.roots);
  return await startIndexing(held.repository, session, input.force_reindex ? "anew" : "asked");
}

/** Starts indexing a folder: the job's first record, to be followed by its id. */
export async function indexRepository(input: IndexInput, session: Session): Promise<JobRecord> {
  return (await startIndex(input, session)).record();
}

/** What a job is asked by. */
export type JobInput = { readonly job_id: string; readonly project_id?: string | undefined };

/** How far a job of the project is. */
export function getIndexingStatus(input: JobInput, session: Session): JobRecord {
  return indexingStatus(projectOf(input.project_id, session.cwd, session, false), input.job_id);
}

/** Asks a job of the project to stop. */
export function cancelIndexingJob(input: JobInput, session: Session): JobRecord {
  return cancelIndexing(projectOf(input.project_id, session.cwd, session, false), input.job_id);
}
