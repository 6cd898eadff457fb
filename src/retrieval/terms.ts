/** What words are compared by: case, width, English endings and the way names are glued together do not matter. */

/** The terms of one word. */
export type Word = {
  /** In reading order: the parts of an identifier, the character pairs of a script without spaces, else the word. */
  readonly parts: readonly string[];
  /** The whole identifier, where it has several parts. */
  readonly whole: string | null;
  /** The characters of a longer run without spaces, so that a question of one character finds it. */
  readonly characters: readonly string[];
};

/** Chinese, Japanese and Korean, and the scripts of South East Asia that put no spaces between words. */
const unspaced =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\u30fc\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const unicodeWord = new RegExp(`[${unspaced}]+|[[\\p{L}\\p{M}\\p{N}_]--[${unspaced}]]+`, "gv");
const startsUnspaced = new RegExp(`^[${unspaced}]`, "u");
const asciiWord = /[A-Za-z0-9_]+/g;

/** The words of a text as they are written, in order. Plain ASCII, as in logs and code, takes a quicker way. */
export function wordsOf(text: string): readonly string[] {
  if (!/[^\x00-\x7f]/.test(text)) return text.match(asciiWord) ?? [];
  return text.normalize("NFKC").match(unicodeWord) ?? [];
}

/** The terms of one word of `wordsOf`. */
export function termsOf(word: string): Word {
  if (startsUnspaced.test(word)) return unspacedTerms(word);
  const parts = partsOf(word).map((part) => stem(part.toLowerCase()));
  const whole = parts.length > 1 ? stem(word.toLowerCase()) : null;
  return { parts, whole, characters: [] };
}

function unspacedTerms(run: string): Word {
  const characters = [...run];
  if (characters.length === 1) return { parts: characters, whole: null, characters: [] };
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return { parts: pairs, whole: null, characters };
}

/**
 * `max_retries`, `utf8Decoder`, `HTTPServer`; but `URLs` stays whole. Looks back only at capitals, so digits are cheap.
 * `eachPart` does the same for ASCII without it, several times faster: an index takes every new word apart.
 */
const partBorder = /_+|(?=\p{Lu})(?<=\p{Ll}\p{N}*)|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

function partsOf(word: string): readonly string[] {
  if (/[^\x00-\x7f]/.test(word)) return word.split(partBorder).filter((part) => part !== "");
  const parts: string[] = [];
  const units = new Uint16Array(word.length);
  for (let at = 0; at < word.length; at++) units[at] = word.charCodeAt(at);
  eachPart(units, 0, units.length, (from, to) => parts.push(word.slice(from, to)));
  return parts;
}

/** Calls back with the borders of each part of an identifier in ASCII, which stands from `start` to `end`. */
export function eachPart(
  units: Uint16Array,
  start: number,
  end: number,
  found: (from: number, to: number) => void,
): void {
  let from = start;
  let [afterSmall, afterCapital] = [false, false];
  for (let at = start; at < end; at++) {
    const unit = units[at] as number;
    const capital = isCapital(unit);
    const border = capital && (afterSmall || (afterCapital && areSmall(units, at + 1, end)));
    if (border || unit === underscore) {
      if (at > from) found(from, at);
      from = border ? at : at + 1;
    }
    afterSmall = isSmall(unit) || (afterSmall && isDigit(unit));
    afterCapital = capital;
  }
  if (end > from) found(from, end);
}

const underscore = 95;
const isCapital = (unit: number): boolean => unit >= 65 && unit <= 90;
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;
const isSmall = (unit: number): boolean => unit >= 97 && unit <= 122;

/** Whether two small letters stand here. */
function areSmall(units: Uint16Array, at: number, end: number): boolean {
  return at + 1 < end && isSmall(units[at] as number) && isSmall(units[at + 1] as number);
}

/**
 * A light English stemmer: plural, -ing and -ed, with the final e and y that come and go with them, so that "caching",
 * "caches" and "cache" are one term. Words too short to have an ending, and all that is not a-z, stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutFinalVowel(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies")) return word.slice(0, -2);
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  const base = word.replace(/(?:ing|(?<!e)ed)$/, "");
  if (base === word || base.length < 3 || !/[aeiouy]/.test(base)) return word;
  return /([^aeiouylsz])\1$/.test(base) ? base.slice(0, -1) : base;
}

function withoutFinalVowel(word: string): string {
  if (word.length < 4) return word;
  return word.endsWith("e") ? word.slice(0, -1) : word.replace(/(?<=[^aeiou])y$/, "i");
}

/** Words that carry a question rather than its subject; rare in a manual, they would outweigh what is asked for. */
const questionWords = new Set(
  (
    "a about an and any are as at be been but by can could did do does for from had has have he her here his how i if in " +
    "into is it its me my of on or our she should so that the their them then there these they this those to was we were " +
    "what when where which who whom whose why will with would you your"
  )
    .split(" ")
    .map(stem),
);

/** Whether a term says little about what is asked. */
export function isQuestionWord(term: string): boolean {
  return questionWords.has(term);
}
