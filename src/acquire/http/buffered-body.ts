/** A body's chunks as they came in: nothing that arrived is lost when the connection breaks after it. */
import type { Readable } from "node:stream";

/** So much is taken in before somebody reads it; then the sender has to wait. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/**
 * Starts at once, for a stream that fails throws away what it still holds. The chunks can be read once; leaving them
 * early closes the body.
 */
export function bufferBody(body: Readable): AsyncIterable<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let ending: { readonly error: unknown } | "whole" | undefined;
  let wake: () => void = () => undefined;

  function end(how: NonNullable<typeof ending>): void {
    ending ??= how;
    wake();
  }

  body.on("data", (chunk: Uint8Array) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= MAX_BUFFERED_BYTES) body.pause();
    wake();
  });
  body.once("end", () => end("whole"));
  body.once("error", (error) => end({ error }));
  body.once("close", () => end({ error: Object.assign(new Error("The body was closed."), { code: "ECONNRESET" }) }));

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = waiting.shift();
        if (chunk !== undefined) {
          waitingBytes -= chunk.length;
          if (waitingBytes < MAX_BUFFERED_BYTES) body.resume();
          yield chunk;
        } else if (ending === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if (ending === "whole") return;
        else throw ending.error;
      }
    } finally {
      body.destroy();
    }
  }
  return chunks();
}
