/** The main content of an HTML page as Markdown or plain text, with what the page tells about itself. */

import { type Metadata, readMetadata } from "./data/page-metadata.ts";
import { type Climbed, climb } from "./strategies.ts";
import { parseHtml } from "./tree/parse.ts";
import type { WriteOptions } from "./write/markdown.ts";

/** The text with its headings, how it was found, and the facts of the page. */
export type HtmlExtract = Climbed & { readonly metadata: Metadata };

/** Reads a page. Linear in its size and never throws, whatever the source. */
export function extractHtml(html: string, options: WriteOptions): HtmlExtract {
  const page = parseHtml(html);
  return { ...climb(page, html, options), metadata: readMetadata(page, options.url) };
}
