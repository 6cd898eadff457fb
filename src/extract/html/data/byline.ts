/** Who wrote a page, as it says to its readers. */
import { type Element, flatText, type Page } from "../tree/tree.ts";

const longestChars = 80;
const bylineName =
  /^(?:byline(?:[-_]*(?:name|author))?|(?:post|entry|article|story)[-_]*(?:author|byline)|author[-_]*name|p-author)$/i;

/** The name in a byline: of an element that is marked as the author, else of one that is called so. */
export function bylineOf({ elements }: Page): string | undefined {
  const marked = elements.find(({ attributes: { rel, itemprop } }) => rel === "author" || itemprop === "author");
  return (marked === undefined ? undefined : nameIn(marked)) ?? firstName(elements.filter(isByline));
}

function isByline({ attributes: { class: className } }: Element): boolean {
  return (
    className !== undefined &&
    /author|byline/i.test(className) &&
    className.split(/\s+/).some((name) => bylineName.test(name))
  );
}

const mostBylines = 5;

function firstName(bylines: readonly Element[]): string | undefined {
  return bylines
    .slice(0, mostBylines)
    .map(nameIn)
    .find((name) => name !== undefined);
}

/** The text of an element, or of a link in it where there is more than a name. */
function nameIn(element: Element): string | undefined {
  return asName(element) ?? firstName(linksIn(element));
}

function linksIn({ children }: Element): readonly Element[] {
  return children
    .filter((child) => typeof child !== "string")
    .flatMap((child) => (child.tag === "a" ? [child] : linksIn(child)));
}

/** A name has no digits and few words. */
function asName(element: Element): string | undefined {
  const text = flatText(element, 4 * longestChars)
    .replace(/\s+/g, " ")
    .trim();
  const name = text.replace(/^(?:(?:written|posted|published) )?(?:by|par|von|por|di|door)[: ]\s*/i, "").trim();
  const isName = name.length > 1 && name.length < longestChars && /^\p{L}/u.test(name) && !/[\d@|]|https?:/.test(name);
  return isName && name.split(" ").length <= mostWords ? name : undefined;
}
const mostWords = 8;
