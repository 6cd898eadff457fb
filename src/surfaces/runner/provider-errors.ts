/** What a provider did not do, in one sentence with the next move; and which of it may pass by waiting. */
import { timeWords } from "../../answer/phrases.ts";
import { SpillwayError, systemCode } from "../../errors.ts";
import { classify } from "../../overflow/classify/classify.ts";
import { isOverflow } from "../../overflow/classify/verdict.ts";
import { type Fields, fieldsOf } from "../../overflow/dialects/dialect.ts";
import { ERROR_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import { ownKeyName, type Target } from "./providers.ts";

/** What is known about a failed request. */
export type Fault = {
  /** The provider's status; undefined where none came, or where a success broke off. */
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The system's code where no whole answer came. */
  readonly code: string | undefined;
  /** Whether the provider said it. What went wrong on our side says nothing about its limits. */
  readonly isSaid: boolean;
};

/** Reads what the AI SDK threw, or handed on as an error inside a stream. */
export function faultOf(thrown: unknown): Fault {
  const fields = { ...(typeof thrown === "object" ? thrown : {}) } as Fields;
  const { statusCode, responseBody, responseHeaders, data } = fields;
  const inside = typeof responseBody === "string" ? responseBody : (JSON.stringify(data) ?? messageOf(thrown));
  const status = typeof statusCode === "number" && statusCode >= 300 ? statusCode : undefined;
  return {
    status,
    body: inside,
    headers: stringsOf(responseHeaders),
    code: codeWithin(thrown),
    isSaid: status !== undefined || data !== undefined || !(thrown instanceof Error),
  };
}

/** The longest wait a provider may ask for is the caller's to set; undefined where waiting does not help. */
export function waitBefore(fault: Fault, attempt: number, longestMs: number): number | undefined {
  if (!mayPass(fault)) return undefined;
  const asked = askedWait(fault);
  if (asked !== undefined) return asked > longestMs ? undefined : asked;
  return Math.min(longestMs, firstWaitMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
}

const firstWaitMs = 500;
const passingStatuses: readonly number[] = [408, 409, 425, 429];
const passingCodes = /^(ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT)$/;

/** The words of quotas that are spent for a day or for good; a rate is spent for a minute. */
const spentQuota = /insufficient_quota|billing_(hard_limit|not_active)|credit balance is too low|PerDay/;

/** A spent quota and a request that is larger than a minute allows stay what they are, however long one waits. */
function mayPass(fault: Fault): boolean {
  const { status, body, headers, code, isSaid } = fault;
  if (headers["x-should-retry"] === "false" || spentQuota.test(body)) return false;
  if (!isSaid) return code === undefined ? isBrokenOff(body) : passingCodes.test(code);
  if (status === undefined) return isBusyEvent(body) && !isTooLarge(fault);
  const { subclass } = classify({ status, body });
  return (passingStatuses.includes(status) || status >= 500) && subclass === undefined && !isTooLarge(fault);
}

/** An error event as the first of a stream has no status but says what it is. */
const isBusyEvent = (body: string): boolean =>
  /overloaded|rate.?limit|server_error|unavailable|internal.?error|api_error/i.test(body);

/** A stream that ended before it was one. */
const isBrokenOff = (message: string): boolean => /without a finish|terminated|socket/i.test(message);

const isTooLarge = ({ status, body, isSaid }: Fault): boolean =>
  isSaid && isOverflow(classify({ status: status ?? null, body }));

/** One provider says in the body how long to wait. */
function askedWait({ headers, body }: Fault): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const asked = headers["retry-after"]?.trim() ?? /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1] ?? "";
  if (/^\d+(\.\d+)?$/.test(asked)) return Number(asked) * 1_000;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** What is known beside the fault itself. */
export type Circumstances = {
  readonly target: Target;
  /** Whether the first word had come. */
  readonly begun: boolean;
  /** Whether recovery is on. */
  readonly recovers: boolean;
};

/** The error a user reads. The key is taken out of whatever the provider said. */
export function providerError(fault: Fault, circumstances: Circumstances, cause: unknown): SpillwayError {
  const { target, begun, recovers } = circumstances;
  const { status, code, isSaid } = fault;
  const { provider, model } = target;
  const said = clip(
    withoutKey(saidIn(fault.body), target.key).replaceAll(/\s+/g, " ").trim() || "no reason given",
    ERROR_CHARS,
  );
  const reason = status === undefined ? said : `${status}: ${said}`;
  const unconnected = isSaid || begun ? undefined : (code ?? /^Cannot connect to API: (.*)$/.exec(said)?.[1]);
  if (unconnected !== undefined) return unreachable(target, unconnected, cause);
  if (isTooLarge(fault)) return tooLarge(said, recovers, cause);
  if (status === 401 || status === 403) return keyRefused(target, reason, cause);
  if (status === 404 || (isSaid && unknownModel.test(said))) {
    return new SpillwayError("model_unknown", `${provider} has no model ${JSON.stringify(model)} (${reason}).`, {
      hint: `Check the name after ${provider}: and, for an endpoint of your own, its address in runner.endpoints.`,
      cause,
    });
  }
  const answered = status === undefined ? `broke off: ${isSaid ? said : (code ?? said)}` : `answered ${reason}`;
  const waitMs = askedWait(fault) ?? 0;
  const when = waitMs < 5_000 ? "goes on from here" : `goes on from here, in ${timeWords(waitMs)} as it asks`;
  return new SpillwayError("provider_refused", `${provider} ${answered}`, {
    hint: `Nothing is lost: spillway run --resume ${when}.`,
    cause,
  });
}

const unknownModel = /model.{0,80}(not (exist|found|supported)|unknown)|(unknown|invalid|no such) model/i;

/** Providers repeat what they were sent, some of them as it stands in an address. */
function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < 4
    ? text
    : text.replaceAll(key, "***").replaceAll(encodeURIComponent(key), "***");
}

function unreachable({ provider, baseUrl }: Target, code: string, cause: unknown): SpillwayError {
  const place = baseUrl === undefined ? provider : `${provider} at ${new URL(baseUrl).host}`;
  return new SpillwayError("provider_unreachable", `${place} could not be reached (${code}).`, {
    hint: "Check the network and the address, then go on with spillway run --resume.",
    cause,
  });
}

function keyRefused({ provider, key }: Target, reason: string, cause: unknown): SpillwayError {
  if (key === undefined) {
    return new SpillwayError("key_missing", `${provider} wants a key (${reason}).`, {
      hint: `Set ${ownKeyName(provider)}, or name another variable in runner.keys (${provider}=$NAME).`,
      cause,
    });
  }
  return new SpillwayError("provider_refused", `${provider} does not accept the key (${reason}).`, {
    hint: "Check the key in the environment, and that it may use this model.",
    cause,
  });
}

/** Told without a report: recovery was not on, or could not look at it. */
function tooLarge(said: string, recovers: boolean, cause: unknown): SpillwayError {
  const first = recovers ? "Start" : "Set runner.enable_model_overflow_fallback=on, start";
  return new SpillwayError("context_overflow", `The model's provider refused the request for its size: ${said}`, {
    hint: `${first} a new run, or choose a model with a larger window.`,
    cause,
  });
}

/** The sentence inside an error body; a page of HTML is no sentence. */
function saidIn(body: string): string {
  const { error, message, response } = objectIn(body);
  const inner = error ?? fieldsOf(response).error;
  const said = typeof inner === "string" ? inner : (fieldsOf(inner).message ?? message ?? body);
  const text = String(said);
  return /^\s*</.test(text) ? text.replaceAll(/<[^>]*>/g, " ") : text;
}

/** One service puts its error into a list. */
function objectIn(body: string): Fields {
  try {
    const value: unknown = JSON.parse(body);
    return fieldsOf(Array.isArray(value) ? value[0] : value);
  } catch {
    return {}; // Some gateways answer with a page or a sentence.
  }
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf(value));
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), String(text)]));
}

const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : JSON.stringify(thrown)) ?? "";

/** The first system code down the chain of causes; providers have codes too, in small letters. */
function codeWithin(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < 6 && error instanceof Error; depth++) {
    const code = systemCode(error);
    if (code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return undefined;
}
