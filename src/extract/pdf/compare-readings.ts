/** Compares two readings of a page whose characters had to be guessed, and says whether they remain doubtful. */
import { countPlausibleChars, isReadable } from "./garbled.ts";

/** The reading to show. Guesswork means that characters may be wrong although they look right. */
type Verdict = { readonly text: string; readonly isGuesswork: boolean };

/**
 * Chooses between PDFium's reading, of which the fonts did not confirm the characters, and that of pdf.js. Two readers
 * that guess alike are believed. If they differ, pdf.js is preferred: it looks into the font files. `unknown` are the
 * numbers that the first one does not take for characters; if pdf.js does, it has not read them either.
 */
export function compareReadings(first: string, second: string, unknown = ""): Verdict {
  if (unknown !== "") return fillUnknown(first, second, unknown) ?? chooseReading(first, second);
  return isConfirmed(first, second) ? { text: first, isGuesswork: false } : chooseReading(first, second);
}

/**
 * The verdict on a reading that lacks single characters; null if the second one has other differences too. What the second
 * one has beside the known characters decides, however small a part of the page that is.
 */
function fillUnknown(first: string, second: string, unknown: string): Verdict | null {
  const known = first.replaceAll("\ufffd", "");
  const added = subtractChars(second, known);
  const hasNumbers = subtractChars(added.join(""), unknown).length < added.length;
  if (hasNumbers || added.length < first.length - known.length)
    return isConfirmed(known + unknown, second) ? { text: first, isGuesswork: true } : null;
  return isConfirmed(second, known) ? { text: second, isGuesswork: false } : null;
}

function chooseReading(first: string, second: string): Verdict {
  const text = isAtLeastAsGood(first, second) ? second : first;
  const drawnChars = Math.max(countChars(first), countChars(second));
  // Nothing in the first reading was a word, so there is only one candidate.
  const isOnlyReading = text === second && isReadable(second, drawnChars) && !isReadable(first, drawnChars);
  return { text, isGuesswork: !isOnlyReading };
}

/** Of the second reading's characters at least this share must be in the first. */
const MIN_CONFIRMED_SHARE = 0.98;
/** Less than this share of the first reading's length confirms nothing; form fields are only in the first. */
const MIN_LENGTH_SHARE = 0.5;

/** Whether the characters of the second reading are those of the first, in any order: layout differs between readers. */
function isConfirmed(first: string, second: string): boolean {
  const total = countChars(second);
  const found = total - subtractChars(second, first).length;
  return found >= MIN_CONFIRMED_SHARE * total && total >= MIN_LENGTH_SHARE * countChars(first);
}

/** The characters of a text that another one lacks, or has fewer times. */
function subtractChars(text: string, other: string): string[] {
  const remaining = new Map<string, number>();
  for (const char of listChars(other)) remaining.set(char, (remaining.get(char) ?? 0) + 1);
  return listChars(text).filter((char) => {
    const count = remaining.get(char) ?? 0;
    if (count > 0) remaining.set(char, count - 1);
    return count === 0;
  });
}

/** A reading that is much shorter lacks text. */
const MIN_SUBSTITUTE_SHARE = 0.8;

function isAtLeastAsGood(first: string, second: string): boolean {
  const [firstPlausible, secondPlausible] = [countPlausibleChars(first), countPlausibleChars(second)];
  if (secondPlausible > 1.05 * firstPlausible) return true;
  return secondPlausible >= 0.95 * firstPlausible && countChars(second) >= MIN_SUBSTITUTE_SHARE * countChars(first);
}

function listChars(text: string): string[] {
  return [...text.normalize("NFKC").replace(/\s/g, "")];
}

function countChars(text: string): number {
  return listChars(text).length;
}
