/**
 * A provider to test against, for all dialects. It counts with a real tokenizer, refuses requests over its window or its
 * byte limit in the wording of a chosen provider, and refuses malformed requests as strictly as the real ones.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import tokenizer from "llama3-tokenizer-js";
import { type RequestBody, toFields } from "../src/overflow/dialects/dialect.ts";
import {
  type HttpSimulator,
  type RefusalWording,
  writeError,
  writeErrorEvent,
} from "../src/overflow/dialects/simulator.ts";
import { findHttpSimulator, findSimulator, httpSimulators } from "../src/overflow/dialects/simulators.ts";
import type { Script } from "./scripted.ts";

function simulatorAt(pathname: string): HttpSimulator | undefined {
  return httpSimulators.find(({ path }) => path.test(pathname));
}

/** The output that a request asks for, in tokens. */
export function countOutput(request: RequestBody, dialectName: string): number {
  return findSimulator(dialectName).countOutput(request);
}

/** What a strict provider finds wrong with a request, or undefined. */
export function findFault(dialectName: string, request: RequestBody): string | undefined {
  return findSimulator(dialectName).findFault(request);
}

/** Wordings with both numbers, with one, with none, and in unusual wrappings. */
export const wordings = {
  openai: findHttpSimulator("openai-chat").refuse,
  responses: findHttpSimulator("openai-responses").refuse,
  anthropic: findHttpSimulator("anthropic-messages").refuse,
  gemini: findHttpSimulator("gemini").refuse,
  moonshot: ({ limit, input, output }) =>
    writeError(400, {
      message: `Invalid request: Your request exceeded model token limit: ${limit} (requested: ${input + output})`,
      type: "invalid_request_error",
    }),
  bare: () => ({ status: 400, body: "Input is too long for requested model." }),
} satisfies Record<string, RefusalWording>;

export type ProviderOptions = {
  readonly windowTokens?: number;
  readonly bodyBytes?: number;
  readonly wording?: RefusalWording;
  /** How a body over the byte limit is refused. */
  readonly bytesWording?: (bytes: number, limit: number) => { readonly status: number; readonly body: string };
  /** Answers every request with this. */
  readonly always?: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> };
  /** Reports an overflow inside a stream with status 200: as its first event, or after content. */
  readonly overflowInStream?: "first" | "after_content";
  /** What the model answers in a stream to a request that is accepted. */
  readonly script?: Script;
  /** Answers the request with this index with something else; undefined leaves it to the simulator. */
  readonly instead?: (index: number) => ProviderOptions["always"] | undefined;
};

type SimulatedResponse = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly chunks: readonly string[];
};

/** A request that the provider got, and its response. */
export type Exchange = {
  readonly json: string;
  readonly headers: Record<string, string>;
  readonly status: number;
  /** The body of the refusal. */
  readonly refusal?: string;
};

export type Provider = {
  readonly exchanges: Exchange[];
  /** The simulator as a `fetch`, without a socket. */
  readonly fetch: typeof globalThis.fetch;
  answer(pathname: string, json: string, headers?: Record<string, string>): SimulatedResponse;
};

export function simulateProvider(options: ProviderOptions = {}): Provider {
  const exchanges: Exchange[] = [];

  function answer(pathname: string, json: string, headers: Record<string, string> = {}): SimulatedResponse {
    const always = options.instead?.(exchanges.length) ?? options.always;
    const response = reply(pathname, json, { ...options, ...(always ? { always } : {}) }, exchanges.length);
    exchanges.push({
      json,
      headers,
      status: response.status,
      ...(response.status === 200 ? {} : { refusal: response.chunks.join("") }),
    });
    return response;
  }

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { status, headers, chunks } = answer(
      new URL(String(input)).pathname,
      bodyText(init?.body),
      Object.fromEntries(new Headers(init?.headers)),
    );
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
        controller.close();
      },
    });
    return new Response(body, { status, headers });
  };

  return { exchanges, fetch, answer };
}

function bodyText(body: unknown): string {
  return typeof body === "string" ? body : Buffer.from(body as Uint8Array).toString("utf8");
}

export type ServedProviderOptions = ProviderOptions & {
  /** Called after each chunk of a stream; the next one waits for it. */
  readonly afterChunk?: (chunk: string) => Promise<void>;
};

/** The simulator behind a real socket. */
export async function serveProvider(options: ServedProviderOptions = {}) {
  const provider = simulateProvider(options);
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync<Buffer>(request).catch(() => undefined);
    // A client that disconnected gets no response.
    if (chunks) await respond(provider, request, Buffer.concat(chunks).toString("utf8"), response, options.afterChunk);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...provider,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(
  provider: Provider,
  request: IncomingMessage,
  json: string,
  response: ServerResponse,
  afterChunk: ServedProviderOptions["afterChunk"],
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://sim");
  if (request.method !== "POST" || simulatorAt(pathname) === undefined) {
    response.writeHead(200, {
      "content-type": "application/json",
      "x-echo": String(request.headers.authorization ?? ""),
    });
    response.end(JSON.stringify({ path: request.url, method: request.method, bytes: json.length }));
    return;
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const answer = provider.answer(pathname, json, headers);
  response.writeHead(answer.status, answer.headers);
  for (const chunk of answer.chunks) {
    response.write(chunk);
    await afterChunk?.(chunk);
  }
  response.end();
}

function reply(pathname: string, json: string, options: ProviderOptions, turn: number): SimulatedResponse {
  const type = { "content-type": "application/json" };
  if (options.always) {
    const { status, headers, body } = options.always;
    return { status, headers: { ...type, ...headers }, chunks: [body] };
  }
  const simulator = simulatorAt(pathname);
  if (simulator === undefined) return { status: 404, headers: type, chunks: ['{"error":{"message":"no such path"}}'] };
  const refusal = refusalOf(simulator, json, options);
  const streams = simulator.asksForStream(pathname, json);
  if (refusal && !(streams && options.overflowInStream))
    return { status: refusal.status, headers: type, chunks: [refusal.body] };
  if (!streams) return { status: 200, headers: type, chunks: [JSON.stringify(simulator.wholeAnswer)] };
  const chunks = refusal
    ? refusingStream(simulator, refusal.body, options)
    : answeringStream(simulator, JSON.parse(json), options.script, turn);
  return { status: 200, headers: { "content-type": "text/event-stream" }, chunks };
}

/** Three pieces of text where no script says what to answer. */
const streamedText = ["one", "two", "three"].map((word) => word.padEnd(40)).join("");

function answeringStream(
  { dialect, writeStream }: HttpSimulator,
  request: RequestBody,
  script: Script | undefined,
  turn: number,
): string[] {
  const answer = script?.(request, dialect) ?? { text: streamedText };
  const output = stringTokens(JSON.stringify(answer));
  return writeStream(answer, { input: countTokens(request), output }, turn);
}

/** A refusal as an event: the first after those with which a stream begins, or after some content. */
function refusingStream(
  { writeStream }: HttpSimulator,
  refusal: string,
  { overflowInStream }: ProviderOptions,
): string[] {
  const text = overflowInStream === "first" ? "" : "one";
  const beginning = writeStream({ text, ends: "in the middle" }, { input: 0, output: 0 }, 0);
  return [": hello\n\n", ...beginning, writeErrorEvent(refusal)];
}

function refusalOf(
  simulator: HttpSimulator,
  json: string,
  options: ProviderOptions,
): { readonly status: number; readonly body: string } | undefined {
  const { windowTokens = Infinity, bodyBytes = Infinity, wording = wordings.openai } = options;
  const { bytesWording = refuseMessageSize } = options;
  const bytes = Buffer.byteLength(json);
  if (bytes > bodyBytes) return bytesWording(bytes, bodyBytes);
  const request: RequestBody = JSON.parse(json);
  const fault = simulator.findFault(request);
  if (fault) return writeError(400, { message: fault, type: "invalid_request_error" });
  const input = countTokens(request);
  const output = simulator.countOutput(request);
  const isOver = input + (simulator.sharesWindow ? output : 0) > windowTokens;
  return isOver ? wording({ limit: windowTokens, input, output }) : undefined;
}

/** The refusal that Spillway was written for. */
export const refuseMessageSize = (bytes: number, limit: number) =>
  writeError(400, { message: `total message size ${bytes} exceeds limit ${limit}`, type: "invalid_request_error" });

const tokensByText = new Map<string, number>();

/** Counts every string and key of the request, and a fixed number for a picture. */
export function countTokens(request: RequestBody): number {
  let tokens = 0;
  const pending: unknown[] = [request];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") tokens += isDataUrl(value) ? PICTURE_TOKENS : stringTokens(value);
    else if (isMedia(value)) tokens += PICTURE_TOKENS;
    else if (typeof value === "object" && value !== null)
      pending.push(...Object.values(value), ...(Array.isArray(value) ? [] : Object.keys(value)));
    else tokens += 1;
  }
  return tokens;
}

const PICTURE_TOKENS = 1_000;

const isDataUrl = (text: string): boolean => /^data:[\w/+.-]+;base64,/.test(text.slice(0, 100));

/** Bytes beside the name of their type, as all formats write attachments. */
function isMedia(value: unknown): boolean {
  const { data, media_type, mimeType, mediaType } = toFields(value);
  return typeof data === "string" && typeof (media_type ?? mimeType ?? mediaType) === "string";
}

function stringTokens(text: string): number {
  const cached = tokensByText.get(text);
  if (cached !== undefined) return cached;
  const tokens = tokenizer.encode(text, { bos: false, eos: false }).length;
  if (tokensByText.size < 20_000) tokensByText.set(text, tokens);
  return tokens;
}
