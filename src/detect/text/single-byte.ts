/** The charsets of one byte a character, and how well bytes read in each: frequent letters, in words of one case and script. */
import { decodeIn } from "./charset.ts";

/** A charset by its name, with what is known about the languages written in it. */
type SingleByteCharset = {
  readonly name: string;
  /** Letters of the languages written in it, the frequent ones first. */
  readonly letters: string;
  /** Seldom met: needs to fit better than its neighbours. */
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
 * How well bytes read in this charset, from below 0 (nonsense) to 1: every foreign byte earns what its letter is worth,
 * and loses for what does not occur inside words. Without white space in ASCII there are no words to speak of.
 */
export function scoreSingleByte(bytes: Uint8Array, charset: SingleByteCharset): number {
  const profile = findProfile(charset);
  let [foreign, merit, spaces] = [0, 0, 0];
  let previous: Shape = "other";
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const shape = profile.shapes[byte] as Shape;
    if (byte >= 0x80) {
      foreign++;
      merit += profile.merits[byte] as number;
    } else if (shape === "space") spaces++;
    merit -= penalize(previous, shape, byte >= 0x80 || (bytes[i - 1] as number) >= 0x80, profile.isLatin);
    previous = shape;
  }
  if (foreign === 0 || (spaces < bytes.length / 50 && !profile.isSpaceless)) return -1;
  return merit / foreign;
}

type Shape = "other" | "space" | "lower" | "upper" | "caseless" | "latinLower" | "latinUpper" | "symbol";

type Profile = {
  readonly shapes: readonly Shape[];
  readonly merits: readonly number[];
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
    merits: Array.from(characters, (character) => meritOf(character, charset.letters)),
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

/** Frequent letters count whole, rare ones less, typography a little; what no charset assigns speaks against it. */
function meritOf(character: string, letters: string): number {
  const rank = letters.indexOf(character.toLowerCase());
  const isCapital = character !== character.toLowerCase();
  if (rank >= 0) return (rank < 20 ? 1 : 0.75) * (isCapital ? 0.75 : 1);
  if (/^[\p{Cc}\p{Co}\p{Cn}\ufffd]$/u.test(character)) return -2;
  if (/^[\u00a0«»‘’“”„–—…°§©®€№•·¿¡\u200c-\u200f،؟]$/.test(character)) return 0.6;
  return /^\p{L}$/u.test(character) ? 0.2 : 0;
}

/** What a neighbour costs: a capital after a small letter, two scripts in one word, a symbol inside one. */
function penalize(previous: Shape, current: Shape, isForeign: boolean, isLatin: boolean): number {
  if (!isForeign) return 0;
  if (previous === "lower" && current === "upper") return 1;
  if (isLetter(previous) && current === "symbol") return 0.7;
  if (isLatin) return 0;
  return (isLetter(previous) && isLatinLetter(current)) || (isLatinLetter(previous) && isLetter(current)) ? 0.5 : 0;
}

const isLetter = (shape: Shape): boolean => shape === "lower" || shape === "upper" || shape === "caseless";
const isLatinLetter = (shape: Shape): boolean => shape === "latinLower" || shape === "latinUpper";
