/** How a failed recovery is told: in the provider's own error format with our fields added, or as an error to catch. */
import { overflowSentence } from "../../answer/overflow-reply.ts";
import type { OverflowReport } from "../../contract/overflow-report.ts";
import { SpillwayError } from "../../errors.ts";

/** Headers that tell client libraries not to send the same again. */
export const failureHeaders = { "x-spillway": "context_overflow", "x-should-retry": "false" } as const;

/** Tells a client that its request was accepted after it was made smaller. */
export function recoveredHeader(stubs: number): Readonly<Record<string, string>> {
  return { "x-spillway": stubs > 0 ? `recovered; stubs=${stubs}` : "recovered; output lowered" };
}

/** Tells a client that stubs were put into its request before it was sent. */
export function preparedHeader(stubs: number): Readonly<Record<string, string>> {
  return { "x-spillway": stubs > 0 ? `stubs=${stubs}` : "output lowered" };
}

/** The provider's error body with the report in it; one service puts its error in a list, and what is no JSON stays the text it was. */
export function failureBody(report: OverflowReport, providerBody: string): string {
  const { upstream: _, ...fields } = report;
  const body = jsonOf(providerBody);
  if (!Array.isArray(body)) return isObject(body) ? JSON.stringify(withReport(body, fields)) : providerBody;
  const [first, ...more] = body;
  return isObject(first) ? JSON.stringify([withReport(first, fields), ...more]) : providerBody;
}

/** What was read of a success that refuses: the event that does so has the report in it, and no other byte changes. */
export function failureStream(report: OverflowReport, held: readonly Uint8Array[], event: string): Buffer {
  const bytes = Buffer.concat(held);
  const [at, first, last] = [bytes.indexOf(event), event.indexOf("{"), event.lastIndexOf("}")];
  if (at < 0 || first < 0 || last < first) return bytes;
  const body = failureBody(report, event.slice(first, last + 1));
  const told = Buffer.from(`${event.slice(0, first)}${body}${event.slice(last + 1)}`);
  return Buffer.concat([bytes.subarray(0, at), told, bytes.subarray(at + Buffer.byteLength(event))]);
}

/** Beside the provider's own words, wherever its format has them. */
function withReport(body: Readonly<Record<string, unknown>>, fields: object): object {
  const { error, response } = body;
  if (isObject(error)) return { ...body, error: { ...error, spillway: fields } };
  const inResponse = isObject(response) && isObject(response.error);
  return inResponse ? { ...body, response: withReport(response, fields) } : { ...body, spillway: fields };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Some gateways answer with a page or a sentence.
  }
}

/** Thrown where there is no response to give: by the AI SDK middleware and the runner. */
export class ContextOverflowError extends SpillwayError {
  /** AI SDK and others ask this before they try again. */
  readonly isRetryable = false;
  readonly report: OverflowReport;

  constructor(report: OverflowReport, cause: unknown) {
    super("context_overflow", overflowSentence(report), { hint: report.hint, cause });
    this.report = report;
  }
}
