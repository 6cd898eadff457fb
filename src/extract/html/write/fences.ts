/** Code in Markdown: inside a line, and as blocks between fences. */
import { collectText, type Element } from "../tree/tree.ts";
import type { BlockWriter } from "./block-writer.ts";

/** Merging ever longer listings would be quadratic. */
const MAX_MERGED_CHARS = 20_000;

/** The last code block written, with the number of blocks up to it. */
type Listing = {
  readonly element: Element;
  readonly language: string;
  readonly text: string;
  readonly count: number;
};

/** Writes fenced code blocks, and merges those that are parts of one listing. */
export class FenceWriter {
  readonly #blocks: BlockWriter;
  #last: Listing | undefined;

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks;
  }

  write(element: Element, language: string, text: string): void {
    const last = this.#last;
    const isMerged =
      last !== undefined && last.count === this.#blocks.count && continuesListing(last, element, language);
    if (isMerged) this.#blocks.retract();
    const listing = isMerged ? joinListing(last, text) : text;
    this.#blocks.write(fenceCode(listing, language));
    this.#last = { element, language, text: listing, count: this.#blocks.count };
  }
}

/** Consecutive code elements shown as blocks are one listing, such as commands with their output between them. */
function continuesListing(listing: Listing, next: Element, language: string): boolean {
  if (listing.text.length > MAX_MERGED_CHARS || language === "" || language !== listing.language) return false;
  return listing.element.parent === next.parent && (listing.element.tag === "code" || next.tag === "code");
}

function joinListing({ element, text }: Listing, next: string): string {
  return `${text}${endsWithBlankLine(element) ? "\n\n" : "\n"}${next}`;
}

function endsWithBlankLine(element: Element): boolean {
  const text = collectText(element);
  return text.slice(text.trimEnd().length).split("\n").length > 2;
}

/** A block of code between fences that are longer than any in it. */
function fenceCode(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, measureLongestRun(text, "`") + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Writes code inside a line, between enough backticks. */
export function writeInlineCode(text: string): string {
  const ticks = "`".repeat(measureLongestRun(text, "`") + 1);
  const padding = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${padding}${text}${padding}${ticks}`;
}

function measureLongestRun(text: string, character: string): number {
  if (!text.includes(character)) return 0;
  let longest = 0;
  let run = 0;
  for (const current of text) {
    run = current === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
