/** Answers that are sent as they are made: when they have ended, and whether their client reads them. */
import type { ServerResponse } from "node:http";

/** A client that takes nothing for this long is disconnected, so that its answers do not pile up. */
const MAX_UNREAD_MS = 30_000;
const CHECK_MS = 5_000;

/** Resolves when the answer was sent or its client has left. A client that does not read is disconnected. */
export function waitForEnd(response: ServerResponse): Promise<void> {
  if (response.closed || response.destroyed) return Promise.resolve();
  const watch = setInterval(createReaderCheck(response), CHECK_MS);
  watch.unref();
  return new Promise((resolve) => {
    response.once("close", () => {
      clearInterval(watch);
      resolve();
    });
  });
}

/** Called at times, it ends an answer of which nothing has left although something waits. */
function createReaderCheck(response: ServerResponse): () => void {
  let sentBytes = -1;
  let stuckMs = 0;
  return () => {
    const { bytesWritten = 0 } = response.socket ?? {};
    const isStuck = response.writableNeedDrain && bytesWritten === sentBytes;
    stuckMs = isStuck ? stuckMs + CHECK_MS : 0;
    sentBytes = bytesWritten;
    if (stuckMs >= MAX_UNREAD_MS) response.destroy();
  };
}
