/** Bookmarks as marks of the page they lead to, at the place where the page has their words. */
import { cleanText } from "../clean.ts";
import type { Mark } from "../handler.ts";
import type { PdfDocument } from "./document.ts";

/** The bookmarks of each page, by its index. */
export function outlineMarks({ outline }: Pick<PdfDocument, "outline">): Map<number, Omit<Mark, "at">[]> {
  const marks = new Map<number, Omit<Mark, "at">[]>();
  for (const { label, level, page } of outline) {
    if (page === null) continue;
    const ofPage = marks.get(page) ?? [];
    marks.set(page, ofPage);
    ofPage.push({ label: cleanLine(label), level });
  }
  return marks;
}

/** The marks at the place of their words in the text; at its start if the page words them differently. */
export function placeMarks(marks: readonly Omit<Mark, "at">[], text: string): Mark[] {
  const lowerText = text.toLowerCase();
  return marks.map(({ label, level }) => ({ label, level, at: findPlace(label.toLowerCase(), lowerText) }));
}

/** A heading begins with its signs. */
function findPlace(label: string, text: string): number {
  const at = Math.max(0, text.indexOf(label));
  const signs = /(?:^|\n)(#{1,6} )$/.exec(text.slice(Math.max(0, at - 8), at))?.[1] ?? "";
  return at - signs.length;
}

/** Metadata can mislead a reader just like text. */
export const cleanLine = (words: string): string => cleanText(words).text.replace(/\s+/g, " ").trim();
