/** The one error type of Spillway: a stable code, a sentence that names the thing, a hint with the next step, the cause. */

export type ErrorCode =
  | "usage"
  | "config_invalid"
  | "artifact_not_found"
  | "artifact_expired"
  | "artifact_damaged"
  | "source_changed"
  | "response_not_found"
  | "url_invalid"
  | "source_not_found"
  | "source_refused"
  | "source_unreadable"
  | "source_truncated"
  | "http_status"
  | "network_refused"
  | "network_failed"
  | "network_timeout"
  | "response_invalid"
  | "store_unavailable"
  | "selector_invalid"
  | "place_not_found"
  | "entry_not_found"
  | "run_not_found"
  | "render_failed"
  | "context_overflow"
  | "search_invalid"
  | "project_not_found"
  | "project_invalid"
  | "repository_not_found"
  | "job_not_found"
  | "index_failed"
  | "key_missing"
  | "key_invalid"
  | "turn_full"
  | "reply_too_large"
  | "model_unknown"
  | "provider_refused"
  | "provider_unreachable"
  | "run_busy"
  | "client_config";

export type ErrorDetails = {
  /** The next step. A model will do exactly what it says. */
  readonly hint: string;
  readonly cause?: unknown;
};

export class SpillwayError extends Error {
  override readonly name = "SpillwayError";
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, sentence: string, details: ErrorDetails) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
  }

  /** The sentence and the hint: what a person or a model should read. */
  get advice(): string {
    return `${this.message} ${this.hint}`;
  }
}

/** Whether a write failed because the store is full, read-only, not ours or away. The rest of the work can continue without it. */
export function isUnwritable(error: unknown): boolean {
  return unwritableCodes.includes(systemCode(error) ?? "");
}

const unwritableCodes: readonly string[] = [
  "EROFS",
  "EACCES",
  "EPERM",
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
  "EIO",
  "ENOTDIR",
  "ENAMETOOLONG",
  "EHOSTUNREACH",
];

/** Why a folder cannot be written, as the end of a sentence that begins with it: `has no space left (ENOSPC)`. */
export function describeWriteFailure(error: unknown): string {
  const code = systemCode(error) ?? String(error);
  return ["ENOSPC", "EDQUOT"].includes(code) ? `has no space left (${code})` : `is not writable (${code})`;
}

/** The platform's error code (`ENOENT`, `EACCES`, ...), or undefined for any other thrown value. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
