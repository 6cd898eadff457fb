/** Code as Markdown writes it: in a line, and as blocks between fences. */
import { type Element, flatText } from "../tree/tree.ts";

/** A block of code that was written, with the number of blocks up to it. */
export type Listing = {
  readonly element: Element;
  readonly language: string;
  readonly text: string;
  readonly count: number;
};

/** A block of code between fences that are longer than any in it. */
export function fenced(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text, "`") + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The text of a listing with a further piece of it. */
export function continued({ element, text }: Listing, piece: string): string {
  return `${text}${endsWithBlankLine(element) ? "\n\n" : "\n"}${piece}`;
}

const mostMergedChars = 20_000;

/** Pieces of one listing: code elements shown as blocks, one after the other, with their output between them. */
export function continues(listing: Listing, next: Element, language: string): boolean {
  if (listing.text.length > mostMergedChars || language === "" || language !== listing.language) return false;
  return listing.element.parent === next.parent && (listing.element.tag === "code" || next.tag === "code");
}

function endsWithBlankLine(element: Element): boolean {
  const text = flatText(element);
  return text.slice(text.trimEnd().length).split("\n").length > 2;
}

/** Code in a line, between enough ticks. */
export function inlineCode(text: string): string {
  const ticks = "`".repeat(longestRun(text, "`") + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

function longestRun(text: string, character: string): number {
  if (!text.includes(character)) return 0;
  let longest = 0;
  let run = 0;
  for (const one of text) {
    run = one === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
