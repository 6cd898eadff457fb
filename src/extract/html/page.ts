/** The main content of an HTML page as Markdown or plain text, with the facts that the page states about itself. */

import { choose } from "./choose/choose.ts";
import { isIgnored, measureText } from "./choose/text-measures.ts";
import { type Metadata, readMetadata } from "./data/page-metadata.ts";
import { toPlainText } from "./plain-text.ts";
import { extractBest, type Outcome } from "./strategies.ts";
import { hasRelativeLink } from "./tree/links.ts";
import { parseHtml } from "./tree/parse.ts";
import { type WriteOptions, type WrittenText, writeMarkdown } from "./write/markdown.ts";

/** The text with its headings, how it was extracted, and the facts of the page. */
export type HtmlExtract = Outcome & {
  readonly metadata: Metadata;
  /** The address that links in the text are relative to; undefined if none is. */
  readonly linkBase: string | undefined;
};

/** Extracts a page. Takes linear time and never throws, for any source. */
export function extractHtml(html: string, options: WriteOptions): HtmlExtract {
  const page = parseHtml(html);
  const outcome = extractBest(page, html, options);
  return { ...outcome, metadata: readMetadata(page, options.url), linkBase: findBaseOf(outcome, options) };
}

function findBaseOf({ text, linkBase }: Outcome, { mode }: WriteOptions): string | undefined {
  return mode === "markdown" && hasRelativeLink(text) ? linkBase : undefined;
}

/** Writes all that a page shows, for documents whose every part is content: chapters of books, bodies of mails. */
export function writeWholePage(html: string, options: WriteOptions): Pick<WrittenText, "text" | "marks"> {
  const page = parseHtml(html);
  if (!page.isComplete) return { text: toPlainText(html), marks: [] };
  const choice = choose(page, measureText(page, isIgnored), { pruning: "none", showsHidden: false, url: options.url });
  return writeMarkdown(page, { ...choice, keepsRepeats: true }, options);
}
