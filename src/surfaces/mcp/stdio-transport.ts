/**
 * JSON-RPC over two streams, one message per line. Every request gets an answer; requests at work, requests that wait
 * and replies that the client has not read are limited.
 */
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from "@modelcontextprotocol/server";
import { explainInvalidParams } from "./invalid-params.ts";
import { createLineWriter } from "./line-writer.ts";
import { type ParsedItem, parseMessages } from "./parse-messages.ts";
import { type InputLine, MAX_LINE_BYTES, readLines } from "./read-lines.ts";
import { createRequestQueue, type QueueLimits } from "./request-queue.ts";

/** The streams of a connection. */
export type LineStreams = {
  readonly input: AsyncIterable<Uint8Array>;
  out(line: string): Promise<void>;
  log(sentence: string): void;
  readonly signal: AbortSignal;
};

/** How a connection ended: `unread` if the client had stopped reading, so that the last output cannot be delivered. */
export type ConnectionEnd = { readonly unread: boolean };

/** Clients send a few calls at a time. Each call may open files, connections and a parser. */
const queueLimits: QueueLimits = { calls: 32, others: 32, waiting: 10_000, waitingBytes: 2 * MAX_LINE_BYTES };

/** Lines that may wait for the client to read, beyond which refusals and notifications are dropped. */
const MAX_UNREAD_LINES = 1_000;

/** How long pending requests may run after the input has ended, so that piped requests get their answers. */
const MAX_DRAIN_SECONDS = 60;

/** They end earlier if no reply is written for this long. */
const MAX_QUIET_SECONDS = 10;

/** A client that has taken no line for this long does not read any more. */
const MAX_UNREAD_SECONDS = 3;

/** Creates a transport for the SDK. `ended` resolves when the connection has ended. */
export function createLineTransport(streams: LineStreams): Transport & { readonly ended: Promise<ConnectionEnd> } {
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<ConnectionEnd>();
  const writer = createLineWriter((line) => streams.out(line));
  const requests = createRequestQueue((request) => transport.onmessage?.(request), queueLimits);
  const stop = new AbortController();
  let [unread, hasLoggedDrop] = [false, false];

  function receive(line: InputLine): void {
    if ("text" in line) receiveItems(parseMessages(line.text), line.text.length);
    else refuseLongLine(line.sizeBytes, line.requests);
  }

  function refuseLongLine(sizeBytes: number, ids: readonly RequestId[]): void {
    streams.log(`skipped a line of ${sizeBytes} bytes: a message may have at most ${MAX_LINE_BYTES}`);
    for (const id of ids) refuse(id, -32600, `A message may have at most ${MAX_LINE_BYTES} bytes.`);
  }

  function receiveItems(items: readonly ParsedItem[], lineBytes: number): void {
    for (const item of items) receiveItem(item, lineBytes / items.length);
  }

  function receiveItem(item: ParsedItem, sizeBytes: number): void {
    if ("skipped" in item) streams.log(item.skipped);
    else if ("refused" in item) refuse(item.refused, item.code, item.reason);
    else if (isQueued(item.message)) receiveRequest(item.message, sizeBytes);
    else receiveOther(item.message);
  }

  function receiveRequest(request: JSONRPCRequest, sizeBytes: number): void {
    if (requests.add(request, sizeBytes)) return;
    refuse(request.id, -32000, "Too many requests wait for their turn. Read the replies, then send this one again.");
  }

  /** Notifications and responses are never held back: a waiting call may depend on them. */
  function receiveOther(message: JSONRPCMessage): void {
    const cancelledId = readCancelledId(message);
    // The SDK does not know a request that was not started.
    if (cancelledId !== undefined && requests.cancel(cancelledId)) return;
    transport.onmessage?.(message);
  }

  function refuse(id: RequestId, code: number, message: string): void {
    if (writer.waitingLines < MAX_UNREAD_LINES) return void write({ jsonrpc: "2.0", id, error: { code, message } });
    if (!hasLoggedDrop) streams.log("the client does not read its replies; further requests are dropped");
    hasLoggedDrop = true;
  }

  async function write(message: JSONRPCMessage): Promise<void> {
    try {
      await writer.write(`${JSON.stringify(message)}\n`);
    } catch {
      await transport.close(); // Nothing can be answered any more.
    }
  }

  async function read(): Promise<void> {
    try {
      for await (const line of readLines(streams.input)) receive(line);
      await drain();
    } catch (error) {
      streams.log(`reading the input failed: ${String(error)}`);
    } finally {
      await transport.close();
    }
  }

  /** Waits for pending requests, as long as the client reads their replies. */
  async function drain(): Promise<void> {
    let quietSeconds = 0;
    for (let second = 0; second < MAX_DRAIN_SECONDS && quietSeconds < MAX_QUIET_SECONDS; second++) {
      if (requests.isIdle || stop.signal.aborted) return;
      const { writtenLines } = writer;
      await Promise.race([requests.idle(), pause(1_000, stop.signal)]);
      quietSeconds = writer.writtenLines === writtenLines ? quietSeconds + 1 : 0;
      unread = writer.waitingLines > 0 && quietSeconds >= MAX_UNREAD_SECONDS;
      if (unread) return streams.log("the client stopped reading; its last replies are dropped");
    }
  }

  const transport: Transport & { readonly ended: Promise<ConnectionEnd> } = {
    ended,
    async start() {
      streams.signal.addEventListener("abort", () => void transport.close(), { once: true });
      void read();
    },
    async send(message) {
      const isNotification = "method" in message && !("id" in message);
      if (isNotification && writer.waitingLines >= MAX_UNREAD_LINES) return;
      await write(explainInvalidParams(message));
      if (!("method" in message) && message.id !== undefined) requests.finish(message.id);
    },
    async close() {
      stop.abort();
      transport.onclose?.();
      resolveEnded({ unread });
    },
  };
  return transport;
}

/** Resolves after this time or when the signal is aborted, whichever is first. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    const stop = () => {
      clearTimeout(timer);
      done();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** A subscription is answered when it ends, so it takes no place in the queue; the SDK limits their number. */
function isQueued(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && "id" in message && message.method !== "subscriptions/listen";
}

function readCancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
