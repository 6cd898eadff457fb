/** Access to a spooled or stored body: any range of bytes, or all of them as a stream. */
import { open } from "node:fs/promises";
import type { Body } from "../detect/kind.ts";
import { joinChunks, readChunks, streamBytes } from "./chunks.ts";
import type { Content } from "./spool.ts";

/** The body whose bytes are in this file or in memory. */
export function toBody(content: Content, sizeBytes: number): Body {
  return "path" in content ? makeFileBody(content.path, sizeBytes) : makeMemoryBody(content.bytes);
}

function makeFileBody(path: string, sizeBytes: number): Body {
  return {
    sizeBytes,
    async read(start, end) {
      return joinChunks(await Array.fromAsync(readChunks(await open(path), { start, end })));
    },
    async *stream(options) {
      yield* readChunks(await open(path), { ...options, end: sizeBytes });
    },
  };
}

function makeMemoryBody(bytes: Uint8Array): Body {
  return {
    sizeBytes: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
    stream: () => streamBytes(bytes),
  };
}
