/** Turns words into comparable terms: case, width, English endings and the style of identifiers do not matter. */

/** The terms of one word. */
type WordTerms = {
  /** In reading order: the parts of an identifier, the character pairs of a script without spaces, else the word. */
  readonly parts: readonly string[];
  /** The whole identifier, if it has several parts. */
  readonly identifier: string | null;
  /** The single characters of a run without spaces, so that a question of one character finds it. */
  readonly characters: readonly string[];
};

/** Scripts without spaces between words: Chinese, Japanese, Korean, and several of South East Asia. */
const unspaced =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\u30fc\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const unicodeWord = new RegExp(`[${unspaced}]+|[[\\p{L}\\p{M}\\p{N}_]--[${unspaced}]]+`, "gv");
const unspacedStart = new RegExp(`^[${unspaced}]`, "u");
const asciiWord = /[A-Za-z0-9_]+/g;

/** The words of a text as they are written, in order. ASCII, as in logs and code, has a faster path. */
export function splitWords(text: string): readonly string[] {
  if (!/[^\x00-\x7f]/.test(text)) return text.match(asciiWord) ?? [];
  return text.normalize("NFKC").match(unicodeWord) ?? [];
}

/** The terms of one word. */
export function toTerms(word: string): WordTerms {
  if (unspacedStart.test(word)) return toUnspacedTerms(word);
  const parts = splitIdentifier(word).map((part) => stem(part.toLowerCase()));
  const identifier = parts.length > 1 ? stem(word.toLowerCase()) : null;
  return { parts, identifier, characters: [] };
}

function toUnspacedTerms(run: string): WordTerms {
  const characters = [...run];
  if (characters.length === 1) return { parts: characters, identifier: null, characters: [] };
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return { parts: pairs, identifier: null, characters };
}

/**
 * `max_retries`, `utf8Decoder`, `HTTPServer` are split; `URLs` is not. The lookbehind runs only at capitals, so digits
 * are cheap. ASCII takes a path that is several times faster, because an index splits every new word.
 */
const partBoundary = /_+|(?=\p{Lu})(?<=\p{Ll}\p{N}*)|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

function splitIdentifier(word: string): readonly string[] {
  if (/[^\x00-\x7f]/.test(word)) return word.split(partBoundary).filter((part) => part !== "");
  const parts: string[] = [];
  const units = new Uint16Array(word.length);
  for (let index = 0; index < word.length; index++) units[index] = word.charCodeAt(index);
  forEachPart(units, 0, units.length, (partStart, partEnd) => parts.push(word.slice(partStart, partEnd)));
  return parts;
}

/** Visits the start and end of each part of an ASCII identifier from `start` to `end`. */
export function forEachPart(
  units: Uint16Array,
  start: number,
  end: number,
  visit: (partStart: number, partEnd: number) => void,
): void {
  let partStart = start;
  let [followsLowercase, followsUppercase] = [false, false];
  for (let index = start; index < end; index++) {
    const unit = units[index] as number;
    const isUpper = isUppercase(unit);
    const isBoundary = isUpper && (followsLowercase || (followsUppercase && areTwoLowercase(units, index + 1, end)));
    if (isBoundary || unit === UNDERSCORE) {
      if (index > partStart) visit(partStart, index);
      partStart = isBoundary ? index : index + 1;
    }
    followsLowercase = isLowercase(unit) || (followsLowercase && isDigit(unit));
    followsUppercase = isUpper;
  }
  if (end > partStart) visit(partStart, end);
}

const UNDERSCORE = 95;
const isUppercase = (unit: number): boolean => unit >= 65 && unit <= 90;
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;
const isLowercase = (unit: number): boolean => unit >= 97 && unit <= 122;

/** Whether two lowercase letters begin at this index. */
function areTwoLowercase(units: Uint16Array, index: number, end: number): boolean {
  return index + 1 < end && isLowercase(units[index] as number) && isLowercase(units[index + 1] as number);
}

/**
 * A light English stemmer: plural, -ing and -ed, and the final e and y that change with them, so that "caching",
 * "caches" and "cache" are one term. Words under four letters and words with other characters than a-z are unchanged.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return removeFinalVowel(removeVerbEnding(removePlural(word)));
}

function removePlural(word: string): string {
  if (word.endsWith("ies")) return word.slice(0, -2);
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function removeVerbEnding(word: string): string {
  const base = word.replace(/(?:ing|(?<!e)ed)$/, "");
  if (base === word || base.length < 3 || !/[aeiouy]/.test(base)) return word;
  return /([^aeiouylsz])\1$/.test(base) ? base.slice(0, -1) : base;
}

function removeFinalVowel(word: string): string {
  if (word.length < 4) return word;
  return word.endsWith("e") ? word.slice(0, -1) : word.replace(/(?<=[^aeiou])y$/, "i");
}

/** Function words of a question. They are rare in a manual, so their weight would exceed that of the subject. */
const questionWords = new Set(
  (
    "a about an and any are as at be been but by can could did do does for from had has have he her here his how i if in " +
    "into is it its me my of on or our she should so that the their them then there these they this those to was we were " +
    "what when where which who whom whose why will with would you your"
  )
    .split(" ")
    .map(stem),
);

/** Whether a term is a function word, which says little about the subject of a question. */
export function isQuestionWord(term: string): boolean {
  return questionWords.has(term);
}
