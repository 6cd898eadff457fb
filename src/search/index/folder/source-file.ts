/** Reads one source file for the index: its text, or the reason why it is skipped. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { formatValue } from "../../../config/setting-values.ts";
import { detectContentKind } from "../../../detect/detect.ts";
import { type Detection, FIRST_LOOK_BYTES } from "../../../detect/kind.ts";
import { cleanText } from "../../../extract/clean.ts";
import { decodeText, hasDecoder } from "../../../extract/decode-text.ts";
import { describeReadError, formatStamp } from "./walk-folder.ts";

/** The bytes of a file at one moment, or why it could not be read. `isRetryable` if another run may succeed. */
type SourceBytes =
  | { readonly bytes: Buffer; readonly stamp: string; readonly hash: string }
  | { readonly reason: string; readonly isRetryable: boolean };

/** Reads a regular file below the root. A link that was put in its place is not followed. */
export function readSource(root: string, path: string, maxBytes: number): SourceBytes {
  try {
    const file = openSync(
      join(root, path),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      return readOpen(file, maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { reason: describeReadError(error), isRetryable: true };
  }
}

function readOpen(file: number, maxBytes: number): SourceBytes {
  const stats = fstatSync(file, { bigint: true });
  if (!stats.isFile()) return { reason: "not a regular file", isRetryable: true };
  if (stats.size > maxBytes) return { reason: tooLarge(maxBytes), isRetryable: false };
  const bytes = Buffer.allocUnsafe(Number(stats.size));
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  const content = bytes.subarray(0, length);
  return { bytes: content, stamp: formatStamp(stats), hash: createHash("sha256").update(content).digest("base64url") };
}

/** The reason why a file above this size is not indexed whole, as it is stored. */
export const tooLarge = (maxBytes: number): string => `larger than ${maxBytes} bytes`;

/** A stored reason as people read it: `larger than 1 MiB`. */
export function describeReason(reason: string): string {
  const limit = findNamedLimit(reason);
  return limit === null ? reason : `larger than ${formatValue("bytes", limit)}`;
}

/** The size that a reason names; null for any other reason. */
export function findNamedLimit(reason: string): number | null {
  const bytes = /^larger than (\d+) bytes/.exec(reason)?.[1];
  return bytes === undefined ? null : Number(bytes);
}

/** The text of a file and whether its lines are too long to index it whole, or why the file is skipped. */
type SourceText = { readonly text: string; readonly isMinified: boolean } | { readonly reason: string };

/** Decodes and cleans the bytes of a file. Binary files are skipped. */
export async function decodeSource(bytes: Buffer, path: string): Promise<SourceText> {
  const detection = detectContentKind({ firstBytes: bytes.subarray(0, FIRST_LOOK_BYTES), url: path });
  const { kind, mediaType, charset } = detection;
  if (kind !== "text" && kind !== "html" && !isTextWithControls(bytes, detection))
    return { reason: `not text (${mediaType})` };
  // Detection sees the beginning only. A zero byte further on means binary data, except in UTF-16 and UTF-32.
  if (isByteCharset(charset) && bytes.includes(0)) return { reason: "not text (binary data inside)" };
  if (!hasDecoder(charset)) return { reason: `charset ${charset} cannot be read` };
  const { text: cleanedText } = cleanText(keepEditorLines(await decode(bytes, charset)));
  const text = removeData(cleanedText);
  return { text, isMinified: isMinified(text) };
}

/** Images and fonts inside source, notebooks and style sheets are replaced by three dots. */
const MIN_DATA_CHARS = 1_000;
const dataPattern = new RegExp(`[A-Za-z0-9+/=_-]{${MIN_DATA_CHARS},}`, "g");

/** Base64 has letters of both cases and digits; without one of these it is a ruler line or a long word. */
const isBase64 = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run);

/** Only lines that are long enough are matched: the pattern is slow. */
function removeData(text: string): string {
  const parts: string[] = [];
  let [keptFrom, start] = [0, 0];
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (end - start >= MIN_DATA_CHARS) {
      const line = text.slice(start, end).replace(dataPattern, (run) => (isBase64(run) ? "..." : run));
      parts.push(text.slice(keptFrom, start), line);
      keptFrom = end;
    }
    start = end + 1;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(keptFrom);
}

/** Lines are counted as editors count them: characters that cleaning would turn into line ends become spaces. */
function keepEditorLines(text: string): string {
  const hasLines = text.includes("\n");
  return text.replace(hasLines ? /[\f\v\x85]|\r(?!\n)/g : /[\f\v\x85]/g, " ");
}

/** Bytes of text for each stray control character: an icon or a separator in a string. */
const MIN_BYTES_PER_CONTROL = 1_000;

/** Whether a file named as text is UTF-8 with a few control characters, which cleaning removes. */
function isTextWithControls(bytes: Buffer, { kind, signals }: Detection): boolean {
  if (
    kind !== "unknown_binary" ||
    signals.magic !== null ||
    !/^text\/|^application\/(?:x-)?\w*script/.test(signals.extension ?? "")
  ) {
    return false;
  }
  let controls = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) controls++;
  return isUtf8(bytes) && controls * MIN_BYTES_PER_CONTROL <= bytes.length;
}

const isByteCharset = (charset: string | null): boolean => !/^utf-?(?:16|32)/i.test(charset ?? "");

async function decode(bytes: Buffer, charset: string | null): Promise<string> {
  if (charset === null || /^(?:utf-?8|us-ascii|ascii)$/i.test(charset)) return bytes.toString("utf8");
  return (await Array.fromAsync(decodeText(chunksOf(bytes), charset))).join("");
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Lines of source have some tens of characters; bundles and tables of numbers have few and very long lines. */
const MIN_MINIFIED_CHARS = 5_000;
const MAX_MEAN_LINE_CHARS = 400;

function isMinified(text: string): boolean {
  if (text.length < MIN_MINIFIED_CHARS) return false;
  let lines = 1;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) lines++;
  return text.length / lines > MAX_MEAN_LINE_CHARS;
}
