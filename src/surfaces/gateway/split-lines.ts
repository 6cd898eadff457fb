/** Splits a stream of bytes into lines of bounded length. */

/** A longer message is a fault of its sender; no client could read it either. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Thrown for a line that does not end within the bound. */
export class LineTooLongError extends Error {
  constructor() {
    super(`a message has more than ${MAX_LINE_BYTES} bytes`);
  }
}

/** The lines without their ends; empty ones are left out. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (): string => {
    const line = Buffer.concat(parts).toString("utf8").replace(/\r$/, "");
    [parts, length] = [[], 0];
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      const line = take();
      if (line !== "") yield line;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_LINE_BYTES) throw new LineTooLongError();
  }
  const rest = take();
  if (rest !== "") yield rest;
}

const NEWLINE = 0x0a;
