/** The inline formats of Markdown: which elements have one, and how it is written. */
import { isAnchorSign, isSkipLink, type Resolver } from "../tree/links.ts";
import type { Element } from "../tree/tree.ts";
import { type Around, splitForMarks } from "./emphasis-edges.ts";
import { escapeEdges, escapeSigns } from "./escape.ts";
import { writeInlineCode } from "./fences.ts";
import { isEnlargement } from "./images.ts";
import type { LinkWriter } from "./link-writer.ts";

export type InlineFormat = "strong" | "emphasis" | "strike" | "code" | "link";

/** The format of each inline tag that has one. */
export const formatsByTag: ReadonlyMap<string, InlineFormat> = new Map([
  ["strong", "strong"],
  ["b", "strong"],
  ["em", "emphasis"],
  ["i", "emphasis"],
  ["del", "strike"],
  ["s", "strike"],
  ["strike", "strike"],
  ["code", "code"],
  ["kbd", "code"],
  ["samp", "code"],
  ["tt", "code"],
  ["a", "link"],
]);

type FormatOptions = Around & {
  readonly isMarkdown: boolean;
  readonly isHeading: boolean;
  /** In the title of the page, which links to the page itself. */
  readonly isTitle: boolean;
  readonly resolve: Resolver;
  readonly links: LinkWriter;
};

/** Formats the text of an element; returns it unchanged where a format would be wrong or say nothing. */
export function formatInline(format: InlineFormat, element: Element, text: string, options: FormatOptions): string {
  if (!options.isMarkdown) return format === "link" && isAnchorSign(text) ? "" : text;
  if (format === "link") return formatLink(element, text, options);
  if (format === "code") return text.split("\n").filter(isFilled).map(writeInlineCode).join("\n");
  if (text.includes("\n") || options.isHeading) return text;
  // Signs that Markdown uses for emphasis cannot be emphasized themselves.
  if (/^[*_~\\]+$/.test(text)) return escapeSigns(text);
  // Emphasis says nothing more about a link.
  if (onlyLink.test(text)) return text;
  const sign = emphasisSigns[format];
  const escaped = escapeEdges(text);
  const { start, core, end } = splitForMarks(escaped, options);
  return core === "" ? escaped : start + sign + core + sign + end;
}

function isFilled(line: string): boolean {
  return line.trim() !== "";
}

const onlyLink = /^\[[^[\]\n]*\]\([^()\s]*\)$/;

const emphasisSigns = { strong: "**", emphasis: "*", strike: "~~" } as const;

function formatLink(element: Element, text: string, options: FormatOptions): string {
  const { isHeading, isTitle, resolve, links } = options;
  const { href } = element.attributes;
  if (isAnchorSign(text) || isSkipLink(href, text)) return "";
  // A heading that links to itself is only a heading.
  if (href === undefined || isTitle || (isHeading && href.startsWith("#"))) return text;
  const target = resolve(href);
  if (target === undefined || isEnlargement(element, target)) return text;
  const link = links.write(text, target);
  return link === text && isRaised(element) && /^\d+$/.test(text) ? `[${text}]` : link;
}

/** Whether a link is a superscript: the number of a note, which is not to be read as the end of the word before it. */
function isRaised({ parent, children }: Element): boolean {
  return parent?.tag === "sup" || children.some((child) => typeof child !== "string" && child.tag === "sup");
}
