/** Judges and names text in the charsets that came before Unicode, by how well the bytes read in each of them. */
import { latin1 } from "../formats/bytes.ts";
import { type Census, countOf, takeCensus } from "./byte-counts.ts";
import { readIn } from "./charset.ts";
import { multiByteCharsets, multiByteFit } from "./multi-byte.ts";
import { coherence, singleByteCharsets } from "./single-byte.ts";
import { notText, type TextVerdict, text } from "./text-verdict.ts";

/** Fewer bytes than this read well in some charset by accident. */
const shortestGuess = 24;
/** Bytes that a guess looks at; more say nothing new. */
const sampleBytes = 8192;

/** The verdict on bytes that are neither ASCII nor UTF-8 and hold no odd control. */
export function guessLegacy(bytes: Uint8Array, census: Census): TextVerdict {
  if (bytes.length < shortestGuess) return judgeShort(bytes);
  if (isEbcdic(census)) return text("ebcdic");
  const sample = foreignSample(bytes);
  if (isSampledSignal(sample)) return notText("numbers rather than characters");
  const best = bestCandidate(sample);
  if (best.fit >= convincing) return text(best.charset);
  return isMostlyAscii(census) ? fewForeign(sample, best) : notText("no charset makes words of it");
}

/** Whether a later piece of the same text still reads in the charset that was found for its beginning. */
export function stillReads(bytes: Uint8Array, census: Census, charset: string): boolean {
  if (countOf(census, 0x80, 0xff) === 0 || isMostlyAscii(census)) return true;
  if (charset === "ebcdic") return isEbcdic(census);
  const sample = foreignSample(bytes);
  const multi = multiByteCharsets.find(({ name }) => name === charset);
  const single = singleByteCharsets.find(({ name }) => name === charset);
  if (multi !== undefined) return multiByteFit(sample, multi) >= lenient;
  return single === undefined ? guessLegacy(bytes, census).isText : coherence(sample, single) >= lenient;
}

/** Whether foreign bytes make nonsense in the charset that was named for them; unknown charsets are not judged. */
export function misreads(bytes: Uint8Array, charset: string): boolean {
  const row = singleByteCharsets.find(({ name }) => name === charset);
  return row !== undefined && coherence(foreignSample(bytes), row) < nonsense;
}

/** Whether a few bytes, too few for a guess, are nothing but words in the charset that was named for them. */
export function isShortText(bytes: Uint8Array, charset: string): boolean {
  return bytes.length < shortestGuess && /^[\p{L}\p{M}\p{Nd}\p{P}\s]*$/u.test(readIn(charset, bytes));
}

/** From a little before the first foreign byte on: a long ASCII preamble would teach nothing. */
function foreignSample(bytes: Uint8Array): Uint8Array {
  const start = Math.max(0, bytes.findIndex((byte) => byte >= 0x80) - 256);
  return bytes.subarray(start, start + sampleBytes);
}

/** Sound and pictures without a header: neighbours differ little, values are few, or no line ever ends. */
function isSampledSignal(sample: Uint8Array): boolean {
  const { counts } = takeCensus(sample);
  const values = counts.subarray(0x80).filter((count) => count > 0).length;
  const hasAscii = counts.subarray(0, 0x80).some((count) => count > 0);
  const foreign = counts.subarray(0x80).reduce((sum, count) => sum + count, 0);
  if (foreign < sample.length * 0.4) return false;
  return values < fewestValues || meanStep(sample) < smallestStep || (!hasAscii && sample.length > longestLine);
}

/** Any alphabet shows more letters than this in a few words. */
const fewestValues = 5;
/** The letters of one alphabet are ten apart on average, those of a two-byte charset thirty. */
const smallestStep = 6;
const longestLine = 1024;

/** How far apart neighbouring foreign bytes are on average. */
function meanStep(bytes: Uint8Array): number {
  let [steps, distance] = [0, 0];
  for (let i = 1; i < bytes.length; i++) {
    const [before, after] = [bytes[i - 1] as number, bytes[i] as number];
    if (before < 0x80 || after < 0x80) continue;
    steps++;
    distance += Math.abs(after - before);
  }
  return steps === 0 ? Number.POSITIVE_INFINITY : distance / steps;
}

type Candidate = { readonly charset: string; readonly fit: number };

/** How much better a rare charset must fit than a common one. */
const rarity = 0.1;

/** How much of the foreign bytes must read well. Random letters reach 0.3, real text 0.7 and more. */
const convincing = 0.6;
/** A piece that follows text of the same charset needs less. */
const lenient = 0.4;
/** UTF-8 taken for another charset fits worse than this. */
const nonsense = 0.3;

function bestCandidate(sample: Uint8Array): Candidate {
  let best: Candidate = { charset: "windows-1252", fit: -1 };
  for (const row of multiByteCharsets) {
    const fit = multiByteFit(sample, row);
    if (fit > best.fit) best = { charset: row.name, fit };
  }
  for (const row of singleByteCharsets) {
    const fit = coherence(sample, row);
    if (fit - (row.isRare ? rarity : 0) > best.fit) best = { charset: row.name, fit };
  }
  return best;
}

/** Words and white space in ASCII with a foreign letter here and there: a few mistakes do not make a binary. */
function isMostlyAscii(census: Census): boolean {
  const high = countOf(census, 0x80, 0xff);
  const letters = countOf(census, 0x41, 0x5a) + countOf(census, 0x61, 0x7a);
  const spaces = (census.counts[0x20] as number) + (census.counts[0x0a] as number) + (census.counts[0x09] as number);
  return high <= census.total * 0.15 && letters >= census.total * 0.3 && spaces >= census.total * 0.02;
}

function fewForeign(sample: Uint8Array, best: Candidate): TextVerdict {
  if (isNearlyUtf8(sample)) return text("utf-8");
  return text(best.fit > 0 ? best.charset : "windows-1252");
}

/** UTF-8 with a few damaged characters is still UTF-8. */
function isNearlyUtf8(sample: Uint8Array): boolean {
  const decoded = new TextDecoder("utf-8").decode(sample, { stream: true });
  let [foreign, broken] = [0, 0];
  for (let i = 0; i < decoded.length; i++) {
    const unit = decoded.charCodeAt(i);
    if (unit === 0xfffd) broken++;
    else if (unit >= 0x80) foreign++;
  }
  return foreign > broken;
}

/** A bracketed value with few foreign bytes is a damaged string; anything else this short proves nothing. */
function judgeShort(bytes: Uint8Array): TextVerdict {
  const characters = latin1(bytes, 0, bytes.length);
  if (/^\s*(\[[\s\S]*\]|\{[\s\S]*\}|"[\s\S]*")\s*$/.test(characters)) return text("utf-8");
  return notText("too short to tell a charset");
}

/** Mainframe text: blanks are 0x40, and letters and digits stand in six runs of nine or ten. */
function isEbcdic(census: Census): boolean {
  const blanks = census.counts[0x40] as number;
  const usual = ebcdicRuns.reduce((sum, [first, last]) => sum + countOf(census, first, last), blanks);
  const ascii = countOf(census, 0x20, 0x3f);
  return blanks >= census.total * 0.04 && usual >= census.total * 0.88 && ascii <= census.total * 0.05;
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
