/** Buffers a body's chunks as they arrive, so that none is lost when the connection breaks afterwards. */
import type { Readable } from "node:stream";

/** How much is buffered before it is read; then the sender has to wait. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/**
 * Starts reading at once, because a stream that fails drops what it has buffered. The chunks can be read once; stopping
 * early closes the body.
 */
export function bufferBody(body: Readable): AsyncIterable<Uint8Array> {
  const pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let outcome: { readonly error: unknown } | "complete" | undefined;
  let wake: () => void = () => undefined;

  function end(result: NonNullable<typeof outcome>): void {
    outcome ??= result;
    wake();
  }

  body.on("data", (chunk: Uint8Array) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes >= MAX_BUFFERED_BYTES) body.pause();
    wake();
  });
  body.once("end", () => end("complete"));
  body.once("error", (error) => end({ error }));
  body.once("close", () => end({ error: Object.assign(new Error("The body was closed."), { code: "ECONNRESET" }) }));

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = pending.shift();
        if (chunk !== undefined) {
          pendingBytes -= chunk.length;
          if (pendingBytes < MAX_BUFFERED_BYTES) body.resume();
          yield chunk;
        } else if (outcome === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if (outcome === "complete") return;
        else throw outcome.error;
      }
    } finally {
      body.destroy();
    }
  }
  return chunks();
}
