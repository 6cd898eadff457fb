/** Reports a failed recovery: in the provider's own error format with our fields added, or as an error to catch. */
import { makeOverflowSentence } from "../../answer/overflow-reply.ts";
import type { OverflowReport } from "../../contract/overflow-report.ts";
import { SpillwayError } from "../../errors.ts";

/** Headers that make client libraries not retry. */
export const failureHeaders = { "x-spillway": "context_overflow", "x-should-retry": "false" } as const;

/** Says that a request was accepted after it was made smaller. */
export function makeRecoveredHeader(stubs: number): Readonly<Record<string, string>> {
  return { "x-spillway": stubs > 0 ? `recovered; stubs=${stubs}` : "recovered; output lowered" };
}

/** Says that a request was changed before it was sent. */
export function makePreparedHeader(stubs: number): Readonly<Record<string, string>> {
  return { "x-spillway": stubs > 0 ? `stubs=${stubs}` : "output lowered" };
}

/** The provider's error body with the report in it. One service wraps its error in a list. Text that is not JSON stays as it is. */
export function addReportToBody(report: OverflowReport, providerBody: string): string {
  const { upstream: _, ...fields } = report;
  const body = parseJson(providerBody);
  if (!Array.isArray(body)) return isObject(body) ? JSON.stringify(withReport(body, fields)) : providerBody;
  const [first, ...rest] = body;
  return isObject(first) ? JSON.stringify([withReport(first, fields), ...rest]) : providerBody;
}

/** The beginning of a stream with the report in the event that refuses. No other byte changes. */
export function addReportToStream(report: OverflowReport, chunks: readonly Uint8Array[], event: string): Buffer {
  const bytes = Buffer.concat(chunks);
  const [start, first, last] = [bytes.indexOf(event), event.indexOf("{"), event.lastIndexOf("}")];
  if (start < 0 || first < 0 || last < first) return bytes;
  const body = addReportToBody(report, event.slice(first, last + 1));
  const newEvent = Buffer.from(`${event.slice(0, first)}${body}${event.slice(last + 1)}`);
  return Buffer.concat([bytes.subarray(0, start), newEvent, bytes.subarray(start + Buffer.byteLength(event))]);
}

/** Beside the provider's own message, wherever its format has it. */
function withReport(body: Readonly<Record<string, unknown>>, fields: object): object {
  const { error, response } = body;
  if (isObject(error)) return { ...body, error: { ...error, spillway: fields } };
  const isInResponse = isObject(response) && isObject(response.error);
  return isInResponse ? { ...body, response: withReport(response, fields) } : { ...body, spillway: fields };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Some gateways answer with a page or a sentence.
  }
}

/** Thrown where there is no HTTP response to return: by the AI SDK middleware and the runner. */
export class ContextOverflowError extends SpillwayError {
  /** The AI SDK and others check this before they retry. */
  readonly isRetryable = false;
  readonly report: OverflowReport;

  constructor(report: OverflowReport, cause: unknown) {
    super("context_overflow", makeOverflowSentence(report), { hint: report.hint, cause });
    this.report = report;
  }
}
