/** The library: a session, the verbs, and the parts that are useful by themselves. */
export type { Network, NetworkOptions } from "./acquire/http/network.ts";
export { openNetwork } from "./acquire/http/open.ts";
export { type Answer, type AnswerText, answerText } from "./answer/answer.ts";
export type { FetchFields } from "./answer/fetch.ts";
export type { JobRecord, JobStatus } from "./answer/indexing.ts";
export type { OverflowReport } from "./answer/overflow.ts";
export type { PassageFields, ReadFields } from "./answer/read.ts";
export type { CodeResult, ResultSpan, SearchFacts, SearchReply } from "./answer/search.ts";
export { searchNotices } from "./answer/search.ts";
export type { ArtifactRecord } from "./artifacts/record.ts";
export type { Listed } from "./artifacts/store.ts";
export type { SweepReport, Swept } from "./artifacts/sweep.ts";
export { type ClientProfile, clientProfile, type ResultLimit } from "./config/clients.ts";
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
  type Tokenizer,
  type TokenLimit,
} from "./fit/budget.ts";
export { estimateResponseSize, estimateResultSize, type SearchResult } from "./fit/estimate.ts";
export * from "./fit/limits.ts";
export type { ReturnedResult, TruncationInfo, TruncationReason } from "./fit/reply.ts";
export { type FitOptions, type FittedResults, type Overrun, truncateResultsBySize } from "./fit/results.ts";
export { type FittedText, fitText, type TextWindow, truncateContent } from "./fit/text.ts";
export { type FetchOptions, fetchSource } from "./ingest.ts";
export { type Detected, detectSource, type TakeOptions } from "./intake.ts";
export { type Classifiable, classify } from "./overflow/classify.ts";
export { ContextOverflowError } from "./overflow/failure.ts";
export { type FetchRecoveryOptions, withOverflowRecovery } from "./overflow/fetch.ts";
export type { LimitUnit, OverflowClass, Verdict } from "./overflow/verdict.ts";
export { type ReadOptions, readArtifact } from "./read.ts";
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
export { type MiddlewareOptions, overflowMiddleware } from "./surfaces/ai-sdk/middleware.ts";
export { removeArtifact, type Sweeping, sweepArtifacts } from "./sweep.ts";
export type { Event, EventName, LoggedEvent } from "./telemetry/events.ts";
export { listRuns, readEvents } from "./telemetry/log.ts";

export { metrics } from "./telemetry/metrics.ts";

export { callTool, type ToolReply } from "./tools/call.ts";
export { type Field, type Fields, inputSchema, type JsonSchema } from "./tools/fields.ts";
export type { ArtifactLink, Rendered, Tool, ToolHints, ToolSession, Unfitted } from "./tools/tool.ts";
export { findTool, tools } from "./tools/tools.ts";

export { version } from "./version.ts";
