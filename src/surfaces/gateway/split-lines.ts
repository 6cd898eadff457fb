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
  const open = new OpenLine();
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = open.finish(chunk.subarray(start, end));
      if (line !== "") yield line;
      start = end + 1;
    }
    open.add(chunk.subarray(start));
  }
  const rest = open.finish(new Uint8Array());
  if (rest !== "") yield rest;
}

/** A buffer of this size is used again for the next line: a new one for each large line costs more than the copy. */
const KEPT_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/** The beginning of a line whose end has not arrived. */
class OpenLine {
  #buffer = Buffer.alloc(0);
  #length = 0;

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > MAX_LINE_BYTES) throw new LineTooLongError();
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(MAX_LINE_BYTES, Math.max(FIRST_BYTES, 2 * length)));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }

  /** The line with these last bytes; the next one begins. */
  finish(last: Uint8Array): string {
    if (this.#length === 0) return toLine(last);
    this.add(last);
    const line = toLine(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.alloc(0);
    return line;
  }
}

function toLine(bytes: Uint8Array): string {
  const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
  return Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8");
}

const RETURN = 0x0d;
const NEWLINE = 0x0a;
