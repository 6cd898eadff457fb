/** Recovery as a `fetch`: for every SDK that takes one. A success is handed on as it came. */
import type { OverflowReport } from "../../answer/overflow-reply.ts";
import { openSession, type Session } from "../../session/session.ts";
import { classify } from "../classify/classify.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { dialectFor } from "../dialects/dialects.ts";
import { recoverExchange, type Sent } from "../exchange.ts";
import { openRecovery } from "../open-recovery.ts";
import type { Recovery } from "../recovery.ts";
import { failureBody, failureHeaders, failureStream, preparedHeader, recoveredHeader } from "./failure.ts";
import { type Outgoing, outgoingOf, textOfJson } from "./outgoing-request.ts";
import { firstLook, type Look } from "./refusal-scanner.ts";
import { inputTokensIn } from "./token-usage.ts";

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

/** A response, and where it refuses, the same with a report in it. */
type Answer = { readonly response: Response; readonly told?: (report: OverflowReport) => Response };

async function recovering(fetch: Fetch, call: Call, recovery: Recovery): Promise<Response> {
  const { input, init } = call;
  const ended = await recoverExchange<Answer>(recovery, {
    read: () => readOutgoing(call),
    send: async (instead) => seen(await fetch(input, instead ? withBody(init, instead) : init)),
    resend: async (smaller) => seen(await fetch(input, withNewKey(withBody(init, smaller)))),
  });
  const { response, told } = ended.answer;
  if (ended.how === "as_it_came") return response;
  if (ended.how === "failed") return marked(told?.(ended.report) ?? response, failureHeaders);
  return marked(response, ended.how === "prepared" ? preparedHeader(ended.stubs) : recoveredHeader(ended.stubs));
}

function readOutgoing({ input, init, dialect, body, url }: Call): Outgoing | undefined {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  const json = typeof body === "string" ? body : textOfJson(body);
  return json === undefined ? undefined : outgoingOf({ dialect, url, header: (name) => headers.get(name) }, json);
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

/** Only errors and the beginning of JSON and streams are looked at. */
async function seen(response: Response): Promise<Sent<Answer>> {
  if (!response.ok) return seenError(response);
  const looking = response.body ? firstLook(response.headers.get("content-type") ?? "") : undefined;
  if (looking === undefined || response.body === null) return { answer: { response }, accepted: true };
  return seenSuccess(response, response.body, looking);
}

async function seenError(response: Response): Promise<Sent<Answer>> {
  const body = await response.text();
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  const refusal = { verdict: classify({ status, headers, body }), status, body };
  const told = (report: OverflowReport) => again(response, failureBody(report, body));
  return { answer: { response: again(response, body), told }, accepted: false, refusal };
}

/** A refusal under status 200, or an answer that was cut before its first token. */
async function seenSuccess(
  response: Response,
  stream: ReadableStream<Uint8Array>,
  { look, end }: Look,
): Promise<Sent<Answer>> {
  const reader = stream.getReader();
  const held: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) held.push(value);
    const found = done ? end() : look(value);
    if (found.is === "open") continue;
    const opening = (first: readonly Uint8Array[]) =>
      again(response, done ? Buffer.concat(first) : resumed(reader, first));
    const answer = { response: opening(held) };
    if (found.is !== "refused") return { answer, accepted: true, inputTokens: () => inputTokensIn(held) };
    const { verdict, body } = found;
    const told = (report: OverflowReport) => opening([failureStream(report, held, body)]);
    const refusal = { verdict, status: response.status, body };
    return { answer: { ...answer, told }, accepted: false, refusal, discard: () => reader.cancel() };
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
function again(response: Response, body: string | Buffer | ReadableStream<Uint8Array> | null): Response {
  const { status, statusText, url } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  const copy = new Response(hasNoBody(status) ? null : body, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}

const hasNoBody = (status: number): boolean => [204, 205, 304].includes(status);

/** The caller learns what was done with its request. */
function marked(response: Response, headers: Readonly<Record<string, string>>): Response {
  const copy = again(response, response.body);
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value);
  return copy;
}
