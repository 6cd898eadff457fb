/** Recovery as a `fetch`: for every SDK that takes one. A success is handed on as it came. */
import type { OverflowReport } from "../answer/overflow.ts";
import { openSession, type Session } from "../session.ts";
import { classify } from "./classify.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { dialectFor } from "./dialects/dialects.ts";
import { failureBody, failureHeaders } from "./failure.ts";
import { openRecovery } from "./open.ts";
import { type Outgoing, outgoingOf } from "./outgoing.ts";
import type { Recovery, Refusal } from "./recovery.ts";
import { firstLook } from "./stream.ts";
import { isOverflow } from "./verdict.ts";

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];
type Init = NonNullable<Parameters<Fetch>[1]>;

export type FetchRecoveryOptions = {
  /** Whose store, settings and log are used. Default: a session of this process, opened at the first request. */
  readonly session?: Pick<Session, "settings" | "store" | "emit">;
  /** Default: a recovery opened on the session. */
  readonly recovery?: Recovery;
};

/** A `fetch` that sends a request refused for its size once more, smaller. Everything else passes untouched. */
export function withOverflowRecovery(fetch: Fetch = globalThis.fetch, options: FetchRecoveryOptions = {}): Fetch {
  let opened = options.recovery ?? (options.session && openRecovery(options.session));
  return async (input, init) => {
    const call = init && callOf(input, init);
    if (call === undefined) return fetch(input, init);
    opened ??= openRecovery(await openSession());
    return opened.mode === "off" ? fetch(input, init) : recovering(fetch, call, opened);
  };
}

/** A request in a known dialect whose body can be read more than once. */
type Call = {
  readonly input: Input;
  readonly init: Init;
  readonly dialect: Dialect;
  readonly url: URL;
  readonly body: string | Uint8Array;
};

function callOf(input: Input, init: Init): Call | undefined {
  const { body, method = "GET" } = init;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  const address = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const dialect = dialectFor(method.toUpperCase(), url.pathname);
  return dialect && { input, init, dialect, url, body };
}

async function recovering(fetch: Fetch, call: Call, recovery: Recovery): Promise<Response> {
  const { input, init } = call;
  const prepared = recovery.mayPrepare() ? await prepare(call, recovery) : undefined;
  const first = await seen(await fetch(input, prepared ? withBody(init, prepared) : init));
  if (first.refusal === undefined) return first.response;
  const outgoing = prepared ?? readOutgoing(call);
  if (outgoing === undefined) return first.response;
  const remedy = await recovery.remedyFor(outgoing, first.refusal);
  if (remedy.do === "pass") return first.response;
  if (remedy.do === "fail") return failed(first, remedy.report);
  await first.discard?.();
  const second = await seen(await fetch(input, withNewKey(withBody(init, remedy.outgoing))));
  if (second.refusal && isOverflow(second.refusal.verdict)) {
    return failed(second, recovery.refusedAgain(second.refusal, remedy));
  }
  if (second.response.ok) recovery.recovered(outgoing, first.refusal.verdict, remedy);
  return marked(second.response, remedy.shedding.stubs.length);
}

function readOutgoing({ dialect, body, url }: Call): Outgoing | undefined {
  const json = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  return outgoingOf(dialect, json, url.host, url.pathname);
}

/** The request as it will be sent, or undefined when it is sent as it was given. */
async function prepare(call: Call, recovery: Recovery): Promise<Outgoing | undefined> {
  const given = readOutgoing(call);
  if (given === undefined) return undefined;
  const next = await recovery.prepare(given);
  return next === given ? undefined : next;
}

function withBody(init: Init, { json }: Outgoing): Init {
  const headers = new Headers(init.headers);
  headers.delete("content-length");
  return { ...init, headers, body: json ?? null };
}

/** A provider that remembers keys would answer the smaller request with the refusal of the first. */
function withNewKey(init: Init): Init {
  const headers = new Headers(init.headers);
  const key = headers.get("idempotency-key");
  if (key !== null) headers.set("idempotency-key", `${key}-smaller`);
  return { ...init, headers };
}

/** A response that can still be read in full, and the refusal it holds, if any. */
type Seen = { readonly response: Response; readonly refusal?: Refusal; readonly discard?: () => Promise<void> };

/** Only errors, the start of streams and small JSON answers are looked at. */
async function seen(response: Response): Promise<Seen> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) return seenError(response);
  if (type.startsWith("text/event-stream") && response.body) return seenStream(response, response.body);
  return type.includes("json") && response.body ? seenAnswer(response) : { response };
}

async function seenError(response: Response): Promise<Seen> {
  const body = await response.text();
  const { status, headers } = response;
  const verdict = classify({ status, headers: Object.fromEntries(headers), body });
  return { response: again(response, body), refusal: { verdict, status, body } };
}

/** An answer that was cut before its first token, or an error under status 200. */
async function seenAnswer(response: Response): Promise<Seen> {
  const body = await response.text();
  const copy = again(response, body);
  if (!/"(?:length|max_tokens|MAX_TOKENS|error|model_context_window_exceeded)"/.test(body)) return { response: copy };
  const { status } = response;
  const verdict = classify({ status, body });
  return isOverflow(verdict) ? { response: copy, refusal: { verdict, status, body } } : { response: copy };
}

async function seenStream(response: Response, stream: ReadableStream<Uint8Array>): Promise<Seen> {
  const reader = stream.getReader();
  const { look } = firstLook();
  const held: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) held.push(value);
    const found = value ? look(value) : ({ is: "fine" } as const);
    if (found.is === "open" && !done) continue;
    const copy = again(response, resumed(reader, held));
    if (found.is !== "refused") return { response: copy };
    const { verdict, body } = found;
    return { response: copy, refusal: { verdict, status: response.status, body }, discard: () => reader.cancel() };
  }
}

/** What was held, then the rest as it comes. */
function resumed(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  held: readonly Uint8Array[],
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        for (const chunk of held) controller.enqueue(chunk);
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The same answer with its body to be read again: the length and the encoding were those of the wire. */
function again(response: Response, body: string | ReadableStream<Uint8Array>): Response {
  const { status, statusText, url } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  const copy = new Response(hasNoBody(status) ? null : body, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}

const hasNoBody = (status: number): boolean => [204, 205, 304].includes(status);

/** The provider's own error with our fields in it; a stream that has begun stays what it is. */
function failed({ response, refusal, discard }: Seen, report: OverflowReport): Response {
  const copy = discard ? response : again(response, failureBody(report, String(refusal?.body)));
  for (const [name, value] of Object.entries(failureHeaders)) copy.headers.set(name, value);
  return copy;
}

/** The caller learns that its request was made smaller. */
function marked(response: Response, stubs: number): Response {
  const copy = response.body ? again(response, response.body) : response;
  copy.headers.set("x-spillway", stubs > 0 ? `recovered; stubs=${stubs}` : "recovered; output lowered");
  return copy;
}
