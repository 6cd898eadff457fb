/** Answers a request before its body was read, so that clients that send all of it before they read get the answer too. */
import type { IncomingMessage, ServerResponse } from "node:http";

export type EarlyAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** How much of a body is discarded, and how long its next bytes may take. */
export type DiscardLimits = { readonly maxBytes: number; readonly maxIdleMs: number };

/** As a whole, a request may take as long as its server allows. */
const DISCARD_LIMITS: DiscardLimits = { maxBytes: 64 * 1024 * 1024, maxIdleMs: 5_000 };

/**
 * Sends the whole answer at once and ends it after the request. If a socket is closed while bytes wait in it, the
 * system resets the connection, and a client that is still sending loses the answer.
 */
export function answerEarly(
  response: ServerResponse,
  { status, headers, body }: EarlyAnswer,
  limits: DiscardLimits = DISCARD_LIMITS,
): void {
  const { req: request } = response;
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  if (request.complete || request.destroyed) {
    response.end(body);
    return;
  }
  response.write(body);
  discardBody(request, limits, () => response.end());
}

/** Calls `onDone` when the request has ended or a limit is reached. */
function discardBody(request: IncomingMessage, { maxBytes, maxIdleMs }: DiscardLimits, onDone: () => void): void {
  let sizeBytes = 0;
  const finish = () => {
    clearTimeout(timer);
    request.off("data", discard).off("end", finish).off("close", finish);
    onDone();
  };
  const discard = (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) finish();
    else timer.refresh();
  };
  const timer = setTimeout(finish, maxIdleMs);
  timer.unref();
  request.on("data", discard).on("end", finish).on("close", finish);
  // It was paused if its beginning has been read before.
  request.resume();
}
