/** Code search on one screen: find the index, bring it up to date, rank, choose spans, fit, answer. */
import { resolve } from "node:path";
import { spoolBytes } from "../acquire/spool.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import type { CodeResult, SearchFacts, SearchReply } from "../contract/search-fields.ts";
import { detectKnownText } from "../detect/detect.ts";
import { SpillwayError } from "../errors.ts";
import type { Budget, Tokenizer } from "../fit/budget.ts";
import { type FittedResults, truncateResultsBySize } from "../fit/fit-results.ts";
import { CHARACTER_LIMIT } from "../fit/limits.ts";
import { estimateTokens } from "../fit/measure.ts";
import type { Session } from "../session/session.ts";
import { registerSweeper, sweepIfDue } from "../verbs/sweep.ts";
import { indexSweeper } from "./expire-indexes.ts";
import { describeIndexes } from "./index-facts.ts";
import { cancelJob, hasJob, makeUnknownJobError, type RunningJob, readJob, startIndexing } from "./indexing-jobs.ts";
import { IndexLost, type PreparedIndex, prepareIndex, prepareIndexes } from "./prepared-index.ts";
import { findResults, type ResultPage } from "./ranked-results.ts";
import type { Project } from "./repository/project.ts";
import { openRepository } from "./repository/repository.ts";
import { isStorageFailure, toStorageError } from "./repository/storage-problem.ts";
import { reportSearch } from "./search-events.ts";
import {
  formatCursor,
  MAX_RANKED,
  type ParameterNames,
  parseSearchInput,
  type SearchInput,
  type SearchParameters,
} from "./search-input.ts";
import { findTargets, projectOf, projectsOf, type SearchTargets } from "./targets.ts";

registerSweeper(indexSweeper);

/** What a surface adds to the input. */
export type SearchOptions = {
  /** The limits of the client and of the turn. */
  readonly budget?: Budget | undefined;
  /** Wait until the index is complete, however long it takes: for scripts, which cannot search again. */
  readonly complete?: boolean;
  /** Called at intervals while the folder is indexed for the first time. */
  readonly progress?: ((message: string) => void) | undefined;
  /** What errors call the parameters. Default: as the input does. */
  readonly names?: ParameterNames;
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

/** Finds the indexes, brings them up to date and ranks. */
export function findCode(input: SearchInput, session: Session, options: SearchOptions = {}): Promise<Search> {
  const attributes = { "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "code" };
  return session.trace(
    () => ({ name: "retrieval code", attributes }),
    () => rankCode(input, session, options),
  );
}

async function rankCode(input: SearchInput, session: Session, options: SearchOptions): Promise<Search> {
  const started = performance.now();
  const parameters = parseSearchInput(input, options.names);
  const targets = await findTargets(input, session, options.names);
  const { indexes, page } = await searchIndexes(targets, parameters, session, options);
  const factsOf = describeIndexes(targets, indexes);
  const latencyMs = Number((performance.now() - started).toFixed(2));
  const facts = (returned: readonly CodeResult[]): SearchFacts => {
    const hasMore = returned.length < page.results.length || page.hasMore;
    const nextOffset = parameters.offset + page.rankedBefore(returned.length);
    return {
      total_count: page.results.length,
      ...factsOf(returned),
      latency_ms: latencyMs,
      next_cursor: hasMore && nextOffset > parameters.offset ? formatCursor(nextOffset) : null,
      ...page.facts,
      ...(page.isAtLimit && !hasMore && { ranked_limit: MAX_RANKED }),
    };
  };
  let artifactRef: string | null | undefined;
  const tokenizer = await session.tokenizer();
  const fit: Search["fit"] = (budget = unlimited, extraFields = {}) =>
    truncateResultsBySize(page.results, undefined, undefined, {
      envelope: (returned) => ({ ...facts(returned), ...extraFields }),
      budget: tokenizer === undefined ? budget : withTokens(budget, tokenizer),
      focusOf: page.focusOf,
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

/** A search that finds an index damaged deletes it and starts again, once. */
const MAX_SEARCHES = 2;

async function searchIndexes(
  targets: SearchTargets,
  parameters: SearchParameters,
  session: Session,
  options: SearchOptions,
  searches = MAX_SEARCHES,
): Promise<{ indexes: readonly PreparedIndex[]; page: ResultPage }> {
  const [first, ...others] = targets.open;
  try {
    const indexes =
      first !== undefined && others.length === 0
        ? [await prepareIndex(first, parameters, session, options)]
        : await prepareIndexes(targets.open, parameters, session, options);
    const contextLines = session.settings["search.context_lines"];
    const page = await findResults(indexes, parameters, { contextLines, isWide: targets.isWide });
    return { indexes, page };
  } catch (error) {
    if (error instanceof IndexLost && searches > 1) {
      return searchIndexes(targets, parameters, session, options, searches - 1);
    }
    const cause = error instanceof IndexLost ? error.cause : error;
    throw isStorageFailure(cause) ? toStorageError(cause, session.searchFolder ?? session.cwd) : cause;
  }
}

const unlimited: Budget = { chars: Infinity, bound: "default" };

/** With a tokenizer, a reply has a limit in tokens even if its client names none. */
function withTokens(budget: Budget, tokenizer: Tokenizer): Budget {
  return { ...budget, tokens: { ...tokenizer, max: budget.tokens?.max ?? estimateTokens(CHARACTER_LIMIT) } };
}

async function storeResult(result: CodeResult, session: Session): Promise<string | null> {
  const { file_path, repository_id } = result;
  const bytes = Buffer.from(wholeText(result));
  const identity = `search:${repository_id === undefined ? "" : `${repository_id}:`}${file_path}`;
  const origin = { given: file_path, identity, name: file_path };
  const detection = detectKnownText(bytes, file_path);
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

/** Starts to index a folder and returns the job at once. `names` are what errors call the parameters. */
export async function startIndexJob(input: IndexInput, session: Session, names?: ParameterNames): Promise<RunningJob> {
  const dir = resolve(session.cwd, input.repo_path ?? ".");
  const project = projectOf(input.project_id, dir, session, true, names);
  session.background(() => sweepIfDue(session));
  using hold = await openRepository(project, dir, session.roots);
  const job = await startIndexing(hold.repository, session, input.force_reindex ? "force" : "changes");
  return project.fileProblem === null ? job : addProjectProblem(job, project.fileProblem);
}

/** Only who starts the job is informed: the record is of the project that is used. */
function addProjectProblem(job: RunningJob, project_problem: string): RunningJob {
  return {
    ...job,
    record: () => ({ ...job.record(), project_problem }),
    waitForEnd: async (signal) => ({ ...(await job.waitForEnd(signal)), project_problem }),
  };
}

/** Starts to index a folder and returns the job's first record, whose id identifies it. */
export async function indexRepository(input: IndexInput, session: Session): Promise<JobRecord> {
  return (await startIndexJob(input, session)).record();
}

/** What a client sends to name a job. */
export type JobInput = { readonly job_id: string; readonly project_id?: string | undefined };

/** The current record of a job of the project. */
export async function getIndexingStatus(input: JobInput, session: Session): Promise<JobRecord> {
  return withJobProject(input, session, (project) => readJob(project, input.job_id, session));
}

/** Asks a job of the project to stop. */
export async function cancelIndexingJob(input: JobInput, session: Session): Promise<JobRecord> {
  return withJobProject(input, session, (project) => cancelJob(project, input.job_id, session));
}

/** Projects do not see each other's jobs; the error names the project that has this one. */
async function withJobProject<T>(
  input: JobInput,
  session: Session,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const project = projectOf(input.project_id, session.cwd, session, false);
  try {
    return await work(project);
  } catch (error) {
    if (!(error instanceof SpillwayError) || error.code !== "job_not_found") throw error;
    for (const holder of projectsOf(session)) {
      if (await hasJob(holder, input.job_id, session)) throw makeUnknownJobError(input.job_id, project, holder);
    }
    throw error;
  }
}
