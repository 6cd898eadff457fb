/**
 * Removes characters that nothing shows. They can carry text that a model reads and a person does not see. Those that
 * scripts and emoji need stay, where they are needed: joiners, variation selectors, direction marks, flags of regions.
 */

/** How many characters of each class were removed. */
export type InvisibleCounts = {
  /** Tag characters outside of flags: invisible copies of ASCII. */
  tags: number;
  /** Soft hyphens and other places where a line may break; typography, not suspicious. */
  breaks: number;
  /** All others. */
  invisible: number;
};

/** Filters a text that arrives in chunks; the result does not depend on where the chunks end. */
export interface InvisibleFilter {
  push(chunk: string): string;
  flush(): string;
}

/** The text without invisible characters, except those that it needs. Filtering twice changes nothing. */
export function removeInvisible(text: string): string {
  const filter = createInvisibleFilter({ tags: 0, breaks: 0, invisible: 0 });
  return filter.push(text) + filter.flush();
}

/** A filter for one text, which adds to the counts. The text must be well formed. */
export function createInvisibleFilter(removed: InvisibleCounts): InvisibleFilter {
  let pending = "";
  /** The last character that was kept. */
  let previous = "";

  function filter(text: string, after: string): string {
    if (!mayBeInvisible.test(text)) {
      previous = lastCharacter(text) || previous;
      return text;
    }
    let kept = "";
    let end = 0;
    for (const { 0: match, index } of text.matchAll(flagOrInvisible)) {
      kept += text.slice(end, index);
      previous = lastCharacter(text.slice(Math.max(end, index - 2), index)) || previous;
      end = index + match.length;
      const next = firstCharacter(end < text.length ? text.slice(end, end + 2) : after);
      if (isFlag(match) || isNeeded(match, previous, next)) {
        kept += match;
        previous = match;
      } else removed[classify(match)] += 1;
    }
    const rest = text.slice(end);
    previous = lastCharacter(rest) || previous;
    return kept + rest;
  }

  return {
    push(chunk) {
      const text = pending + chunk;
      const end = text.length - (openEnd.exec(text.slice(-MAX_OPEN_END_CHARS))?.[0].length ?? 0);
      pending = text.slice(end);
      return filter(text.slice(0, end), pending);
    },
    flush() {
      const text = pending;
      pending = "";
      return filter(text, "");
    },
  };
}

/** Finds nearly all clean text quickly: the units that invisible characters begin with. */
const mayBeInvisible =
  /\u034f|[\u17b4-\u17b5]|[\u180b-\u180f]|[\u00ad\u061c\u115f-\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\ufe00-\ufe0f]|[\ud82f\ud834\udb40-\udb43]/;

/** What Unicode calls default ignorable, and interlinear annotations. */
const invisible = "[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]";

/** The regions whose flags fonts show: England, Scotland, Wales. The tags of any other would spell hidden words. */
const flagRegions = ["gbeng", "gbsct", "gbwls"];

/** A black flag, the letters of a region as tags, and the tag that ends them. */
const flag = `\\u{1f3f4}(?:${flagRegions.map(toTags).join("|")})\\u{e007f}`;
const flagOrInvisible = new RegExp(`${flag}|${invisible}`, "gu");

/** An end whose meaning depends on what follows. */
const openEnd = new RegExp(`(?:\\u{1f3f4}[\\u{e0030}-\\u{e007f}]{0,6}|${invisible})$`, "u");
const MAX_OPEN_END_CHARS = 14;

/** The tag characters of some ASCII letters, as a regular expression. */
function toTags(letters: string): string {
  return Array.from(letters, (letter) => `\\u{e00${letter.charCodeAt(0).toString(16)}}`).join("");
}

const isFlag = (match: string): boolean => match.length > 2;

/** Whether a script or an emoji needs the character between these two. */
function isNeeded(character: string, previous: string, next: string): boolean {
  switch (character) {
    case "\u200d": // Zero-width joiner.
      return (beforeJoiner.test(previous) && pictograph.test(next)) || joiningLetter().test(previous);
    case "\u200c": // Zero-width non-joiner.
      return joiningLetter().test(previous);
    case "\u200b": // Zero-width space.
      return unspacedLetter().test(previous);
    case "\ufe0e": // Text or emoji form, also of the base of a keycap.
    case "\ufe0f":
      return pictograph.test(previous) || (next === "\u20e3" && /[\d#*]/.test(previous));
    case "\u200e": // Direction marks, which reorder no letters. Inside a word of Latin letters they have no use.
    case "\u200f":
    case "\u061c":
      return !directionMark.test(previous) && !(latin.test(previous) && latinOrInvisible.test(next));
    default:
      return /[\u180b-\u180f]/.test(character) && mongolianLetter.test(previous);
  }
}

const pictograph = /\p{Extended_Pictographic}/u;
const beforeJoiner = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f/u;
const directionMark = /[\u200e\u200f\u061c]/;
const latin = /\p{Script=Latin}/u;
const latinOrInvisible = new RegExp(`\\p{Script=Latin}|${invisible}`, "u");
const mongolianLetter = /(?=\p{L})\p{Script=Mongolian}/u;

/** Letters and marks of scripts in which joiners change the form or the spelling. */
const joiningLetter = lettersOf(
  ["Arab", "Syrc", "Mand", "Nkoo", "Mong", "Adlm", "Rohg"],
  ["Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"],
  ["Tibt", "Mymr", "Khmr", "Java", "Bali"],
);

/** Letters and marks of scripts without spaces between words, where a zero-width space separates them. */
const unspacedLetter = lettersOf(["Thai", "Laoo", "Khmr", "Mymr"]);

/** Made when it is first needed: every command loads this file, and each pattern takes a millisecond. */
function lettersOf(...scripts: readonly (readonly string[])[]): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    const names = scripts.flat().map((script) => `\\p{scx=${script}}`);
    pattern ??= new RegExp(`(?=[\\p{L}\\p{M}])[${names.join("")}]`, "u");
    return pattern;
  };
}

function classify(character: string): keyof InvisibleCounts {
  if (/[\u00ad\u200b\u2060]/.test(character)) return "breaks";
  return /[\u{e0000}-\u{e007f}]/u.test(character) ? "tags" : "invisible";
}

const firstCharacter = (text: string): string =>
  String.fromCodePoint(...(text === "" ? [] : [text.codePointAt(0) ?? 0]));

/** The last code point of a text. */
function lastCharacter(text: string): string {
  const end = text.slice(-2);
  return (end.codePointAt(0) ?? 0) > 0xffff ? end : end.slice(-1);
}
