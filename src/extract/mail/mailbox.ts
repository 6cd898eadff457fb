/** Splits a mailbox into its mails, each up to a bound. */

const NEWLINE = 0x0a;
const LETTER_F = 0x46;

/** `From ada@example.org Fri May  8 09:30:00 2026`: a sentence of a mail that begins so has no time of day. */
const SEPARATOR = /^From .*\d\d:\d\d/;
const MAX_SEPARATOR_BYTES = 400;

/** Mails begin at a separator after an empty line. */
export async function* splitMailbox(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let isAfterEmptyLine = true;
  for await (const line of splitLines(chunks)) {
    const isSeparator = isAfterEmptyLine && line[0] === LETTER_F && isSeparatorLine(line);
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

function isSeparatorLine(line: Buffer): boolean {
  return line.length <= MAX_SEPARATOR_BYTES && SEPARATOR.test(line.toString("latin1"));
}

/** Joining chunks until a line ends would take quadratic time for a line of many megabytes. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Lines with their ends. A very long line comes in pieces. */
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
    if (rest.length <= MAX_LINE_BYTES) continue;
    yield rest;
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield rest;
}
