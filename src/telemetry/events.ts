/**
 * The closed list of events. Each tells what was decided and how large things were, never what they said: no document
 * text, no query strings, no search text, no credentials. docs/events.md is made from the table below.
 */

/** What an event says of where something came from: a file's name or a URL's origin, nothing more. */
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
  "artifact.read": {
    artifact_ref: string;
    selector: string;
    returned_chars: number;
    total_chars: number;
    limit_chars: number;
    bound: string;
    truncated: boolean;
  };
  "artifact.swept": { artifact_ref: string; reason: string; size_bytes: number };
  "tool.called": {
    tool: string;
    client: string | null;
    text_chars: number;
    structured_chars: number;
    limit_chars: number;
    bound: string;
    duration_ms: number;
    error: string | null;
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

/** An event as it stands in the log. */
export type LoggedEvent = { readonly at: string; readonly run: string } & Event;

export type Emit = (event: Event) => void;

type EventRows = {
  readonly [E in EventName]: {
    readonly about: string;
    readonly fields: { readonly [F in keyof EventFields[E]]: string };
  };
};

const ref = "The artifact's handle, or null when it could not be kept.";
const source = "The file's name or the URL's origin.";
const limit = "Characters the reply was allowed.";
const dialect = "The request format: openai-chat, openai-responses, anthropic-messages, gemini or ai-sdk.";
const overflowClass = "What was too much: context_tokens, request_bytes, attachment_limit, output_limit, ...";
const bytesBefore = "Bytes of the request before.";
const bytesAfter = "Bytes of the request after.";
const stubs = "Handles of what was set aside.";
const bound = "What set that number: default, request, client, turn, ...";

export const eventRows: EventRows = {
  "ingest.classified": {
    about: "The kind of a source was decided. Answers why something was treated as binary.",
    fields: {
      artifact_ref: ref,
      source,
      content_kind: "The kind that was decided.",
      media_type: "The media type that was decided.",
      decided_by: "The signal that decided: mime, magic, extension, content or fallback.",
      signals: "All signals that were seen, with notes on disagreement.",
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
      truncated: "Whether the reply holds less than the source.",
      source_truncated: "Whether the source itself was larger than what is kept.",
      status_code: "The status the server answered with, or null for what is no URL.",
      cached: "Whether it was fetched before and answered from that.",
      duration_ms: "Wall time from opening the source to the answer.",
      error: "Why no text could be read, or null.",
    },
  },
  "ingest.failed": {
    about: "A source could not be fetched at all.",
    fields: { source, code: "The error's code." },
  },
  "ingest.shadowed": {
    about: "With the ingest router in shadow: what would have read this source if it were on.",
    fields: { artifact_ref: ref, content_kind: "The kind of the source.", handler: "The handler that stood by." },
  },
  "store.unavailable": {
    about: "The store could not be written: an artifact was not kept, or a sweep did not happen.",
    fields: { code: "The system's error code." },
  },
  "artifact.read": {
    about: "A kept artifact was read.",
    fields: {
      artifact_ref: "The artifact's handle.",
      selector: "How the part was chosen: offset, lines, pages, section or query.",
      returned_chars: "Characters of content in the reply.",
      total_chars: "Characters extracted from the artifact.",
      limit_chars: limit,
      bound,
      truncated: "Whether the reply holds less than was asked for.",
    },
  },
  "artifact.swept": {
    about: "An artifact was removed and left a tombstone.",
    fields: {
      artifact_ref: "The artifact's handle.",
      reason: "age, count, bytes or removed.",
      size_bytes: "Bytes of the artifact.",
    },
  },
  "tool.called": {
    about: "A tool was called and answered, by whatever surface.",
    fields: {
      tool: "The tool's name.",
      client: "The client profile the reply was fitted to, or null.",
      text_chars: "Characters of the reply's text.",
      structured_chars: "Characters of the reply's structured content, serialized.",
      limit_chars: limit,
      bound,
      duration_ms: "Wall time of the call.",
      error: "The error's code, or null.",
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
      original_count: "Results found, at most as many as were asked for.",
      actual_chars: "Characters of the serialized reply.",
      limit_chars: limit,
      truncated: "Whether results were left out to stay inside the budget.",
      duration_ms: "Wall time of the search.",
      indexing: "Whether the index was still being made.",
    },
  },
  "index.completed": {
    about: "A run of the code indexer ended.",
    fields: {
      status: "completed, partial or failed.",
      files_indexed: "New and changed files.",
      files_removed: "Files that are gone.",
      files_skipped: "Files passed over.",
      duration_ms: "Wall time of the run.",
    },
  },
  "index.swept": {
    about: "A search index was removed: its folder is gone and nobody has used it for long.",
    fields: { size_bytes: "Bytes of the index." },
  },
  "overflow.classified": {
    about: "A provider refused a request.",
    fields: {
      dialect,
      status: "The HTTP status, or null where there was none.",
      class: overflowClass,
      confidence: "How sure the classification is, from 0 to 1.",
      limit: "The limit the answer names, or null.",
      actual: "The size the answer names, or null.",
      unit: "What both are counted in, or null.",
    },
  },
  "overflow.recovered": {
    about: "A request that was too large was made smaller and accepted, or made smaller before it was sent.",
    fields: {
      dialect,
      class: overflowClass,
      attempts: "Requests sent upstream until then; 0 when it was made smaller before the first.",
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
      stubs,
      clamped: "Whether the room for the answer was lowered.",
    },
  },
  "overflow.repeated": {
    about: "Stubs of earlier requests of a conversation were put in place again before a request was sent.",
    fields: {
      dialect,
      stubs: "How many.",
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
    },
  },
  "overflow.failed": {
    about: "A request that was too large could not be made to fit.",
    fields: {
      dialect,
      class: overflowClass,
      reason: "server_state, nothing_to_shed, not_kept, does_not_fit or refused_again.",
      attempts: "Requests sent upstream.",
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
      stubs,
    },
  },
  "overflow.skipped": {
    about: "A refusal was handed on as it came.",
    fields: {
      dialect,
      class: overflowClass,
      reason: "The class that is never rewritten, or shadow.",
      stubs: "With shadow: how many parts would have been set aside.",
      clamped: "With shadow: whether the room for the answer would have been lowered.",
    },
  },
  "run.step": {
    about: "The runner asked its model once and got an answer.",
    fields: {
      step: "The number of the step in this call of the runner.",
      model: "The model, as provider:model.",
      tokens_in: "Tokens of the request, as the provider counts them.",
      tokens_out: "Tokens of the answer.",
      requests: "Requests that were sent for it.",
      retries: "How many of them were sent because the provider was busy or broke off.",
      tool_calls: "Tools the model called in its answer.",
      finish: "Why the answer ended: stop, tool-calls, length, ...",
    },
  },
  "run.retried": {
    about: "The runner asked its model again, because the provider was busy or broke off.",
    fields: {
      step: "The number of the step in this call of the runner.",
      attempt: "How often the step has been asked again, this time included.",
      wait_ms: "How long it waited before.",
      reason: "The provider's status, the system's code, or broken off.",
    },
  },
  "run.ended": {
    about: "One call of the runner came to its end.",
    fields: {
      how: "answered, cut, empty, interrupted, steps, tokens, time or failed.",
      error: "The code of what went wrong, or null.",
      steps: "Times the model was asked.",
      tool_calls: "Tools that were called.",
      tokens_in: "Tokens of all requests.",
      tokens_out: "Tokens of all answers.",
      requests: "Requests that were sent.",
      retries: "Requests that were sent because the provider was busy or broke off.",
      recoveries: "Requests that were made smaller.",
      artifacts: "Sources that were kept.",
      stubs: "Results that were set aside and replaced by a stub.",
      bytes_read: "Bytes of the sources that were read.",
      chars_given: "Characters of tool results that were given to the model.",
    },
  },
  "run.summary": {
    about: "The counters of a process when it ended.",
    fields: {
      bytes_in: "Bytes fetched.",
      chars_extracted: "Characters extracted.",
      chars_out: "Characters of content returned.",
      replies: "Replies given.",
      truncations: "Replies that held less than there was.",
      utilization_avg: "Average share of the allowed characters used.",
    },
  },
};

/** A path may hold a person's name and a URL a secret, so an event names only the file or the origin. */
export function sourceName(given: string): SourceName {
  const scheme = /^\s*([a-z][a-z0-9+.-]+):/i.exec(given)?.[1]?.toLowerCase();
  if (scheme === "http" || scheme === "https") return URL.parse(given)?.origin ?? "invalid URL";
  // Of other addresses too, what follows may hold a secret.
  if (scheme !== undefined && scheme !== "file") return `${scheme}:`;
  return given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1);
}
