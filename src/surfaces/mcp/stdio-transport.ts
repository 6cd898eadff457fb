/** JSON-RPC over two streams, one message per line. Unreadable lines are logged; pending calls are still answered. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/** The streams of a connection. */
export type LineStreams = {
  readonly input: AsyncIterable<Uint8Array>;
  out(line: string): Promise<void>;
  log(sentence: string): void;
  readonly signal: AbortSignal;
};

/** A longer line is an error of the client. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** How long pending calls may run after the input has ended, so that piped requests get their answers. */
const DRAIN_TIMEOUT_MS = 10_000;

/** Creates a transport for the SDK. `ended` resolves when the connection has ended. */
export function createLineTransport(streams: LineStreams): Transport & { readonly ended: Promise<void> } {
  const unanswered = new Set<unknown>();
  let onAllAnswered = () => {};
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });

  function receive(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) unanswered.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled") markAnswered(message.params?.requestId);
    transport.onmessage?.(message);
  }

  /** Answers a line that is too long with an error. Its id, if it has one, is near the start. */
  function rejectLongLine(start: string): void {
    const [, idText] = /"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})/.exec(start) ?? [];
    if (idText === undefined) return;
    const id: unknown = JSON.parse(idText);
    const error = { code: -32600, message: `A message may have at most ${MAX_LINE_BYTES} bytes.` };
    void streams.out(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  }

  function markAnswered(id: unknown): void {
    unanswered.delete(id);
    if (unanswered.size === 0) onAllAnswered();
  }

  async function read(): Promise<void> {
    try {
      for await (const line of splitLines(streams, rejectLongLine))
        for (const message of parseMessages(line, streams)) receive(message);
      if (unanswered.size > 0)
        await Promise.race([new Promise<void>((done) => (onAllAnswered = done)), drainTimeout(streams.signal)]);
    } catch (error) {
      streams.log(`reading the input failed: ${String(error)}`);
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
      if (!("method" in message)) markAnswered(message.id);
    },
    async close() {
      transport.onclose?.();
      resolveEnded();
    },
  };
  return transport;
}

function drainTimeout(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, DRAIN_TIMEOUT_MS).unref();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

/** Yields whole lines. A line that is too long is skipped and reported. */
async function* splitLines({ input, log }: LineStreams, onLongLine: (start: string) => void): AsyncGenerator<string> {
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const takeLine = (): string | undefined => {
    const line = sizeBytes > MAX_LINE_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
    if (line === undefined) {
      log(`skipped a line of ${sizeBytes} bytes: a message may have at most ${MAX_LINE_BYTES}`);
      onLongLine(Buffer.from(chunks[0] ?? []).toString("utf8", 0, 1_024));
    }
    [chunks, sizeBytes] = [[], 0];
    return line;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      addChunk(chunk.subarray(start, end));
      start = end + 1;
      const line = takeLine();
      if (line !== undefined) yield line;
    }
    addChunk(chunk.subarray(start));
  }
  const last = takeLine();
  if (last) yield last;

  function addChunk(chunk: Uint8Array): void {
    sizeBytes += chunk.length;
    if (sizeBytes <= MAX_LINE_BYTES) chunks.push(chunk);
  }
}

const NEWLINE = 0x0a;

/** The messages of a line: one, or a batch as in an older revision of the protocol. */
function parseMessages(line: string, { log }: LineStreams): JSONRPCMessage[] {
  if (line.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    const items = Array.isArray(value) ? value : [value];
    const messages = items.filter((item) => isMessage(item));
    if (messages.length < items.length) log(`skipped ${items.length - messages.length} items that are not JSON-RPC`);
    return messages.map(normalizeArguments);
  } catch {
    log(`skipped a line of ${line.length} characters that is not JSON`);
    return [];
  }
}

/** Checks the outermost form only; the SDK checks the rest. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

/** Brings the arguments of a tool into a form that the SDK passes to callTool, which accepts lenient input. */
function normalizeArguments(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message) || message.method !== "tools/call" || !message.params) return message;
  const { arguments: input, ...params } = message.params;
  if (input === undefined || input === null) return { ...message, params };
  const parsed = typeof input === "string" ? parseOrKeep(input) : input;
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return { ...message, params: { ...params, arguments: isObject ? parsed : { arguments: parsed } } };
}

function parseOrKeep(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return text; // callTool reports what it cannot use.
  }
}
