/** Recognises UTF-16 and UTF-32, with or without a byte-order mark: arrays of small numbers look similar. */
import { u16be, u16le, u32be, u32le } from "../bytes.ts";
import type { WideCharset } from "./charset.ts";
import { asNotText, asText, type TextVerdict } from "./text-verdict.ts";

/** Enough characters to recognise a script. */
const MAX_SAMPLE_UNITS = 4096;

/** How the charset is known: by a mark (or by earlier text), or only guessed from the bytes. */
type Trust = "marked" | "guessed";

/**
 * Text if nearly all units are assigned characters of a few scripts; a guess also needs white space or markup. The bytes
 * begin with a character, after the mark if there is one; only a sample is checked.
 */
export function detectWideText(bytes: Uint8Array, charset: WideCharset, trust: Trust): TextVerdict {
  const isGuess = trust === "guessed";
  const points = readUnits(bytes, charset);
  if (points.length === 0) return isGuess ? asNotText("no characters") : asText(charset);
  if (points.filter(isFault).length > points.length * maxFaultShares[trust])
    return asNotText(`no characters as ${charset}`);
  if (isGuess && points.filter(isControl).length > points.length * MAX_STRAY_SHARE)
    return asNotText(`control characters as ${charset}`);
  if (countBlocks(points) > Math.max(6, points.length / 20)) return asNotText(`no script as ${charset}`);
  return !isGuess || hasTextShape(points) ? asText(charset) : asNotText(`no words as ${charset}`);
}

/** The share of stray control characters that a guess accepts, as in other charsets. */
const MAX_STRAY_SHARE = 0.001;

/** The share of invalid characters that a careless conversion leaves in real text. */
const maxFaultShares: Readonly<Record<Trust, number>> = { marked: 0.02, guessed: 0.01 };

/** The wide charset that the NULs of ASCII characters suggest, or null. */
export function guessWideCharset(bytes: Uint8Array): WideCharset | null {
  const nuls = [0, 0, 0, 0];
  const end = Math.min(bytes.length, MAX_SAMPLE_UNITS) & ~3;
  for (let i = 0; i < end; i++) if (bytes[i] === 0) nuls[i & 3] = (nuls[i & 3] ?? 0) + 1;
  const quarter = end / 4;
  const [a, b, c, d] = nuls.map((count) => count / Math.max(quarter, 1)) as [number, number, number, number];
  return chooseWideCharset(a, b, c, d);
}

/** Takes the share of NULs at each of four positions; in UTF-32 two or three are empty, in UTF-16 one of two. */
function chooseWideCharset(a: number, b: number, c: number, d: number): WideCharset | null {
  if (a > 0.97 && b > 0.97 && d < 0.03) return "utf-32be";
  if (c > 0.97 && d > 0.97 && a < 0.03) return "utf-32le";
  if (isEmptier(a, b) && isEmptier(c, d)) return "utf-16be";
  if (isEmptier(b, a) && isEmptier(d, c)) return "utf-16le";
  return null;
}

/** Some ideographs have a zero byte too. */
const isEmptier = (high: number, low: number): boolean => high > 0.1 && low < 0.1 && low < high / 3;

/** The size of a unit of a wide charset. */
export const getUnitBytes = (charset: WideCharset): number => (charset.startsWith("utf-32") ? 4 : 2);

function readUnits(bytes: Uint8Array, charset: WideCharset): number[] {
  const unitBytes = getUnitBytes(charset);
  const readUnit = readers[charset];
  const points: number[] = [];
  const end = Math.min(bytes.length, MAX_SAMPLE_UNITS * unitBytes);
  for (let offset = 0; offset + unitBytes <= end; offset += unitBytes) points.push(readUnit(bytes, offset));
  return points;
}

const readers: Readonly<Record<WideCharset, (bytes: Uint8Array, offset: number) => number>> = {
  "utf-16le": u16le,
  "utf-16be": u16be,
  "utf-32le": u32le,
  "utf-32be": u32be,
};

/** Controls, noncharacters, private use, and values beyond Unicode. */
function isFault(point: number): boolean {
  if (isControl(point) || (point >= 0x7f && point < 0xa0)) return true;
  return (point >= 0xe000 && point < 0xf900) || (point & 0xfffe) === 0xfffe || point > 0x10ffff;
}

const isControl = (point: number): boolean =>
  point < 0x20 && point !== 0x09 && point !== 0x0a && point !== 0x0d && point !== 0x0c;

/** The number of blocks of 256 characters in use; ideographs and syllables count as one, surrogates as another. */
function countBlocks(points: readonly number[]): number {
  return new Set(points.map(blockOf)).size;
}

function blockOf(point: number): number {
  if (point >= 0x3400 && point < 0xd7b0) return 0x34;
  return point >= 0xd800 && point < 0xe000 ? 0xd8 : point >> 8;
}

/** Some white space, or an opening bracket: arrays of numbers have neither. */
function hasTextShape(points: readonly number[]): boolean {
  const spaces = points.filter((point) => point === 0x20 || point === 0x0a || point === 0x09 || point === 0x3000);
  return spaces.length >= points.length / 100 && spaces.length > 0 ? true : [0x3c, 0x5b, 0x7b].includes(points[0] ?? 0);
}
