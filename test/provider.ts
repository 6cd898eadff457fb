/**
 * A provider to test against: it counts with a real tokenizer, refuses what is over its window or its byte cap in the
 * words of a chosen provider, and refuses what is malformed as strictly as the real ones do. One for all dialects.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import tokenizer from "llama3-tokenizer-js";
import { signatureOf } from "./conversations.ts";
import { type Script, saidBy, saidStream } from "./scripted.ts";

/** What the simulator knows of a format is its own: it shares no code with what it is to judge. */
type Format = {
  readonly path: RegExp;
  /** The fields that ask for output. */
  readonly room: readonly (readonly string[])[];
  readonly sharesWindow: boolean;
};

const formats = {
  "openai-chat": {
    path: /\/v1\/chat\/completions$/,
    room: [["max_completion_tokens"], ["max_tokens"]],
    sharesWindow: true,
  },
  "openai-responses": { path: /\/v1\/responses$/, room: [["max_output_tokens"]], sharesWindow: true },
  "anthropic-messages": { path: /\/v1\/messages$/, room: [["max_tokens"]], sharesWindow: true },
  gemini: {
    path: /\/models\/[\w.-]+:(?:stream)?[gG]enerateContent$/,
    room: [["generationConfig", "maxOutputTokens"]],
    sharesWindow: false,
  },
  "ai-sdk": { path: /(?!)/, room: [["maxOutputTokens"]], sharesWindow: true },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

type Request = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function formatAt(pathname: string): FormatName | undefined {
  return (Object.keys(formats) as FormatName[]).find((name) => formats[name].path.test(pathname));
}

/** The output a request asks for; the most where it says so twice. */
export function outputOf(request: Request, name: FormatName): number {
  const asked = formats[name].room.map((path) => path.reduce<unknown>((value, key) => fieldsOf(value)[key], request));
  return Math.max(0, ...asked.filter((tokens) => typeof tokens === "number"));
}

export type Sizes = { readonly limit: number; readonly input: number; readonly output: number };

/** How a provider words a refusal. */
export type Wording = (sizes: Sizes) => { readonly status: number; readonly body: string };

const error = (status: number, fields: object) => ({ status, body: JSON.stringify({ error: fields }) });

/** Wordings with both numbers, with one, with none, and in unusual wrappings. */
export const wordings = {
  openai: ({ limit, input, output }) =>
    error(400, {
      message: `This model's maximum context length is ${limit} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    }),
  responses: () =>
    error(400, {
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
      code: "context_length_exceeded",
    }),
  anthropic: ({ limit, input, output }) => {
    const message =
      input > limit
        ? `prompt is too long: ${input} tokens > ${limit} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`;
    return {
      status: 400,
      body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" }),
    };
  },
  gemini: ({ limit, input }) =>
    error(400, {
      code: 400,
      message: `The input token count (${input}) exceeds the maximum number of tokens allowed (${limit}).`,
      status: "INVALID_ARGUMENT",
    }),
  moonshot: ({ limit, input, output }) =>
    error(400, {
      message: `Invalid request: Your request exceeded model token limit: ${limit} (requested: ${input + output})`,
      type: "invalid_request_error",
    }),
  bare: () => ({ status: 400, body: "Input is too long for requested model." }),
} satisfies Record<string, Wording>;

export type ProviderOptions = {
  readonly windowTokens?: number;
  readonly bodyBytes?: number;
  readonly wording?: Wording;
  /** How a body over the cap is refused. */
  readonly bytesWording?: (bytes: number, limit: number) => { readonly status: number; readonly body: string };
  /** Answers every request with this instead. */
  readonly always?: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> };
  /** Reports overflow inside a stream with status 200, after this many lifecycle events or content events. */
  readonly overflowInStream?: "first" | "after_content";
  /** What the model says to a request that is accepted; answers are streamed. */
  readonly script?: Script;
  /** Answers the request of this number, counted from 0, with this instead; undefined lets it pass. */
  readonly instead?: (index: number) => ProviderOptions["always"] | undefined;
};

export type Answer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly chunks: readonly string[];
};

/** What a provider was sent and what it said to it. */
export type Exchange = {
  readonly json: string;
  readonly headers: Record<string, string>;
  readonly status: number;
  /** What it was refused with. */
  readonly refusal?: string;
};

export type Provider = {
  readonly seen: Exchange[];
  /** The simulator as a `fetch`, without a socket. */
  readonly fetch: typeof globalThis.fetch;
  answer(pathname: string, json: string, headers?: Record<string, string>): Answer;
};

export function simulateProvider(options: ProviderOptions = {}): Provider {
  const seen: Exchange[] = [];

  function answer(pathname: string, json: string, headers: Record<string, string> = {}): Answer {
    const always = options.instead?.(seen.length) ?? options.always;
    const given = reply(pathname, json, { ...options, ...(always ? { always } : {}) }, seen.length);
    seen.push({
      json,
      headers,
      status: given.status,
      ...(given.status === 200 ? {} : { refusal: given.chunks.join("") }),
    });
    return given;
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

  return { seen, fetch, answer };
}

function bodyText(body: unknown): string {
  return typeof body === "string" ? body : Buffer.from(body as Uint8Array).toString("utf8");
}

/** The simulator behind a real socket; `delayMs` is the pause between the chunks of a stream. */
export async function serveProvider(options: ProviderOptions & { readonly delayMs?: number } = {}) {
  const provider = simulateProvider(options);
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync<Buffer>(request).catch(() => undefined);
    // A client that broke off wants no answer.
    if (chunks)
      await respond(provider, request, Buffer.concat(chunks).toString("utf8"), response, options.delayMs ?? 0);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    ...provider,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function respond(
  provider: Provider,
  request: IncomingMessage,
  json: string,
  response: ServerResponse,
  delayMs: number,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://sim");
  if (request.method !== "POST" || formatAt(pathname) === undefined) {
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
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
  }
  response.end();
}

function reply(pathname: string, json: string, options: ProviderOptions, turn: number): Answer {
  const type = { "content-type": "application/json" };
  if (options.always)
    return {
      status: options.always.status,
      headers: { ...type, ...options.always.headers },
      chunks: [options.always.body],
    };
  const dialect = formatAt(pathname);
  if (dialect === undefined) return { status: 404, headers: type, chunks: ['{"error":{"message":"no such path"}}'] };
  const refused = refusalOf(dialect, json, options);
  const streams = /"stream":\s*true|:streamGenerateContent$/.test(json.slice(-2_000) + json.slice(0, 2_000) + pathname);
  if (refused && !(streams && options.overflowInStream))
    return { status: refused.status, headers: type, chunks: [refused.body] };
  if (!streams) return { status: 200, headers: type, chunks: [JSON.stringify(success(dialect))] };
  const chunks =
    options.script && !refused
      ? scriptedStream(dialect, JSON.parse(json), options.script, turn)
      : streamOf(dialect, refused?.body, options);
  return { status: 200, headers: { "content-type": "text/event-stream" }, chunks };
}

function scriptedStream(format: FormatName, request: Request, script: Script, turn: number): string[] {
  const said = saidBy(script, request, format);
  const output = stringTokens(JSON.stringify(said));
  return saidStream(format, said, { input: tokensOf(request), output }, turn);
}

function refusalOf(
  dialect: FormatName,
  json: string,
  options: ProviderOptions,
): { status: number; body: string } | undefined {
  const { windowTokens = Infinity, bodyBytes = Infinity, wording = wordings.openai } = options;
  const { bytesWording = messageSize } = options;
  const bytes = Buffer.byteLength(json);
  if (bytes > bodyBytes) return bytesWording(bytes, bodyBytes);
  const request: Request = JSON.parse(json);
  const wrong = faultIn(dialect, request);
  if (wrong) return error(400, { message: wrong, type: "invalid_request_error" });
  const input = tokensOf(request);
  const output = outputOf(request, dialect);
  const over = input + (formats[dialect].sharesWindow ? output : 0) > windowTokens;
  return over ? wording({ limit: windowTokens, input, output }) : undefined;
}

/** The words Spillway was born from. */
export const messageSize = (bytes: number, limit: number) =>
  error(400, { message: `total message size ${bytes} exceeds limit ${limit}`, type: "invalid_request_error" });

const counted = new Map<string, number>();

/** Every string and key of the request, pictures at a fixed price. */
export function tokensOf(request: Request): number {
  let tokens = 0;
  const pending: unknown[] = [request];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") tokens += isDataUrl(value) ? pictureTokens : stringTokens(value);
    else if (isMedia(value)) tokens += pictureTokens;
    else if (typeof value === "object" && value !== null)
      pending.push(...Object.values(value), ...(Array.isArray(value) ? [] : Object.keys(value)));
    else tokens += 1;
  }
  return tokens;
}

const pictureTokens = 1_000;

const isDataUrl = (text: string): boolean => /^data:[\w/+.-]+;base64,/.test(text.slice(0, 100));

/** Bytes beside the name of their type, as all formats write what was attached. */
function isMedia(value: unknown): boolean {
  const { data, media_type, mimeType, mediaType } = fieldsOf(value);
  return typeof data === "string" && typeof (media_type ?? mimeType ?? mediaType) === "string";
}

function stringTokens(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = tokenizer.encode(text, { bos: false, eos: false }).length;
  if (counted.size < 20_000) counted.set(text, tokens);
  return tokens;
}

/** As complete as client libraries want it. */
function success(dialect: FormatName): object {
  const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
  if (dialect === "gemini") {
    return { candidates: [{ content: { role: "model", parts: [{ text: "done" }] }, finishReason: "STOP", index: 0 }] };
  }
  if (dialect === "anthropic-messages") {
    const content = [{ type: "text", text: "done" }];
    const counts = { input_tokens: 10, output_tokens: 1 };
    return { id: "msg_1", type: "message", role: "assistant", model, content, stop_reason: "end_turn", usage: counts };
  }
  if (dialect === "openai-responses") {
    const message = {
      type: "message",
      id: "m_1",
      role: "assistant",
      content: [{ type: "output_text", text: "done", annotations: [] }],
    };
    return { id: "resp_1", object: "response", created_at: 1, model, status: "completed", output: [message] };
  }
  const choice = { index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" };
  return { id: "chat_1", object: "chat.completion", created: 1, model, choices: [choice], usage };
}

const model = "sim-1";

const sse = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** A stream of a few events; a refusal comes first, or after some content. */
function streamOf(dialect: FormatName, refused: string | undefined, { overflowInStream }: ProviderOptions): string[] {
  const started =
    dialect === "openai-responses" ? [sse({ type: "response.created", response: { id: "resp_1" } })] : [": hello\n\n"];
  const content = ["one ", "two ", "three"].map((text) => sse(contentEvent(dialect, text)));
  if (refused === undefined) return [...started, ...content, "data: [DONE]\n\n"];
  const failure = `event: error\ndata: ${JSON.stringify(errorEvent(refused))}\n\n`;
  return overflowInStream === "first" ? [...started, failure] : [...started, ...content.slice(0, 1), failure];
}

function errorEvent(refused: string): object {
  try {
    return { type: "error", ...JSON.parse(refused) };
  } catch {
    return { type: "error", error: { message: refused } };
  }
}

function contentEvent(dialect: FormatName, text: string): object {
  if (dialect === "gemini") return { candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }] };
  if (dialect === "anthropic-messages")
    return { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
  if (dialect === "openai-responses")
    return { type: "response.output_text.delta", item_id: "m_1", output_index: 0, content_index: 0, delta: text };
  return {
    id: "chat_1",
    object: "chat.completion.chunk",
    created: 1,
    model,
    choices: [{ index: 0, delta: { content: text }, finish_reason: null }],
  };
}

/** What a strict provider finds wrong with a request, or undefined. */
export function faultIn(dialect: FormatName, request: Request): string | undefined {
  return faults[dialect](request);
}

type Fault = string | undefined;

const faults: Readonly<Record<FormatName, (request: Request) => Fault>> = {
  "openai-chat": ({ messages }) => {
    let waiting = new Set<unknown>();
    for (const message of itemsOf(messages).map(fieldsOf)) {
      const { role, tool_calls, tool_call_id, content } = message;
      if (role === "tool" && !waiting.delete(tool_call_id))
        return `messages with role 'tool' must follow their 'tool_calls': ${tool_call_id}`;
      if (role !== "tool" && waiting.size > 0)
        return `tool_call_ids did not have response messages: ${[...waiting].join()}`;
      if (
        role !== "assistant" &&
        (content === "" || content === null || (Array.isArray(content) && content.length === 0))
      )
        return "content must not be empty";
      if (Array.isArray(content) && content.some((part) => fieldsOf(part).text === ""))
        return "text content must not be empty";
      for (const call of itemsOf(tool_calls).map(fieldsOf))
        if (typeof fieldsOf(call.function).arguments !== "string") return "arguments must be a string";
      if (tool_calls) waiting = new Set(itemsOf(tool_calls).map((call) => fieldsOf(call).id));
    }
    return waiting.size > 0 ? `tool_call_ids did not have response messages: ${[...waiting].join()}` : undefined;
  },
  "openai-responses": ({ input }) => {
    const items = itemsOf(input).map(fieldsOf);
    const calls = new Set(items.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id));
    for (const [index, { type, call_id, encrypted_content, id, output }] of items.entries()) {
      if (type === "function_call_output" && !calls.delete(call_id))
        return `No tool call found for function call output with call_id ${call_id}.`;
      if (type === "function_call_output" && (output === "" || (Array.isArray(output) && output.length === 0)))
        return "output must not be empty";
      if (type === "reasoning" && encrypted_content !== signatureOf(String(id).slice(3).replace("_", ".")))
        return "The encrypted content could not be verified.";
      if (type === "reasoning" && items[index + 1]?.type !== "function_call")
        return "reasoning was provided without its required following item";
    }
    return calls.size > 0 ? `No tool output found for function call ${[...calls].join()}.` : undefined;
  },
  "anthropic-messages": ({ messages, system, max_tokens, thinking }) => {
    const all = itemsOf(messages).map(fieldsOf);
    const budget = fieldsOf(thinking).budget_tokens;
    if (typeof budget === "number" && Number(max_tokens) <= budget)
      return "`max_tokens` must be greater than `thinking.budget_tokens`";
    if (JSON.stringify([messages, system]).split('"cache_control"').length - 1 > 4)
      return "A maximum of 4 blocks with cache_control may be provided.";
    for (const [index, { role, content }] of all.entries()) {
      if (all[index - 1]?.role === role) return `messages.${index}: roles must alternate`;
      const blocks = itemsOf(content).map(fieldsOf);
      if (blocks.some(({ type, text }) => type === "text" && text === ""))
        return `messages.${index}: text content blocks must be non-empty`;
      if (
        blocks.some(
          ({ type, thinking: thought, signature }) => type === "thinking" && signature !== signatureOf(String(thought)),
        )
      )
        return "Invalid `signature` in `thinking` block";
      const used = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
      const next = itemsOf(all[index + 1]?.content).map(fieldsOf);
      const answered = next.slice(0, used.length).map(({ tool_use_id }) => tool_use_id);
      if (used.length > 0 && used.some((id) => !answered.includes(id)))
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
      const before = itemsOf(all[index - 1]?.content).map((block) => fieldsOf(block).id);
      if (blocks.some(({ type, tool_use_id }) => type === "tool_result" && !before.includes(tool_use_id)))
        return `messages.${index}: unexpected \`tool_use_id\``;
    }
    return undefined;
  },
  gemini: ({ contents }) => {
    const all = itemsOf(contents).map(fieldsOf);
    for (const [index, { parts }] of all.entries()) {
      const calls = itemsOf(parts)
        .map(fieldsOf)
        .filter(({ functionCall }) => functionCall);
      const [first] = calls;
      if (first && first.thoughtSignature !== signatureOf(JSON.stringify(fieldsOf(first.functionCall).args)))
        return "Function call is missing a thought_signature";
      const next = itemsOf(all[index + 1]?.parts).map((part) => fieldsOf(fieldsOf(part).functionResponse));
      if (calls.some(({ functionCall }, at) => next[at]?.name !== fieldsOf(functionCall).name))
        return "the number of function response parts must equal the function call parts";
      const responses = itemsOf(parts)
        .map((part) => fieldsOf(part).functionResponse)
        .filter(Boolean);
      if (responses.some((one) => Array.isArray(fieldsOf(one).response) || typeof fieldsOf(one).response !== "object"))
        return "response must be an object";
      if (itemsOf(parts).length === 0 || itemsOf(parts).some((part) => fieldsOf(part).text === ""))
        return "parts must not be empty";
    }
    return undefined;
  },
  "ai-sdk": ({ prompt }) => {
    const messages = itemsOf(prompt).map(fieldsOf);
    let waiting = new Set<unknown>();
    for (const { role, content } of messages) {
      const blocks = itemsOf(content).map(fieldsOf);
      if (role !== "tool" && waiting.size > 0) return `tool calls without results: ${[...waiting].join()}`;
      if (blocks.some(({ type, text }) => type === "text" && text === "")) return "text must not be empty";
      if (
        blocks.some(
          ({ type, text, providerOptions }) =>
            type === "reasoning" && fieldsOf(fieldsOf(providerOptions).sim).signature !== signatureOf(String(text)),
        )
      )
        return "reasoning was changed";
      for (const { type, toolCallId } of blocks)
        if (type === "tool-result" && !waiting.delete(toolCallId)) return `no call for result ${toolCallId}`;
      if (role === "assistant")
        waiting = new Set(blocks.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId));
    }
    return waiting.size > 0 ? "tool calls without results" : undefined;
  },
};
