/** Recognises text in charsets older than Unicode, by how well the bytes read in each of them. */
import { decodeLatin1 } from "../bytes.ts";
import { type ByteCounts, countByteValues, countInRange } from "./byte-counts.ts";
import { decodeIn } from "./charset.ts";
import { multiByteCharsets, scoreMultiByte } from "./multi-byte.ts";
import { scoreSingleByte, singleByteCharsets } from "./single-byte.ts";
import { asNotText, asText, type TextVerdict } from "./text-verdict.ts";

/** Fewer bytes than this may read well in some charset by accident. */
const MIN_GUESS_BYTES = 24;
/** How many bytes a guess examines; more would not change it. */
const MAX_SAMPLE_BYTES = 8192;

/** The verdict on bytes that are neither ASCII nor UTF-8 and contain no unusual control bytes. */
export function guessLegacyCharset(bytes: Uint8Array, byteCounts: ByteCounts): TextVerdict {
  if (bytes.length < MIN_GUESS_BYTES) return detectShortText(bytes);
  if (isEbcdic(byteCounts)) return asText("ebcdic");
  const sample = takeNonAsciiSample(bytes);
  if (isSampledSignal(sample)) return asNotText("numbers rather than characters");
  const best = findBestCandidate(sample);
  if (best.fit >= MIN_FIT) return asText(best.charset);
  return isMostlyAscii(byteCounts) ? detectMostlyAscii(sample, best) : asNotText("no charset makes words of it");
}

/** Whether a later window of the same text still reads well in the charset of its beginning. */
export function stillReadsIn(bytes: Uint8Array, byteCounts: ByteCounts, charset: string): boolean {
  if (countInRange(byteCounts, 0x80, 0xff) === 0 || isMostlyAscii(byteCounts)) return true;
  if (charset === "ebcdic") return isEbcdic(byteCounts);
  const sample = takeNonAsciiSample(bytes);
  const multi = multiByteCharsets.find(({ name }) => name === charset);
  const single = singleByteCharsets.find(({ name }) => name === charset);
  if (multi !== undefined) return scoreMultiByte(sample, multi) >= MIN_LATER_FIT;
  return single === undefined
    ? guessLegacyCharset(bytes, byteCounts).isText
    : scoreSingleByte(sample, single) >= MIN_LATER_FIT;
}

/** Whether the bytes are nonsense in a declared charset; false for a charset without a profile. */
export function isNonsenseIn(bytes: Uint8Array, charset: string): boolean {
  const row = singleByteCharsets.find(({ name }) => name === charset);
  return row !== undefined && scoreSingleByte(takeNonAsciiSample(bytes), row) < MIN_DECLARED_FIT;
}

/** Whether a few bytes, too few for a guess, are only words in the declared charset. */
export function isShortText(bytes: Uint8Array, charset: string): boolean {
  return bytes.length < MIN_GUESS_BYTES && /^[\p{L}\p{M}\p{Nd}\p{P}\s]*$/u.test(decodeIn(charset, bytes));
}

/** A sample that starts shortly before the first non-ASCII byte: a long ASCII beginning says nothing. */
function takeNonAsciiSample(bytes: Uint8Array): Uint8Array {
  const start = Math.max(0, bytes.findIndex((byte) => byte >= 0x80) - 256);
  return bytes.subarray(start, start + MAX_SAMPLE_BYTES);
}

/** Raw audio and images: neighbouring values differ little, there are few values, or no line ever ends. */
function isSampledSignal(sample: Uint8Array): boolean {
  const { counts } = countByteValues(sample);
  const values = counts.subarray(0x80).filter((count) => count > 0).length;
  const hasAscii = counts.subarray(0, 0x80).some((count) => count > 0);
  const nonAscii = counts.subarray(0x80).reduce((sum, count) => sum + count, 0);
  if (nonAscii < sample.length * 0.4) return false;
  return values < MIN_BYTE_VALUES || meanStep(sample) < MIN_MEAN_STEP || (!hasAscii && sample.length > MAX_LINE_BYTES);
}

/** A few words in any alphabet have more different letters than this. */
const MIN_BYTE_VALUES = 5;
/** Neighbouring letters of an alphabet differ by ten on average, those of a two-byte charset by thirty. */
const MIN_MEAN_STEP = 6;
const MAX_LINE_BYTES = 1024;

/** The mean difference between neighbouring non-ASCII bytes. */
function meanStep(bytes: Uint8Array): number {
  let [steps, distance] = [0, 0];
  for (let i = 1; i < bytes.length; i++) {
    const [previous, current] = [bytes[i - 1] as number, bytes[i] as number];
    if (previous < 0x80 || current < 0x80) continue;
    steps++;
    distance += Math.abs(current - previous);
  }
  return steps === 0 ? Number.POSITIVE_INFINITY : distance / steps;
}

type Candidate = { readonly charset: string; readonly fit: number };

/** How much better a rare charset must fit than a common one. */
const RARE_CHARSET_PENALTY = 0.1;

/** The fit that counts as text. Random letters reach 0.3, real text 0.7 and more. */
const MIN_FIT = 0.6;
/** A window that follows text in the same charset needs less. */
const MIN_LATER_FIT = 0.4;
/** UTF-8 read as another charset fits worse than this. */
const MIN_DECLARED_FIT = 0.3;

function findBestCandidate(sample: Uint8Array): Candidate {
  let best: Candidate = { charset: "windows-1252", fit: -1 };
  for (const row of multiByteCharsets) {
    const fit = scoreMultiByte(sample, row);
    if (fit > best.fit) best = { charset: row.name, fit };
  }
  for (const row of singleByteCharsets) {
    const fit = scoreSingleByte(sample, row);
    if (fit - (row.isRare ? RARE_CHARSET_PENALTY : 0) > best.fit) best = { charset: row.name, fit };
  }
  return best;
}

/** ASCII words and white space with a few other letters: a few errors do not make it binary. */
function isMostlyAscii(byteCounts: ByteCounts): boolean {
  const high = countInRange(byteCounts, 0x80, 0xff);
  const letters = countInRange(byteCounts, 0x41, 0x5a) + countInRange(byteCounts, 0x61, 0x7a);
  const spaces =
    (byteCounts.counts[0x20] as number) + (byteCounts.counts[0x0a] as number) + (byteCounts.counts[0x09] as number);
  return high <= byteCounts.total * 0.15 && letters >= byteCounts.total * 0.3 && spaces >= byteCounts.total * 0.02;
}

function detectMostlyAscii(sample: Uint8Array, best: Candidate): TextVerdict {
  if (isNearlyUtf8(sample)) return asText("utf-8");
  return asText(best.fit > 0 ? best.charset : "windows-1252");
}

/** UTF-8 with a few damaged characters is still UTF-8. */
function isNearlyUtf8(sample: Uint8Array): boolean {
  const decoded = new TextDecoder("utf-8").decode(sample, { stream: true });
  let [valid, broken] = [0, 0];
  for (let i = 0; i < decoded.length; i++) {
    const unit = decoded.charCodeAt(i);
    if (unit === 0xfffd) broken++;
    else if (unit >= 0x80) valid++;
  }
  return valid > broken;
}

/** A bracketed value with few non-ASCII bytes is a damaged string; anything else this short proves nothing. */
function detectShortText(bytes: Uint8Array): TextVerdict {
  const characters = decodeLatin1(bytes, 0, bytes.length);
  if (/^\s*(\[[\s\S]*\]|\{[\s\S]*\}|"[\s\S]*")\s*$/.test(characters)) return asText("utf-8");
  return asNotText("too short to determine a charset");
}

/** Mainframe text: blanks are 0x40, and letters and digits are in six runs of nine or ten values. */
function isEbcdic(byteCounts: ByteCounts): boolean {
  const blanks = byteCounts.counts[0x40] as number;
  const usual = ebcdicRuns.reduce((sum, [first, last]) => sum + countInRange(byteCounts, first, last), blanks);
  const ascii = countInRange(byteCounts, 0x20, 0x3f);
  return blanks >= byteCounts.total * 0.04 && usual >= byteCounts.total * 0.88 && ascii <= byteCounts.total * 0.05;
}

const ebcdicRuns: readonly (readonly [first: number, last: number])[] = [
  [0x81, 0x89],
  [0x91, 0x99],
  [0xa2, 0xa9],
  [0xc1, 0xc9],
  [0xd1, 0xd9],
  [0xe2, 0xe9],
  [0xf0, 0xf9],
  [0x4b, 0x50],
  [0x5a, 0x61],
  [0x6b, 0x6f],
  [0x7a, 0x7f],
  [0x25, 0x25],
  [0x15, 0x15],
  [0x0d, 0x0d],
];
