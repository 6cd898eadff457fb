/** Scores bytes in single-byte charsets: frequent letters count, mixed case and mixed scripts inside words cost. */
import { decodeIn } from "./charset.ts";

/** A charset and the letters of the languages written in it. */
type SingleByteCharset = {
  readonly name: string;
  /** Letters of the languages written in it, the frequent ones first. */
  readonly letters: string;
  /** Rarely used: must fit better than the common charsets. */
  readonly isRare?: true;
};

const western = "éèàêçäöüáíóñåæøâîôúßûãõëïùìòœýþðÿ";
const central = "áéíóöüőűěščřžýąęłśżńćźúůďťňäôľăâîşţđëĺŕ";
const turkish = "ıişğçöüâîû";
const baltic = "šžčąęėįųūāēģīķļņõäöü";
const cyrillic = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўђјљњћџ";
const greek = "αοιετσηνρυκπλμςάέήίόύώγδθφχβωξζψϊϋ";
const hebrew = "יוהלארתבשמםןכקעדנגפחצזטסףךץ";
const arabic = "اليمنتروبسعدفهكقحجشطصخضذزغثظءآأؤإئةىپچگ";
const thai = "านรอกเงมยลวดทตสบปพะคหิีุูัึื่้์แโใไำจชซขผฝฟถธศษณญฐฎฏฑฒภฉฌฆฤๆ็ๅ";

/** Tried in this order; an equal fit keeps the earlier one. */
export const singleByteCharsets: readonly SingleByteCharset[] = [
  { name: "windows-1252", letters: western },
  { name: "windows-1251", letters: cyrillic },
  { name: "koi8-r", letters: cyrillic },
  { name: "koi8-u", letters: cyrillic },
  { name: "ibm866", letters: cyrillic, isRare: true },
  { name: "iso-8859-5", letters: cyrillic },
  { name: "x-mac-cyrillic", letters: cyrillic },
  { name: "windows-1250", letters: central },
  { name: "iso-8859-2", letters: central },
  { name: "windows-1254", letters: turkish },
  { name: "windows-1257", letters: baltic },
  { name: "windows-1253", letters: greek },
  { name: "windows-1255", letters: hebrew },
  { name: "windows-1256", letters: arabic },
  { name: "iso-8859-6", letters: arabic },
  { name: "windows-874", letters: thai },
  { name: "macintosh", letters: western, isRare: true },
  { name: "ibm850", letters: western, isRare: true },
  { name: "ibm855", letters: cyrillic, isRare: true },
];

/**
 * How well bytes read in this charset, from below 0 (nonsense) to 1: every non-ASCII byte scores by its letter, and
 * what does not occur inside words costs. Without ASCII white space there are no words, so the result is -1.
 */
export function scoreSingleByte(bytes: Uint8Array, charset: SingleByteCharset): number {
  const profile = findProfile(charset);
  let [nonAscii, score, spaces] = [0, 0, 0];
  let previous: Shape = "other";
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const shape = profile.shapes[byte] as Shape;
    if (byte >= 0x80) {
      nonAscii++;
      score += profile.scores[byte] as number;
    } else if (shape === "space") spaces++;
    score -= clashPenalty(previous, shape, byte >= 0x80 || (bytes[i - 1] as number) >= 0x80, profile.isLatin);
    previous = shape;
  }
  if (nonAscii === 0 || (spaces < bytes.length / 50 && !profile.isSpaceless)) return -1;
  return score / nonAscii;
}

type Shape = "other" | "space" | "lower" | "upper" | "caseless" | "latinLower" | "latinUpper" | "symbol";

type Profile = {
  readonly shapes: readonly Shape[];
  readonly scores: readonly number[];
  readonly isLatin: boolean;
  readonly isSpaceless: boolean;
};

const profiles = new Map<string, Profile>();

function findProfile(charset: SingleByteCharset): Profile {
  const cached = profiles.get(charset.name);
  if (cached !== undefined) return cached;
  const characters = decodeIn(charset.name, everyByte);
  const isLatin = /^\p{Script=Latin}/u.test(charset.letters);
  const profile: Profile = {
    shapes: Array.from(characters, (character) => shapeOf(character, isLatin)),
    scores: Array.from(characters, (character) => scoreCharacter(character, charset.letters)),
    isLatin,
    isSpaceless: charset.letters === thai,
  };
  profiles.set(charset.name, profile);
  return profile;
}

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

function shapeOf(character: string, isLatin: boolean): Shape {
  if (/^[ \t\r\n]$/.test(character)) return "space";
  if (/^[a-z]$/.test(character)) return isLatin ? "lower" : "latinLower";
  if (/^[A-Z]$/.test(character)) return isLatin ? "upper" : "latinUpper";
  if (/^\p{Ll}$/u.test(character)) return "lower";
  if (/^\p{Lu}$/u.test(character)) return "upper";
  if (/^[\p{L}\p{M}]$/u.test(character)) return "caseless";
  return /^[\p{S}\p{Co}\p{Cn}\p{Cc}\p{No}]$/u.test(character) && character >= "\x80" ? "symbol" : "other";
}

/** Frequent letters score 1, rare ones less, typography a little; unassigned characters score below 0. */
function scoreCharacter(character: string, letters: string): number {
  const rank = letters.indexOf(character.toLowerCase());
  const isCapital = character !== character.toLowerCase();
  if (rank >= 0) return (rank < 20 ? 1 : 0.75) * (isCapital ? 0.75 : 1);
  if (/^[\p{Cc}\p{Co}\p{Cn}\ufffd]$/u.test(character)) return -2;
  if (/^[\u00a0«»‘’“”„–—…°§©®€№•·¿¡\u200c-\u200f،؟]$/.test(character)) return 0.6;
  return /^\p{L}$/u.test(character) ? 0.2 : 0;
}

/** The penalty for a capital after a small letter, two scripts in one word, or a symbol inside a word. */
function clashPenalty(previous: Shape, current: Shape, isNonAscii: boolean, isLatin: boolean): number {
  if (!isNonAscii) return 0;
  if (previous === "lower" && current === "upper") return 1;
  if (isLetter(previous) && current === "symbol") return 0.7;
  if (isLatin) return 0;
  return (isLetter(previous) && isLatinLetter(current)) || (isLatinLetter(previous) && isLetter(current)) ? 0.5 : 0;
}

const isLetter = (shape: Shape): boolean => shape === "lower" || shape === "upper" || shape === "caseless";
const isLatinLetter = (shape: Shape): boolean => shape === "latinLower" || shape === "latinUpper";
