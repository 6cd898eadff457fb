/** Reads the beginning of a body as it arrives. Uses listeners, which are faster than an iterator: it runs for every request. */
import type { IncomingMessage } from "node:http";

/** What was read, and whether that is the whole body. */
export type BodyStart = { readonly chunks: readonly Buffer[]; readonly isComplete: boolean };

/** Decides from each chunk, and the bytes read up to its end, whether to stop reading. */
type IsEnough = (chunk: Buffer, bytes: number) => boolean;

/** Reads until a chunk is enough or the body ends. The rest stays in the message, to be read later. */
export function readUntil(
  message: IncomingMessage,
  isEnough: IsEnough,
  { keepsChunks = true }: { readonly keepsChunks?: boolean } = {},
): Promise<BodyStart> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      if (keepsChunks) chunks.push(chunk);
      bytes += chunk.length;
      if (!isEnough(chunk, bytes)) return;
      message.pause();
      finish(false);
    };
    const onEnd = () => finish(true);
    const onError = (error: unknown) => {
      removeListeners();
      reject(error);
    };

    function finish(isComplete: boolean): void {
      removeListeners();
      resolve({ chunks, isComplete });
    }

    function removeListeners(): void {
      message.off("data", onData).off("end", onEnd).off("error", onError);
    }

    message.on("data", onData).on("end", onEnd).on("error", onError);
    // It was paused if its beginning has been read before.
    message.resume();
  });
}
