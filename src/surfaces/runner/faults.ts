/** What a provider did not do, in one sentence with the next move; and which of it may pass by waiting. */
import type { OverflowReport } from "../../answer/overflow.ts";
import { SpillwayError, systemCode } from "../../errors.ts";
import { clipped } from "../../names.ts";
import { classify } from "../../overflow/classify.ts";
import { type Fields, fieldsOf } from "../../overflow/dialects/dialect.ts";
import { ContextOverflowError, failureHeaders } from "../../overflow/failure.ts";
import { isOverflow } from "../../overflow/verdict.ts";
import type { Target } from "./providers.ts";

/** What is known about a failed request. */
export type Fault = {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The system's code where no answer came at all. */
  readonly code: string | undefined;
};

/** Reads what the AI SDK threw, or handed on as an error inside a stream. */
export function faultOf(thrown: unknown): Fault {
  const fields = { ...(typeof thrown === "object" ? thrown : {}) } as Fields;
  const { statusCode, responseBody, responseHeaders, data } = fields;
  const inside = typeof responseBody === "string" ? responseBody : (JSON.stringify(data) ?? messageOf(thrown));
  return {
    status: typeof statusCode === "number" ? statusCode : undefined,
    body: inside,
    headers: stringsOf(responseHeaders),
    code: codeWithin(thrown),
  };
}

/** The longest wait a provider may ask for is the caller's to set; undefined where waiting does not help. */
export function waitBefore(fault: Fault, attempt: number, longestMs: number): number | undefined {
  if (!mayPass(fault)) return undefined;
  const waitMs = askedWait(fault.headers) ?? firstWaitMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  return waitMs > longestMs && askedWait(fault.headers) !== undefined ? undefined : Math.min(waitMs, longestMs);
}

const firstWaitMs = 500;
const passingStatuses: readonly number[] = [408, 409, 425, 429, 500, 502, 503, 504, 529];
const passingCodes = /^(ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT)$/;

/** A spent quota and a request that is larger than a minute allows stay what they are, however long one waits. */
function mayPass({ status, body, headers, code }: Fault): boolean {
  if (headers["x-should-retry"] === "false" || /insufficient_quota|billing/.test(body)) return false;
  if (status === undefined) return code === undefined ? isBusyEvent(body) : passingCodes.test(code);
  const verdict = classify({ status, body });
  return passingStatuses.includes(status) && verdict.subclass === undefined && !isOverflow(verdict);
}

/** An error event as the first of a stream has no status but says what it is. */
const isBusyEvent = (body: string): boolean =>
  /overloaded|rate.?limit|server_error|unavailable|internal.?error|api_error|terminated|socket/i.test(body) &&
  !isOverflow(classify({ status: null, body }));

function askedWait(headers: Fault["headers"]): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const asked = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(asked)) return Number(asked) * 1_000;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The error a user reads. The key is taken out of whatever the provider said. */
export function providerError(fault: Fault, target: Target, cause: unknown): SpillwayError {
  const { status, code } = fault;
  const { provider, model, key } = target;
  const said = clipped(key === undefined ? saidIn(fault.body) : saidIn(fault.body).replaceAll(key, "***"), 300);
  const report = reportIn(fault);
  if (report !== undefined) return new ContextOverflowError(report, cause);
  const unconnected = /^Cannot connect to API: (.*)$/.exec(said)?.[1];
  if (status === undefined && (code ?? unconnected) !== undefined) {
    return unreachable(target, code ?? unconnected ?? "", cause);
  }
  if (isOverflow(classify({ status: status ?? null, body: fault.body }))) return tooLarge(said, cause);
  if (status === 401 || status === 403) {
    return new SpillwayError("provider_refused", `${provider} does not accept the key (${status}: ${said}).`, {
      hint: "Check the key in the environment, and that it may use this model.",
      cause,
    });
  }
  if (
    status === 404 ||
    /model.{0,80}(not (exist|found|supported)|unknown)|(unknown|invalid|no such) model/i.test(said)
  ) {
    return new SpillwayError(
      "model_unknown",
      `${provider} has no model ${JSON.stringify(model)} (${status}: ${said}).`,
      {
        hint: `Check the name after ${provider}: and, for an endpoint of your own, its address in runner.endpoints.`,
        cause,
      },
    );
  }
  const answered = status === undefined ? "broke off" : `answered ${status}`;
  return new SpillwayError("provider_refused", `${provider} ${answered}: ${said}`, {
    hint: "Nothing is lost: spillway run --resume goes on from here.",
    cause,
  });
}

function unreachable({ provider, baseUrl }: Target, code: string, cause: unknown): SpillwayError {
  const place = baseUrl === undefined ? provider : `${provider} at ${new URL(baseUrl).host}`;
  return new SpillwayError("provider_unreachable", `${place} could not be reached (${code}).`, {
    hint: "Check the network and the address, then go on with spillway run --resume.",
    cause,
  });
}

function tooLarge(said: string, cause: unknown): SpillwayError {
  return new SpillwayError("context_overflow", `The model's provider refused the request for its size: ${said}`, {
    hint: "Set runner.enable_model_overflow_fallback=on, start a new run, or choose a model with a larger window.",
    cause,
  });
}

/** Recovery puts its report into the provider's error. */
function reportIn({ headers, body, status }: Fault): OverflowReport | undefined {
  if (headers["x-spillway"] !== failureHeaders["x-spillway"]) return undefined;
  const parsed = objectIn(body);
  const fields = fieldsOf(fieldsOf(parsed.error).spillway ?? parsed.spillway);
  // It is ours: written by failureBody from a report.
  return typeof fields.reason === "string"
    ? ({ ...fields, upstream: { status: status ?? null, body } } as OverflowReport)
    : undefined;
}

/** The sentence inside an error body; a page of HTML is no sentence. */
function saidIn(body: string): string {
  const { error, message } = objectIn(body);
  const said = typeof error === "string" ? error : (fieldsOf(error).message ?? message ?? body);
  const text = String(said);
  const plain = /^\s*</.test(text) ? text.replaceAll(/<[^>]*>/g, " ") : text;
  return plain.replaceAll(/\s+/g, " ").trim() || "no reason given";
}

function objectIn(body: string): Fields {
  try {
    return fieldsOf(JSON.parse(body));
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
