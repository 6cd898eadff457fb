/**
 * The closed list of events. An event records decisions and sizes, never content: no document
 * text, no query strings, no search text, no credentials. docs/events.md is made from the table below.
 */
import { redactUrl } from "../system/redact-url.ts";

/** The source in an event: a file's name or a URL's origin, nothing more. */
type SourceName = string;

export type EventFields = {
  "ingest.classified": {
    artifact_ref: string | null;
    source: SourceName;
    content_kind: string;
    media_type: string;
    decided_by: string;
    signals: object;
    size_bytes: number;
  };
  "ingest.completed": {
    artifact_ref: string | null;
    content_kind: string;
    handler: string;
    size_bytes: number;
    extracted_chars: number;
    returned_chars: number;
    limit_chars: number;
    bound: string;
    truncated: boolean;
    source_truncated: boolean;
    status_code: number | null;
    cached: boolean;
    duration_ms: number;
    error: string | null;
  };
  "ingest.failed": { source: SourceName; code: string };
  "ingest.shadowed": { artifact_ref: string | null; content_kind: string; handler: string };
  "store.unavailable": { code: string };
  "otel.failed": { signal: string; endpoint: string; code: string; dropped_spans: number };
  "artifact.read": {
    artifact_ref: string;
    selector: string;
    returned_chars: number;
    total_chars: number | null;
    limit_chars: number;
    bound: string;
    truncated: boolean;
  };
  "artifact.swept": { artifact_ref: string; reason: string; size_bytes: number };
  "tool.called": {
    tool: string;
    client: string | null;
    text_chars: number;
    text_bytes: number;
    structured_chars: number;
    limit_chars: number;
    bound: string;
    duration_ms: number;
    error: string | null;
  };
  "gateway.bounded": {
    server: string;
    tool: string;
    client: string | null;
    total_chars: number;
    returned_chars: number;
    limit_chars: number;
    bound: string;
  };
  "search.truncated": {
    returned_count: number;
    original_count: number;
    actual_chars: number;
    limit_chars: number;
    reason: string;
  };
  "search.completed": {
    returned_count: number;
    original_count: number;
    actual_chars: number;
    limit_chars: number;
    truncated: boolean;
    duration_ms: number;
    indexing: boolean;
  };
  "web.searched": { provider: string; result_count: number; duration_ms: number; error: string | null };
  "web.answered": {
    model: string;
    tokens_in: number;
    tokens_out: number;
    duration_ms: number;
    error: string | null;
  };
  "index.completed": {
    status: string;
    files_indexed: number;
    files_removed: number;
    files_skipped: number;
    duration_ms: number;
  };
  "index.swept": { size_bytes: number };
  "overflow.classified": {
    dialect: string;
    status: number | null;
    class: string;
    confidence: number;
    limit: number | null;
    actual: number | null;
    unit: string | null;
  };
  "overflow.recovered": {
    dialect: string;
    class: string;
    attempts: number;
    bytes_before: number;
    bytes_after: number;
    stubs: readonly string[];
    clamped: boolean;
  };
  "overflow.repeated": { dialect: string; stubs: number; bytes_before: number; bytes_after: number };
  "overflow.failed": {
    dialect: string;
    class: string;
    reason: string;
    attempts: number;
    bytes_before: number;
    bytes_after: number;
    stubs: readonly string[];
  };
  "overflow.skipped": { dialect: string; class: string; reason: string; stubs: number; clamped: boolean };
  "run.step": {
    step: number;
    model: string;
    tokens_in: number;
    tokens_out: number;
    requests: number;
    retries: number;
    tool_calls: number;
    finish: string;
  };
  "run.retried": { step: number; attempt: number; wait_ms: number; reason: string };
  "run.ended": {
    how: string;
    error: string | null;
    steps: number;
    tool_calls: number;
    tokens_in: number;
    tokens_out: number;
    requests: number;
    retries: number;
    recoveries: number;
    artifacts: number;
    stubs: number;
    bytes_read: number;
    chars_given: number;
  };
  "run.summary": {
    bytes_in: number;
    chars_extracted: number;
    chars_out: number;
    replies: number;
    truncations: number;
    utilization_avg: number;
  };
};

export type EventName = keyof EventFields;

/** An event as code emits it. */
export type Event = { [E in EventName]: { readonly event: E } & Readonly<EventFields[E]> }[EventName];

/** An event as written to the log. */
export type LoggedEvent = { readonly at: string; readonly run: string } & Event;

/** The tool call that an event happened in. */
export type CallOrigin = { readonly tool: string; readonly client: string | null };

/** Outside a tool call there is no origin: on the command line, in the library, in the proxy. */
export type Emit = (event: Event, origin?: CallOrigin) => void;

type EventRows = {
  readonly [E in EventName]: {
    readonly about: string;
    readonly fields: { readonly [F in keyof EventFields[E]]: string };
  };
};

const ref = "The artifact_ref, or null if the artifact could not be kept.";
const source = "The file's name or the URL's origin.";
const limit = "Characters the reply was allowed.";
const dialect = "The request format, for example openai-chat.";
const overflowClass = "What was too large: context_tokens, request_bytes, attachment_limit, output_limit, ...";
const bytesBefore = "Bytes of the original request.";
const bytesAfter = "Bytes of the smaller request.";
const stubs = "artifact_refs of the removed parts.";
const bound = "What set that limit: default, request, client, turn, ...";

export const eventRows: EventRows = {
  "ingest.classified": {
    about: "The kind of a source was detected. Explains why something was treated as binary.",
    fields: {
      artifact_ref: ref,
      source,
      content_kind: "The detected kind.",
      media_type: "The detected media type.",
      decided_by: "The signal that decided: mime, magic, extension, content or fallback.",
      signals: "All signals, with notes on disagreement.",
      size_bytes: "Bytes of the source.",
    },
  },
  "ingest.completed": {
    about: "A source was fetched and answered.",
    fields: {
      artifact_ref: ref,
      content_kind: "The kind of the source.",
      handler: "The handler that read it.",
      size_bytes: "Bytes of the source.",
      extracted_chars: "Characters of text extracted from it.",
      returned_chars: "Characters of content in the reply.",
      limit_chars: limit,
      bound,
      truncated: "Whether the reply contains less than the source.",
      source_truncated: "Whether the source itself was larger than what is kept.",
      status_code: "The server's HTTP status, or null if the source is not a URL.",
      cached: "Whether it was answered from the cache.",
      duration_ms: "Wall time from opening the source to the answer.",
      error: "Why no text could be read, or null.",
    },
  },
  "ingest.failed": {
    about: "A source could not be fetched at all.",
    fields: { source, code: "The error's code." },
  },
  "ingest.shadowed": {
    about: "The ingest router is in shadow mode: which handler would have read this source.",
    fields: {
      artifact_ref: ref,
      content_kind: "The kind of the source.",
      handler: "The handler that would have been used.",
    },
  },
  "store.unavailable": {
    about: "The store could not be written: an artifact was not kept, or a sweep did not happen.",
    fields: { code: "The system's error code." },
  },
  "otel.failed": {
    about: "An OpenTelemetry collector did not take spans or metrics. Once until it takes them again.",
    fields: {
      signal: "traces or metrics.",
      endpoint: "The collector's origin.",
      code: "The collector's status, the system's error code, timeout, or rejected where it took only a part.",
      dropped_spans: "Spans of this process that were dropped so far.",
    },
  },
  "artifact.read": {
    about: "A kept artifact was read.",
    fields: {
      artifact_ref: "The artifact_ref.",
      selector: "The selector: offset, lines, pages, section or query.",
      returned_chars: "Characters of content in the reply.",
      total_chars: "Characters of its whole text; null where not all of it was read.",
      limit_chars: limit,
      bound,
      truncated: "Whether the reply contains less than requested.",
    },
  },
  "artifact.swept": {
    about: "An artifact was removed and left a tombstone.",
    fields: {
      artifact_ref: "The artifact_ref.",
      reason: "age, count, bytes or removed.",
      size_bytes: "Bytes of the artifact.",
    },
  },
  "tool.called": {
    about: "A tool was called through any surface.",
    fields: {
      tool: "The tool's name.",
      client: "The client profile the reply was fitted to, or null.",
      text_chars: "Characters of the reply's text.",
      text_bytes: "Bytes of it in UTF-8.",
      structured_chars: "Characters of the reply's structured content, serialized.",
      limit_chars: limit,
      bound,
      duration_ms: "Wall time of the call.",
      error: "The error's code, or null.",
    },
  },
  "gateway.bounded": {
    about: "A result of a wrapped server was too large and became a first page.",
    fields: {
      server: "The server, as the gateway calls it.",
      tool: "The server's tool.",
      client: "The client profile the page was fitted to, or null.",
      total_chars: "Characters of the result's text.",
      returned_chars: "Characters of the page.",
      limit_chars: limit,
      bound,
    },
  },
  "search.truncated": {
    about: "Search results were left out to stay inside the budget.",
    fields: {
      returned_count: "Results in the reply.",
      original_count: "Results found.",
      actual_chars: "Characters of the serialized reply.",
      limit_chars: limit,
      reason: "character_limit, token_estimate or single_result_too_large.",
    },
  },
  "search.completed": {
    about: "A code search was answered.",
    fields: {
      returned_count: "Results in the reply.",
      original_count: "Results found, at most the requested number.",
      actual_chars: "Characters of the serialized reply.",
      limit_chars: limit,
      truncated: "Whether results were left out to stay inside the budget.",
      duration_ms: "Wall time of the search.",
      indexing: "Whether the index was still being built.",
    },
  },
  "web.searched": {
    about: "A web search provider was asked; most of them charge for each request.",
    fields: {
      provider: "The provider.",
      result_count: "Results in its answer.",
      duration_ms: "Wall time of the request, retries included.",
      error: "The code of the error, or null.",
    },
  },
  "web.answered": {
    about: "A model was asked for an answer to the prompt of a fetch; most providers charge for it.",
    fields: {
      model: "provider:model.",
      tokens_in: "Input tokens as the provider counts them, or 0.",
      tokens_out: "Output tokens as the provider counts them, or 0.",
      duration_ms: "Wall time of the request.",
      error: "The code of the error, or null.",
    },
  },
  "index.completed": {
    about: "A run of the code indexer ended.",
    fields: {
      status: "completed, partial or failed.",
      files_indexed: "New and changed files.",
      files_removed: "Deleted files.",
      files_skipped: "Skipped files.",
      duration_ms: "Wall time of the run.",
    },
  },
  "index.swept": {
    about: "A search index was removed: its folder no longer exists and it was unused for long.",
    fields: { size_bytes: "Bytes of the index." },
  },
  "overflow.classified": {
    about: "A provider refused a request.",
    fields: {
      dialect,
      status: "The HTTP status, or null if there was none.",
      class: overflowClass,
      confidence: "How sure the classification is, from 0 to 1.",
      limit: "The limit named by the error, or null.",
      actual: "The size named by the error, or null.",
      unit: "The unit of both, or null.",
    },
  },
  "overflow.recovered": {
    about: "A request that was too large was made smaller and accepted, or was made smaller before it was sent.",
    fields: {
      dialect,
      class: overflowClass,
      attempts: "Requests sent upstream so far; 0 if it was made smaller before the first.",
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
      stubs,
      clamped: "Whether the output limit was lowered.",
    },
  },
  "overflow.repeated": {
    about: "Stubs from earlier requests of the conversation were applied again before a request was sent.",
    fields: {
      dialect,
      stubs: "Number of stubs.",
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
    },
  },
  "overflow.failed": {
    about: "A request that was too large could not be recovered.",
    fields: {
      dialect,
      class: overflowClass,
      reason: "not_read, server_state, nothing_to_shed, not_kept, does_not_fit or refused_again.",
      attempts: "Requests sent upstream.",
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
      stubs,
    },
  },
  "overflow.skipped": {
    about: "A refusal was passed on unchanged.",
    fields: {
      dialect,
      class: overflowClass,
      reason: "The class that is never rewritten, tell_client or shadow.",
      stubs: "With shadow: how many parts would have been removed.",
      clamped: "With shadow: whether the output limit would have been lowered.",
    },
  },
  "run.step": {
    about: "The runner sent one step to its model and got an answer.",
    fields: {
      step: "The number of the step in this process.",
      model: "The model, as provider:model.",
      tokens_in: "Tokens of the request, as the provider counts them.",
      tokens_out: "Tokens of the answer.",
      requests: "Requests sent for this step.",
      retries: "How many of them were retries.",
      tool_calls: "Tool calls in the answer.",
      finish: "Why the answer ended: stop, tool-calls, length, ...",
    },
  },
  "run.retried": {
    about: "The runner retried a step, because the provider was busy or broke the connection.",
    fields: {
      step: "The number of the step in this process.",
      attempt: "The number of the retry.",
      wait_ms: "Wait before the retry.",
      reason: "The provider's status, the system's error code, or broken off.",
    },
  },
  "run.ended": {
    about: "One spillway run ended.",
    fields: {
      how: "answered, cut, empty, interrupted, steps, tokens, time or failed.",
      error: "The error code, or null.",
      steps: "Model steps.",
      tool_calls: "Tool calls.",
      tokens_in: "Tokens of all requests.",
      tokens_out: "Tokens of all answers.",
      requests: "Requests sent.",
      retries: "Retried requests.",
      recoveries: "Requests made smaller.",
      artifacts: "Sources kept.",
      stubs: "Results replaced by a stub.",
      bytes_read: "Bytes of the sources read.",
      chars_given: "Characters of tool results sent to the model.",
    },
  },
  "run.summary": {
    about: "The counters of a process when it ended.",
    fields: {
      bytes_in: "Bytes fetched.",
      chars_extracted: "Characters extracted.",
      chars_out: "Characters of content returned.",
      replies: "Replies.",
      truncations: "Truncated replies.",
      utilization_avg: "Average share of the allowed characters used.",
    },
  },
};

/** A path may contain a person's name and a URL a secret, so an event names only the file or the origin. */
export function sourceName(given: string): SourceName {
  const scheme = /^\s*([a-z][a-z0-9+.-]+):/i.exec(given)?.[1]?.toLowerCase();
  if (scheme === "http" || scheme === "https") return URL.parse(given)?.origin ?? "invalid URL";
  // The rest of any other URL may contain a secret too.
  if (scheme !== undefined && scheme !== "file") return `${scheme}:`;
  // A URL without its scheme counts as a path.
  const path = redactUrl(given);
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
