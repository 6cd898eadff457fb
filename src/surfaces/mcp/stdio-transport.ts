/** JSON-RPC over two streams, a message a line: what cannot be read is logged, and the last questions are answered. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

export type LineStreams = {
  readonly input: AsyncIterable<Uint8Array>;
  out(line: string): Promise<void>;
  log(sentence: string): void;
  readonly signal: AbortSignal;
};

/** A line longer than this is no message that anybody meant to send. */
const longestLineBytes = 16 * 1024 * 1024;

/** How long calls may go on after the input has ended: whoever pipes questions in wants their answers. */
const graceMs = 10_000;

/** A transport for the SDK, and a promise that is kept when the connection has ended. */
export function lineTransport(streams: LineStreams): Transport & { readonly ended: Promise<void> } {
  const unanswered = new Set<unknown>();
  let answered = () => {};
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  function receive(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) unanswered.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled") settle(message.params?.requestId);
    transport.onmessage?.(message);
  }

  /** Whoever sent a line that is too long waits for an answer; its id stands near the start, if it has one. */
  function refuse(start: string): void {
    const [, written] = /"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})/.exec(start) ?? [];
    if (written === undefined) return;
    const id: unknown = JSON.parse(written);
    const error = { code: -32600, message: `A message may have ${longestLineBytes} bytes.` };
    void streams.out(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  }

  function settle(id: unknown): void {
    unanswered.delete(id);
    if (unanswered.size === 0) answered();
  }

  async function read(): Promise<void> {
    try {
      for await (const line of linesOf(streams, refuse))
        for (const message of messagesIn(line, streams)) receive(message);
      if (unanswered.size > 0)
        await Promise.race([new Promise<void>((done) => (answered = done)), grace(streams.signal)]);
    } catch (error) {
      streams.log(`the input broke off: ${String(error)}`);
    } finally {
      await transport.close();
    }
  }

  const transport: Transport & { readonly ended: Promise<void> } = {
    ended,
    async start() {
      streams.signal.addEventListener("abort", () => void transport.close(), { once: true });
      void read();
    },
    async send(message) {
      await streams.out(`${JSON.stringify(message)}\n`);
      if (!("method" in message)) settle(message.id);
    },
    async close() {
      transport.onclose?.();
      end();
    },
  };
  return transport;
}

function grace(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, graceMs).unref();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

/** Whole lines; one that is too long is left out and told. */
async function* linesOf({ input, log }: LineStreams, refuse: (start: string) => void): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  const take = (): string | undefined => {
    const line = sizeBytes > longestLineBytes ? undefined : Buffer.concat(pieces).toString("utf8");
    if (line === undefined) {
      log(`a line of ${sizeBytes} bytes was left out: no message is that long`);
      refuse(Buffer.from(pieces[0] ?? []).toString("utf8", 0, 1_024));
    }
    [pieces, sizeBytes] = [[], 0];
    return line;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, at));
      start = at + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    add(chunk.subarray(start));
  }
  const last = take();
  if (last) yield last;

  function add(piece: Uint8Array): void {
    sizeBytes += piece.length;
    if (sizeBytes <= longestLineBytes) pieces.push(piece);
  }
}

const newline = 0x0a;

/** The messages of a line: one, or a batch of them as an older revision of the protocol had it. */
function messagesIn(line: string, { log }: LineStreams): JSONRPCMessage[] {
  if (line.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    const items = Array.isArray(value) ? value : [value];
    const messages = items.filter((item) => isMessage(item));
    if (messages.length < items.length)
      log(`${items.length - messages.length} items that are no JSON-RPC were left out`);
    return messages.map(kindly);
  } catch {
    log(`a line of ${line.length} characters that is not JSON was left out`);
    return [];
  }
}

/** Only the outermost form; the SDK judges the rest. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

/** Arguments of a tool in a form that the SDK lets through to callTool, which understands more of them. */
function kindly(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message) || message.method !== "tools/call" || !message.params) return message;
  const { arguments: given, ...params } = message.params;
  if (given === undefined || given === null) return { ...message, params };
  const parsed = typeof given === "string" ? parsedOrText(given) : given;
  const named = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return { ...message, params: { ...params, arguments: named ? parsed : { arguments: parsed } } };
}

function parsedOrText(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return text; // callTool names what it could not use.
  }
}
