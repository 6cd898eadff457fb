/**
 * Where Markdown reads the marks of emphasis: between a word and a sign they neither open nor close anything.
 * https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
 */

/** The end of the text before marks, and the start of the text after them as far as it is known. */
export type Around = { readonly before: string; readonly after: string };
type Split = { readonly start: string; readonly core: string; readonly end: string };

/**
 * Splits a text into what marks can enclose, "" if nothing, and the signs that belong before and after them. Signs at both
 * ends move together: they may be brackets.
 */
export function splitForMarks(text: string, { before, after }: Around): Split {
  const start = signsAtStart.exec(text.slice(0, MAX_SIGNS))?.[0] ?? "";
  const end = signsAtEnd.exec(text.slice(-MAX_SIGNS))?.[0] ?? "";
  const isRead = !(start !== "" && wordEnd.test(before)) && !(end !== "" && wordStart.test(after));
  if (isRead) return { start: "", core: text, end: "" };
  const isWhole = start.length + end.length >= text.length || start.length === MAX_SIGNS || end.length === MAX_SIGNS;
  const core = text.slice(start.length, text.length - end.length);
  if (isWhole || !canMove(start, text) || !canMove(end, text) || !hasPairedBrackets(core))
    return { start: "", core: "", end: "" };
  return { start, core, end };
}

/** Not all parsers take symbols other than those of ASCII for signs. Marks beside marks are read as one. */
const wordEnd = /[^\s\p{P}$+<=>^`|~]\**$/u;
const wordStart = /^[^\s\p{P}$+<=>^`|~]/u;
const signsAtStart = /^\**(?!\*)[\p{P}\p{S}](?:(?!\*)[\p{P}\p{S}\s])*/u;
const signsAtEnd = /(?:(?!\*)[\p{P}\p{S}\s])*(?!\*)[\p{P}\p{S}]\**$/u;
/** Text with more signs at an end is not emphasized there. */
const MAX_SIGNS = 12;

function hasPairedBrackets(text: string): boolean {
  return text.match(/\p{Ps}/gu)?.length === text.match(/\p{Pe}/gu)?.length;
}

/** Whether signs are only signs, not syntax of Markdown in the text. */
function canMove(signs: string, text: string): boolean {
  if (signs === "") return true;
  return !/[\\`*_~[\]$]/.test(signs) && !(/[()]/.test(signs) && text.includes("]("));
}
