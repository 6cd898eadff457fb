/** Splits a mailbox into its mails, each up to a bound. */

const NEWLINE = 0x0a;
const SEPARATOR = Buffer.from("From ");

/** Mails begin at a line `From ...` after an empty line; such lines inside a mail are quoted by the writer. */
export async function* splitMailbox(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let isAfterEmptyLine = true;
  for await (const line of splitLines(chunks)) {
    const isSeparator = isAfterEmptyLine && line.subarray(0, SEPARATOR.length).equals(SEPARATOR);
    isAfterEmptyLine = line.length <= 2 && line.toString("latin1").trim() === "";
    if (!isSeparator) {
      if (length < maxBytes) parts.push(line);
      length += line.length;
      continue;
    }
    if (length > 0) yield Buffer.concat(parts);
    [parts, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** Lines with their ends. A line longer than a chunk may come in pieces. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      yield bytes.subarray(at, end + 1);
      at = end + 1;
    }
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) yield rest;
}
