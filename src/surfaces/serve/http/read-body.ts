/** Reads the body of a request up to a limit, as text that is valid UTF-8. */
import type { IncomingMessage } from "node:http";
import { formatSize } from "../../../system/quantities.ts";
import type { Refusal } from "../refusal.ts";

export type ReadBody = { readonly text: string } | { readonly refusal: Refusal };

/** The bytes of bodies that are in memory, of all requests. */
export type HeldBytes = { current: number };

/** Above this, further bodies are refused. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

export type BodyReader = Disposable & {
  /** A declared length above the limit is refused before anything is read. */
  read(request: IncomingMessage): Promise<ReadBody>;
};

/** Reads one body. It counts as held until the reader is disposed. */
export function createBodyReader(maxBytes: number, held: HeldBytes): BodyReader {
  const tooLong: ReadBody = { refusal: { status: 413, message: `A body has at most ${formatSize(maxBytes)}.` } };
  let sizeBytes = 0;
  return {
    async read(request) {
      if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLong;
      const chunks: Buffer[] = [];
      // Otherwise the connection would be destroyed before the refusal is sent.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        sizeBytes += chunk.length;
        held.current += chunk.length;
        if (sizeBytes > maxBytes) return tooLong;
        if (held.current > MAX_HELD_BYTES) return overloaded;
        chunks.push(chunk);
      }
      return decode(Buffer.concat(chunks));
    },
    [Symbol.dispose]() {
      held.current -= sizeBytes;
      sizeBytes = 0;
    },
  };
}

const overloaded: ReadBody = {
  refusal: { status: 503, message: "The server is busy. Try again in 5 s.", headers: { "retry-after": "5" } },
};

function decode(bytes: Uint8Array): ReadBody {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { refusal: { status: 400, message: "The body is not valid UTF-8." } };
  }
}
