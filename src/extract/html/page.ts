/** The main content of an HTML page as Markdown or plain text, with the facts that the page states about itself. */

import { type Metadata, readMetadata } from "./data/page-metadata.ts";
import { extractBest, type Outcome } from "./strategies.ts";
import { parseHtml } from "./tree/parse.ts";
import type { WriteOptions } from "./write/markdown.ts";

/** The text with its headings, how it was extracted, and the facts of the page. */
export type HtmlExtract = Outcome & { readonly metadata: Metadata };

/** Extracts a page. Takes linear time and never throws, for any source. */
export function extractHtml(html: string, options: WriteOptions): HtmlExtract {
  const page = parseHtml(html);
  return { ...extractBest(page, html, options), metadata: readMetadata(page, options.url) };
}
