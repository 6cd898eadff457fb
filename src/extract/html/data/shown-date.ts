/** The date that a page shows near its title. */
import { collectText, type Element, listByTag, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

const { maxDateDistance, maxDateLineChars } = htmlWeights.data;

/** The first date after the title, by a `time` element or in words; else the first `time` element of the page. */
export function findDate(page: Page): string | undefined {
  const [title] = listByTag(page, "h1");
  const firstTime = () => readTime(listByTag(page, "time").find(hasTime));
  if (title === undefined) return firstTime();
  const near = page.elements.slice(title.index + 1, title.end + maxDateDistance);
  return readTime(near.find(hasTime)) ?? firstDate(near) ?? firstTime();
}

function hasTime({ tag, attributes }: Element): boolean {
  return tag === "time" && (attributes.datetime ?? "").trim() !== "";
}

function readTime(element: Element | undefined): string | undefined {
  return element?.attributes.datetime?.trim();
}

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const dateInWords = new RegExp(
  `\\b(?:(?:${months})\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{1,2}(?:st|nd|rd|th)? (?:${months})\\.?,? \\d{4}|\\d{4}-\\d{2}-\\d{2})\\b`,
  "i",
);

/** The date in the first short line that has one; a sentence may be about any day. */
function firstDate(elements: readonly Element[]): string | undefined {
  for (const element of elements) {
    if (!element.children.some((child) => typeof child === "string" && /\d{4}/.test(child))) continue;
    const text = collectText(element, 2 * maxDateLineChars)
      .replace(/\s+/g, " ")
      .trim();
    const date = text.length <= maxDateLineChars ? dateInWords.exec(text)?.[0] : undefined;
    if (date !== undefined) return date;
  }
  return undefined;
}
