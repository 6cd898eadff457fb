/** Texts without what two spellings of the same words may differ in: case, blanks and punctuation. */

/** The letters and digits of a text in lower case. */
export function lettersOf(text: string): string {
  return replaceOthers(text, "");
}

/** The words of a text in lower case, with one blank between them. */
export function wordsOf(text: string): string {
  return replaceOthers(text, " ").trim();
}

/** The words of a text in lower case. */
export function listWords(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return lower.match(isAscii(lower) ? /[a-z\d]+/g : /[\p{L}\p{N}]+/gu) ?? [];
}

function replaceOthers(text: string, replacement: string): string {
  const lower = text.toLowerCase();
  return lower.replace(isAscii(lower) ? /[^a-z\d]+/g : /[^\p{L}\p{N}]+/gu, replacement);
}

/** Most texts are ASCII, where letters are found much faster. */
function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
