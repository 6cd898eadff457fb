/** The library: five functions, and the building blocks that are useful on their own. docs/api.md has the groups below. */

// The five functions

export { withOverflowRecovery } from "./overflow/overflow-fetch.ts";
export { searchCode } from "./search/search.ts";
export { openSession } from "./session/session.ts";
export { fetchSource } from "./verbs/fetch.ts";
export { readArtifact } from "./verbs/read.ts";

// Sessions and settings

export { type ClientProfile, findClientProfile, type ResultLimit } from "./config/clients.ts";
export type { ConfigProblem } from "./config/config-problem.ts";
export { type LoadedConfig, type LoadOptions, loadConfig, requireValid } from "./config/load-config.ts";
export { defaultSettings, type Settings } from "./config/settings.ts";
export type { Session, SessionOptions } from "./session/session.ts";

// Reading sources

export { type Answer, type AnswerText, answerText } from "./answer/answer.ts";
export { type Audience, commandAudience, toolAudience, truncateContent } from "./answer/truncation.ts";
export type { FetchFields } from "./contract/fetch-fields.ts";
export type { PassageFields, ReadFields } from "./contract/read-fields.ts";
export type { HtmlFields } from "./extract/html/describe-html.ts";
export type { SelectorInput } from "./extract/select/selector.ts";
export { detectSource, type LoadSourceOptions, type SourceDetection } from "./load/load-source.ts";
export type { FetchOptions } from "./verbs/fetch.ts";
export type { ReadOptions } from "./verbs/read.ts";

// Artifacts

export type { ListedArtifact } from "./artifacts/artifact-store.ts";
export type { ArtifactRecord } from "./artifacts/record.ts";
export type { SweptArtifact } from "./artifacts/retention.ts";
export type { SweepReport } from "./artifacts/sweeper.ts";
export { removeArtifact, type SweepResult, sweepArtifacts } from "./verbs/sweep.ts";

// Code search

export { searchNotices } from "./answer/search-reply.ts";
export type { JobRecord, JobStatus } from "./contract/indexing-job.ts";
export type { CodeResult, ResultSpan, SearchFacts, SearchReply } from "./contract/search-fields.ts";
export {
  cancelIndexingJob,
  getIndexingStatus,
  type IndexInput,
  indexRepository,
  type JobInput,
  type SearchOptions,
} from "./search/search.ts";
export type { ParameterNames, SearchInput } from "./search/search-input.ts";

// Overflow recovery

export type { OverflowReport } from "./contract/overflow-report.ts";
export { type Classifiable, classify } from "./overflow/classify/classify.ts";
export type { LimitUnit, OverflowClass, Verdict } from "./overflow/classify/verdict.ts";
export type { FetchRecoveryOptions } from "./overflow/overflow-fetch.ts";
export { ContextOverflowError } from "./overflow/wire/failure.ts";
export { type MiddlewareOptions, overflowMiddleware } from "./surfaces/ai-sdk/middleware.ts";

// Tools

export { type BoundToolOptions, boundToolResult } from "./surfaces/gateway/bound-tool-result.ts";
export { callTool, type ToolReply } from "./tools/call-tool.ts";
export { outputSchema } from "./tools/output-fields.ts";
export { type Field, type Fields, inputSchema, type JsonSchema } from "./tools/parameters.ts";
export {
  type ArtifactLink,
  defineTool,
  type RenderedReply,
  type ReplyDraft,
  type Tool,
  type ToolHints,
  type ToolSession,
} from "./tools/tool.ts";
export { builtInTools, findTool, mergeTools } from "./tools/tools.ts";

// Budgets

export {
  type Bound,
  type Budget,
  type BudgetOptions,
  type ClientLimit,
  makeBudget,
  type Tokenizer,
  type TokenLimit,
} from "./fit/budget.ts";
export type { ReturnedResult, TruncationInfo, TruncationReason } from "./fit/draft-reply.ts";
export { estimateResponseSize, estimateResultSize, type SearchResult } from "./fit/estimate-results.ts";
export { type FitOptions, type FittedResults, type Overrun, truncateResultsBySize } from "./fit/fit-results.ts";
export { type FittedText, fitText, type TextWindow } from "./fit/fit-text.ts";
export * from "./fit/limits.ts";

// Kinds of content

export { confirmKind } from "./detect/confirm.ts";
export { detectContentKind } from "./detect/detect.ts";
export type { AnnouncedKind, Body, Claims, ContentKind, DecidedBy, Detection, Signals } from "./detect/kind.ts";

// Formats and request formats of your own

export type {
  Description,
  DocumentFacts,
  ExtractItem,
  Failure,
  Handler,
  HandlerOptions,
  Info,
  LocalFile,
  Mark,
  Mode,
  Segment,
  SegmentKind,
} from "./extract/handler.ts";
export { readBytes } from "./extract/local-file.ts";
export type { Engine } from "./extract/pool/child-loop.ts";
export { runInChild } from "./extract/pool/run-in-child.ts";
export type { Dialect, OutputLimit, Part, PartContent, RequestBody } from "./overflow/dialects/dialect.ts";
export type { Edit, Path } from "./system/json-edits.ts";

// Network

export type { HttpClient, HttpClientOptions } from "./acquire/http/http-client.ts";
export { openHttpClient } from "./acquire/http/lazy-client.ts";

// Events and metrics

export { listRuns, readEvents } from "./telemetry/event-log.ts";
export type { Event, EventName, LoggedEvent } from "./telemetry/events.ts";
export { metrics } from "./telemetry/metrics.ts";

// Errors and version

export { type ErrorCode, SpillwayError } from "./errors.ts";
export { version } from "./version.ts";
