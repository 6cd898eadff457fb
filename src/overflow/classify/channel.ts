/** Finds the error or the finish reason in a provider's response. Text that a model or a tool wrote is never read. */
import { type Report, readReport } from "./reports.ts";

/** An HTTP response; the body as text, or parsed. */
export type ProviderResponse = {
  readonly status?: number | null;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
};

/** Where a response says something about sizes: in an error, in the finish reason of a success, or nowhere. */
export type Channel =
  | { readonly kind: "error"; readonly status: number | undefined; readonly report: Report }
  | { readonly kind: "finish"; readonly finish: Finish }
  | { readonly kind: "none" };

/** How a successful response ended. `window` and `empty` mean that the input left no room for output. */
export type Finish = "window" | "empty" | "output" | "done";

/** A response with an error status is an error; a successful one only if its body is written as an error. */
export function findChannel({ status, headers, body }: ProviderResponse): Channel {
  if (status === null || status === undefined) return errorChannel(undefined, body);
  if (status >= 400) return errorChannel(status, body, headers?.["x-amzn-errortype"]);
  return frameChannel(typeof body === "string" ? parseFrames(body) : [body], body);
}

/** The channel of one stream event, given as the text of an SSE frame or parsed. */
export function findEventChannel(event: unknown): Channel {
  return frameChannel(typeof event === "string" ? parseFrames(event) : [event], event);
}

/** AWS names the error in a header, followed by a colon and an address. */
function errorChannel(status: number | undefined, body: unknown, errorType = ""): Channel {
  const report = readReport(body);
  const [code = ""] = errorType.split(":");
  return { kind: "error", status, report: code === "" ? report : { ...report, codes: [code, ...report.codes] } };
}

function frameChannel(frames: readonly unknown[], body: unknown): Channel {
  const error = frames.find(isErrorFrame);
  if (error !== undefined) return errorChannel(undefined, error);
  if (typeof body === "string" && frames.length === 0 && isErrorProse(body)) return errorChannel(undefined, body);
  const finish = frames.map(readFinish).find((one) => one !== "done");
  if (finish !== undefined) return { kind: "finish", finish };
  return { kind: "none" };
}

/** The JSON of a whole body or of the lines of an SSE text; nothing for other text. One server names errors `error:`. */
export function parseFrames(text: string): unknown[] {
  // A failed parse costs more than everything else done for an event.
  const whole = /^\s*[{[]/.test(text) ? parseObject(text) : undefined;
  if (whole !== undefined) return [whole];
  return text.split(/\r?\n/).flatMap((line) => {
    const [, field, json = ""] = /^(data|error):(.*)/.exec(line) ?? [];
    const value = field === undefined ? undefined : parseObject(json);
    if (value === undefined) return [];
    return [field === "error" ? { error: value } : value];
  });
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // Not JSON: an SSE text or prose.
  }
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** `{"error": ...}`, `type: "error"`, `response.failed`, an envelope, or an exception's name as in AWS event streams. */
function isErrorFrame(frame: unknown): boolean {
  if (Array.isArray(frame)) return frame.length > 0 && frame.every(isErrorFrame);
  const { error, type, response } = fieldsOf(frame);
  if (error !== undefined && error !== null && error !== false && error !== "") return true;
  if (type === "error" || type === "response.failed" || type === "response.error") return true;
  if (fieldsOf(response).status === "failed") return true;
  const keys = Object.keys(fieldsOf(frame));
  return keys.some((key) => /exception$/i.test(key)) || isBareMessage(frame, keys) || isErrorEnvelope(frame, keys);
}

const outputKey = /^(choices|candidates|content|delta|output|result|text|item)$/i;
const envelopeCodeKey = /^(?:err(?:or)?_?|status_?)?code$/i;
const envelopeMessageKey = /^(?:err(?:or)?_?|status_?)?(?:msg|message)$/i;

/** `{"base_resp": {"status_code": 2013, "status_msg": ...}}`: a number other than success beside a message, and no output. */
function isErrorEnvelope(frame: unknown, keys: readonly string[]): boolean {
  const fields = fieldsOf(frame);
  if (keys.some((key) => outputKey.test(key) && fields[key])) return false;
  return [frame, ...Object.values(fields)].some((part) => {
    const entries = Object.entries(fieldsOf(part));
    const hasMessage = entries.some(
      ([key, value]) => envelopeMessageKey.test(key) && value && typeof value === "string",
    );
    return hasMessage && entries.some(([key, value]) => envelopeCodeKey.test(key) && isFailureNumber(value));
  });
}

function isFailureNumber(value: unknown): boolean {
  const isNumeric = typeof value === "number" || (typeof value === "string" && /^-?\d+$/.test(value));
  return isNumeric && !successNumbers.includes(Number(value));
}

const successNumbers: readonly number[] = [0, 200];

/** `{"message": "Too many tokens"}` and nothing else: no successful response looks like this. */
function isBareMessage(frame: unknown, keys: readonly string[]): boolean {
  const errorKey = /^(message|code|status|name|detail|request_?id)$/i;
  return typeof fieldsOf(frame).message === "string" && keys.every((key) => errorKey.test(key));
}

/** The forms in which client libraries report an error inside a stream. */
function isErrorProse(text: string): boolean {
  return /^\S*EventStreamError\b|an error occurred \(\w+exception\) when calling|stop.?reason: \w+_exceeded/i.test(
    text,
  );
}

/** How a successful response ended, in any dialect. */
export function readFinish(frame: unknown): Finish {
  const fields = fieldsOf(frame);
  const [choice, candidate] = [fieldsOf(firstOf(fields.choices)), fieldsOf(firstOf(fields.candidates))];
  const reasons = [
    fields.stop_reason,
    fieldsOf(fields.delta).stop_reason,
    choice.finish_reason,
    candidate.finishReason,
    fields.done_reason,
    fieldsOf(fields.incomplete_details).reason,
    fieldsOf(fieldsOf(fields.response).incomplete_details).reason,
  ].filter((reason) => typeof reason === "string");
  if (reasons.some((reason) => /context_window|context_length/i.test(reason))) return "window";
  if (!reasons.some((reason) => /^(length|max_tokens|max_output_tokens)$/i.test(reason))) return "done";
  return isEmptyOutput(choice, fields) ? "empty" : "output";
}

/** A truncated response without output: the input filled the window. Tool calls and reasoning count as output. */
function isEmptyOutput(choice: Fields, { usage, response, done_reason }: Fields): boolean {
  const outputTokens = fieldsOf(usage).completion_tokens ?? fieldsOf(usage).output_tokens;
  if (typeof outputTokens === "number") return outputTokens === 0;
  const message = fieldsOf(choice.message);
  if (message.tool_calls || message.reasoning_content || message.reasoning) return false;
  const text = choice.text ?? message.content ?? (done_reason === undefined ? undefined : response);
  return text === "";
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
