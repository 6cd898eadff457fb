/** Reads one source file for the index: its text, or why it is passed over. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { detectContentKind } from "../../detect/detect.ts";
import { type Detection, firstLookBytes } from "../../detect/kind.ts";
import { cleanText } from "../../extract/clean.ts";
import { canDecode, decodeText } from "../../extract/decode-text.ts";
import { stampOf, unreadable } from "./walk.ts";

/** The bytes of a file as they were at one moment, or why there are none. `again` when another run may succeed. */
export type SourceBytes =
  | { readonly bytes: Buffer; readonly stamp: string; readonly hash: string }
  | { readonly reason: string; readonly again: boolean };

/** Reads a file that must be a regular one and still below the root; a link put in its place is not followed. */
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
    return { reason: unreadable(error), again: true };
  }
}

function readOpen(file: number, maxBytes: number): SourceBytes {
  const stats = fstatSync(file, { bigint: true });
  if (!stats.isFile()) return { reason: "not a regular file", again: true };
  if (stats.size > maxBytes) return { reason: tooLarge(maxBytes), again: false };
  const bytes = Buffer.allocUnsafe(Number(stats.size));
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  const whole = bytes.subarray(0, length);
  return { bytes: whole, stamp: stampOf(stats), hash: createHash("sha256").update(whole).digest("base64url") };
}

/** Why a file above this size is passed over. */
export const tooLarge = (maxBytes: number): string => `larger than ${maxBytes} bytes`;
/** Whether that is the reason, whatever the size was. */
export const isTooLarge = (reason: string): boolean => /^larger than \d+ bytes$/.test(reason);

export type SourceText = { readonly text: string } | { readonly reason: string };

/** The clean text of a file's bytes; what is not text is passed over, and so is what has no lines to speak of. */
export async function textOf(bytes: Buffer, path: string): Promise<SourceText> {
  const detection = detectContentKind({ firstBytes: bytes.subarray(0, firstLookBytes), url: path });
  const { kind, mediaType, charset } = detection;
  if (kind !== "text" && kind !== "html" && !isBlemished(bytes, detection))
    return { reason: `not text (${mediaType})` };
  // The first look sees the beginning only; a zero byte further on is no text in any charset that has none there.
  if (isByteCharset(charset) && bytes.includes(0)) return { reason: "not text (binary data inside)" };
  if (!canDecode(charset)) return { reason: `charset ${charset} cannot be read` };
  const { text: whole } = cleanText(withOwnLines(await decode(bytes, charset)));
  const text = longestLine(whole) < shortestData ? whole : whole.replace(dataRun, (run) => (isData(run) ? "..." : run));
  return isMinified(text) ? { reason: "minified or data: its lines are too long" } : { text };
}

/** Pictures and fonts that stand inside source, a notebook or a style sheet: three dots say as much to a search. */
const shortestData = 1_000;
const dataRun = new RegExp(`[A-Za-z0-9+/=_-]{${shortestData},}`, "g");

/** Base64 has everything; what lacks a kind of letters is a row of signs or a long word. */
const isData = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run);

function longestLine(text: string): number {
  let [longest, start] = [0, 0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    if (end - start > longest) longest = end - start;
    start = end + 1;
  }
  return Math.max(longest, text.length - start);
}

/** Lines are counted as editors count them; what cleaning would make a line end of stands inside a line here. */
function withOwnLines(text: string): string {
  const hasLines = text.includes("\n");
  return text.replace(hasLines ? /[\f\v\x85]|\r(?!\n)/g : /[\f\v\x85]/g, " ");
}

/** One stray control character in so many bytes: an icon or a separator that somebody typed into a string. */
const bytesPerBlemish = 1_000;

/** Source that is UTF-8 from end to end, named as text, but for a few control characters, which cleaning takes out. */
function isBlemished(bytes: Buffer, { kind, signals }: Detection): boolean {
  if (
    kind !== "unknown_binary" ||
    signals.magic !== null ||
    !/^text\/|^application\/(?:x-)?\w*script/.test(signals.extension ?? "")
  ) {
    return false;
  }
  let controls = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) controls++;
  return isUtf8(bytes) && controls * bytesPerBlemish <= bytes.length;
}

const isByteCharset = (charset: string | null): boolean => !/^utf-?(?:16|32)/i.test(charset ?? "");

async function decode(bytes: Buffer, charset: string | null): Promise<string> {
  if (charset === null || /^(?:utf-?8|us-ascii|ascii)$/i.test(charset)) return bytes.toString("utf8");
  return (await Array.fromAsync(decodeText(chunksOf(bytes), charset))).join("");
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Source has lines of some ten characters; a bundle or a table of numbers has few and endless ones. */
const shortestMinified = 5_000;
const longestMeanLine = 400;

function isMinified(text: string): boolean {
  if (text.length < shortestMinified) return false;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return text.length / lines > longestMeanLine;
}
