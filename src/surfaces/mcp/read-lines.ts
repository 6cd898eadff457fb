/** Splits the input into lines, one message each, within a limit. */
import type { RequestId } from "@modelcontextprotocol/server";
import { createRequestFinder, type RequestFinder } from "./find-requests.ts";

/** A longer line is an error of the client. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line as text, or the requests in a line that is too long. */
export type InputLine =
  | { readonly text: string }
  | { readonly sizeBytes: number; readonly requests: readonly RequestId[] };

/** Yields the lines of the input. Of a line that is too long nothing is kept but the ids of its requests. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<InputLine> {
  let line = startLine(maxBytes);
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.finish();
      line = startLine(maxBytes);
      start = end + 1;
    }
    line.add(chunk.subarray(start));
  }
  yield line.finish();
}

const NEWLINE = 0x0a;

function startLine(maxBytes: number) {
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  let finder: RequestFinder | undefined;

  return {
    add(chunk: Uint8Array): void {
      sizeBytes += chunk.length;
      if (finder === undefined && sizeBytes <= maxBytes) return void chunks.push(chunk);
      finder ??= createRequestFinder();
      for (const bytes of [...chunks, chunk]) finder.push(bytes);
      chunks = [];
    },
    finish(): InputLine {
      if (finder) return { sizeBytes, requests: finder.finish() };
      return { text: Buffer.concat(chunks).toString("utf8") };
    },
  };
}
