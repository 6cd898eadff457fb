/** The library: a session, the verbs, and the parts that are useful by themselves. */
export { type Answer, type AnswerText, answerText } from "./answer/answer.ts";
export type { FetchFields } from "./answer/fetch.ts";
export type { PassageFields, ReadFields } from "./answer/read.ts";
export type { CodeResult, ResultSpan, SearchFacts, SearchReply } from "./answer/search.ts";
export { searchNotices } from "./answer/search.ts";
export type { ArtifactRecord } from "./artifacts/record.ts";
export type { Listed } from "./artifacts/store.ts";
export type { SweepReport, Swept } from "./artifacts/sweep.ts";
export { type LoadedConfig, type LoadOptions, loadConfig, requireValid } from "./config/load.ts";
export type { ConfigProblem } from "./config/problem.ts";
export { defaultSettings, type Settings } from "./config/settings.ts";
export { confirmKind } from "./detect/confirm.ts";
export { detectContentKind } from "./detect/detect.ts";
export type { Body, Claims, ContentKind, DecidedBy, Detection, Signals } from "./detect/kind.ts";
export { type ErrorCode, SpillwayError } from "./errors.ts";
export type { Mode } from "./extract/handler.ts";
export type { SelectorInput } from "./extract/selector.ts";
export {
  type Bound,
  type Budget,
  type BudgetAsk,
  type ClientLimit,
  makeBudget,
  type TokenLimit,
} from "./fit/budget.ts";
export { estimateResponseSize, estimateResultSize, type SearchResult } from "./fit/estimate.ts";
export * from "./fit/limits.ts";
export type { ReturnedResult, TruncationInfo, TruncationReason } from "./fit/reply.ts";
export { type FitOptions, type FittedResults, type Overrun, truncateResultsBySize } from "./fit/results.ts";
export { type FittedText, fitText, type TextWindow, truncateContent } from "./fit/text.ts";
export { type Detected, detectSource, type FetchOptions, fetchSource } from "./ingest.ts";
export { type ReadOptions, readArtifact } from "./read.ts";
export type { JobRecord, JobStatus } from "./search/jobs.ts";
export type { SearchInput } from "./search/request.ts";
export {
  cancelIndexingJob,
  getIndexingStatus,
  type IndexInput,
  indexRepository,
  type JobInput,
  type SearchOptions,
  searchCode,
} from "./search/search.ts";
export { openSession, type Session, type SessionOptions } from "./session.ts";
export { removeArtifact, sweepArtifacts } from "./sweep.ts";
export type { Event, EventName, LoggedEvent } from "./telemetry/events.ts";
export { listRuns, readEvents } from "./telemetry/log.ts";
export { metrics } from "./telemetry/metrics.ts";
export { version } from "./version.ts";
