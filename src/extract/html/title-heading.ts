/** Puts the title of a page above its text where the text does not show it: the heading is often outside the content. */
import { cleanText } from "../clean.ts";
import type { Mark } from "../handler.ts";
import type { HtmlExtract } from "./page.ts";
import { lettersOf } from "./tree/letters.ts";
import { htmlWeights } from "./weights.ts";
import { escapeHeading, escapeText, toPlainLabel } from "./write/escape.ts";

const { maxTitleChars, minTitleShare, maxHeadingDistance } = htmlWeights.title;

type HeadedText = Pick<HtmlExtract, "text" | "marks">;

/** The text with the title of the page as a heading. A first line that is the title becomes that heading. */
export function addTitleHeading(page: HtmlExtract, mode: "markdown" | "text"): HeadedText {
  const { text, marks, metadata, method } = page;
  const title = toLine(metadata.title ?? "");
  const parts = partsOf(title);
  if (text === "" || parts.length === 0 || title.length > maxTitleChars || method === "linear") return { text, marks };
  const site = lettersOf(metadata.site ?? "");
  if (marks.some((mark) => showsTitle(mark, parts, site))) return { text, marks };
  const mark = mode === "markdown" ? "# " : "";
  const [firstLine = ""] = text.split("\n", 1);
  const label = toPlainLabel(firstLine);
  if (!blockStart.test(firstLine) && beginsWithTitle(label, parts))
    return replaceStart(page, firstLine, `${mark}${firstLine}`, label);
  const start = lettersOf(text.slice(0, maxHeadingDistance));
  if (parts.some((part) => start.includes(part))) return { text, marks };
  const heading = mode === "markdown" ? escapeHeading(escapeText(title)) : title;
  return replaceStart(page, "", `${mark}${heading}\n\n`, title);
}

/** A text as it will be shown: characters that are removed may leave blanks at its ends. */
function toLine(text: string): string {
  return cleanText(text).text.replace(/\s+/g, " ").trim();
}

/** The letters of a title, and of the parts that are most of it: the others name the site. */
function partsOf(title: string): readonly string[] {
  const letters = lettersOf(title);
  const parts = title.split(/\s+[|\-–—·:»/~]\s+/).map(lettersOf);
  return [...new Set([letters, ...parts])].filter(
    (part) => part !== "" && part.length >= minTitleShare * letters.length,
  );
}

/** Whether a heading has the words of the title, or is the main one near the start and not the name of the site. */
function showsTitle({ label, level, at }: Mark, parts: readonly string[], site: string): boolean {
  return beginsWithTitle(label, parts) || (level === 1 && at < maxHeadingDistance && lettersOf(label) !== site);
}

function beginsWithTitle(label: string, parts: readonly string[]): boolean {
  const letters = lettersOf(label);
  return parts.some((part) => letters.startsWith(part) && part.length >= minTitleShare * letters.length);
}

/** A list, a quotation, a table, code or a formula: not a line that can become a heading. */
const blockStart = /^(?:[-+>|#]|\d+\. |```|~~~|\$\$|!\[)/;

/** Replaces the start of a text by its heading; the marks keep their places. */
function replaceStart({ text, marks }: HtmlExtract, start: string, heading: string, label: string): HeadedText {
  const shift = heading.length - start.length;
  return {
    text: heading + text.slice(start.length),
    marks: [{ label, level: 1, at: 0 }, ...marks.map((mark) => ({ ...mark, at: mark.at + shift }))],
  };
}
