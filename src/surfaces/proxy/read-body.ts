/** Reads the beginning of a body as it comes. Listeners instead of an iterator: this runs for every request. */
import type { IncomingMessage } from "node:http";

/** What was read, and whether that was all of it. */
export type Beginning = { readonly chunks: readonly Buffer[]; readonly ended: boolean };

/** Told each chunk and how many bytes there are with it. */
export type IsEnough = (chunk: Buffer, bytes: number) => boolean;

/** Reads until a chunk is enough or there are no more; what comes after it stays in the message, to be read on. */
export function readUntil(message: IncomingMessage, isEnough: IsEnough): Promise<Beginning> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (!isEnough(chunk, bytes)) return;
      message.pause();
      finish(false);
    };
    const onEnd = () => finish(true);
    const onError = (error: unknown) => {
      leave();
      fail(error);
    };

    function finish(ended: boolean): void {
      leave();
      done({ chunks, ended });
    }

    function leave(): void {
      message.off("data", onData).off("end", onEnd).off("error", onError);
    }

    message.on("data", onData).on("end", onEnd).on("error", onError);
  });
}
