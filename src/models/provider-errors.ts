/** Turns provider failures into errors with a hint, and decides which may be retried. */
import { formatDuration } from "../answer/phrases.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import { classify } from "../overflow/classify/classify.ts";
import { isOverflow } from "../overflow/classify/verdict.ts";
import { type JsonFields, toFields } from "../overflow/dialects/dialect.ts";
import { ERROR_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { type ModelTarget, toKeyVariable } from "./providers.ts";

/** The facts about a failed request. */
type ProviderFailure = {
  /** The provider's status; undefined if none arrived or a successful response was interrupted. */
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The system's error code, if no complete response arrived. */
  readonly code: string | undefined;
  /** Whether the provider reported the failure. A failure on our side says nothing about its limits. */
  readonly isFromProvider: boolean;
};

/** Reads an error that the AI SDK threw or passed on from a stream. */
export function toProviderFailure(thrown: unknown): ProviderFailure {
  const fields = { ...(typeof thrown === "object" ? thrown : {}) } as JsonFields;
  const { statusCode, responseBody, responseHeaders, data } = fields;
  const body = typeof responseBody === "string" ? responseBody : (JSON.stringify(data) ?? messageOf(thrown));
  const status = typeof statusCode === "number" && statusCode >= 300 ? statusCode : undefined;
  return {
    status,
    body,
    headers: toLowerCaseHeaders(responseHeaders),
    code: findSystemCode(thrown),
    isFromProvider: status !== undefined || data !== undefined || !(thrown instanceof Error),
  };
}

/** The delay before the next attempt; undefined if waiting does not help or the provider asks for more than the maximum. */
export function findRetryDelayMs(failure: ProviderFailure, attempt: number, maxDelayMs: number): number | undefined {
  if (!isTransient(failure)) return undefined;
  const requestedMs = findRequestedDelayMs(failure);
  if (requestedMs !== undefined) return requestedMs > maxDelayMs ? undefined : requestedMs;
  return Math.min(maxDelayMs, FIRST_RETRY_DELAY_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
}

const FIRST_RETRY_DELAY_MS = 500;
const transientStatuses: readonly number[] = [408, 409, 425, 429];
const transientCodes = /^(ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT)$/;

/** Quotas that are spent for a day or permanently. A rate limit is over in a minute. */
const spentQuota = /insufficient_quota|billing_(hard_limit|not_active)|credit balance is too low|PerDay/;

/** Waiting helps neither with a spent quota nor with a request larger than a minute's allowance. */
function isTransient(failure: ProviderFailure): boolean {
  const { status, body, headers, code, isFromProvider } = failure;
  if (headers["x-should-retry"] === "false" || spentQuota.test(body)) return false;
  if (!isFromProvider) return code === undefined ? isInterrupted(body) : transientCodes.test(code);
  if (status === undefined) return isBusyEvent(body) && !isTooLarge(failure);
  const { subclass } = classify({ status, body });
  return (transientStatuses.includes(status) || status >= 500) && subclass === undefined && !isTooLarge(failure);
}

/** An error event at the start of a stream has no status, but its text names the problem. */
const isBusyEvent = (body: string): boolean =>
  /overloaded|rate.?limit|server_error|unavailable|internal.?error|api_error/i.test(body);

/** Whether a stream ended before its answer was complete. */
const isInterrupted = (message: string): boolean => /without a finish|terminated|socket/i.test(message);

const isTooLarge = ({ status, body, isFromProvider }: ProviderFailure): boolean =>
  isFromProvider && isOverflow(classify({ status: status ?? null, body }));

/** The delay that the provider asks for. One provider puts it into the body. */
function findRequestedDelayMs({ headers, body }: ProviderFailure): number | undefined {
  const exactMs = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exactMs)) return Math.max(0, exactMs);
  const retryAfter = headers["retry-after"]?.trim() ?? /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1] ?? "";
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** What is known besides the failure. */
export type FailureContext = {
  readonly target: ModelTarget;
  /** Whether the first word had arrived. */
  readonly hasStarted: boolean;
  /** Whether recovery is on. */
  readonly isRecoveryOn: boolean;
};

/** The error that a user reads. The key is removed from the provider's text. */
export function toProviderError(failure: ProviderFailure, context: FailureContext, cause: unknown): SpillwayError {
  const { target, hasStarted, isRecoveryOn } = context;
  const { status, code, isFromProvider } = failure;
  const { provider, model } = target;
  const message = clip(
    removeKey(findMessage(failure.body), target.key).replaceAll(/\s+/g, " ").trim() || "no reason given",
    ERROR_CHARS,
  );
  const reason = status === undefined ? message : `${status}: ${message}`;
  const connectionProblem =
    isFromProvider || hasStarted ? undefined : (code ?? /^Cannot connect to API: (.*)$/.exec(message)?.[1]);
  if (connectionProblem !== undefined) return unreachableError(target, connectionProblem, cause);
  if (isTooLarge(failure)) return tooLargeError(message, isRecoveryOn, cause);
  if (status === 401 || status === 403) return refusedKeyError(target, reason, cause);
  if (status === 404 || (isFromProvider && unknownModelPattern.test(message))) {
    return new SpillwayError("model_unknown", `${provider} has no model ${JSON.stringify(model)} (${reason}).`, {
      hint: `Check the name after ${provider}: and, for an endpoint of your own, its address in runner.endpoints.`,
      cause,
    });
  }
  const outcome =
    status === undefined ? `broke off: ${isFromProvider ? message : (code ?? message)}` : `answered ${reason}`;
  const delayMs = findRequestedDelayMs(failure) ?? 0;
  const wait = delayMs < 5_000 ? "" : ` The provider asks to wait ${formatDuration(delayMs)}.`;
  return new SpillwayError("provider_refused", `${provider} ${outcome}`, {
    hint: `Nothing is lost: spillway run --resume continues from here.${wait}`,
    cause,
  });
}

const unknownModelPattern = /model.{0,80}(not (exist|found|supported)|unknown)|(unknown|invalid|no such) model/i;

/** Providers repeat the key they were sent, some of them URL-encoded. */
function removeKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < 4
    ? text
    : text.replaceAll(key, "***").replaceAll(encodeURIComponent(key), "***");
}

function unreachableError({ provider, baseUrl }: ModelTarget, code: string, cause: unknown): SpillwayError {
  const place = baseUrl === undefined ? provider : `${provider} at ${new URL(baseUrl).host}`;
  return new SpillwayError("provider_unreachable", `${place} could not be reached (${code}).`, {
    hint: "Check the network and the address, then continue with spillway run --resume.",
    cause,
  });
}

function refusedKeyError({ provider, key }: ModelTarget, reason: string, cause: unknown): SpillwayError {
  if (key === undefined) {
    return new SpillwayError("key_missing", `${provider} needs a key (${reason}).`, {
      hint: `Set ${toKeyVariable(provider)}, or name another variable in runner.keys (${provider}=$NAME).`,
      cause,
    });
  }
  return new SpillwayError("provider_refused", `${provider} does not accept the key (${reason}).`, {
    hint: "Check the key in the environment, and that it may use this model.",
    cause,
  });
}

/** An overflow without a report: recovery was off, or could not inspect the response. */
function tooLargeError(message: string, isRecoveryOn: boolean, cause: unknown): SpillwayError {
  const opening = isRecoveryOn ? "Start" : "Set runner.enable_model_overflow_fallback=on, start";
  return new SpillwayError("context_overflow", `The model's provider refused the request for its size: ${message}`, {
    hint: `${opening} a new run, or choose a model with a larger window.`,
    cause,
  });
}

/** The message inside an error body, without HTML tags. */
function findMessage(body: string): string {
  const { error, message, response } = parseErrorObject(body);
  const inner = error ?? toFields(response).error;
  const text = typeof inner === "string" ? inner : String(toFields(inner).message ?? message ?? body);
  return /^\s*</.test(text) ? text.replaceAll(/<[^>]*>/g, " ") : text;
}

/** The object of an error body. One service wraps it in a list. */
function parseErrorObject(body: string): JsonFields {
  try {
    const value: unknown = JSON.parse(body);
    return toFields(Array.isArray(value) ? value[0] : value);
  } catch {
    return {}; // Some gateways send HTML or plain text.
  }
}

function toLowerCaseHeaders(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(toFields(value));
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), String(text)]));
}

const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : JSON.stringify(thrown)) ?? "";

/** The first system error code in the chain of causes. Codes of providers are in lower case. */
function findSystemCode(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < 6 && error instanceof Error; depth++) {
    const code = systemCode(error);
    if (code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return undefined;
}
