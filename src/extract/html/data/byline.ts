/** The author that a page shows to its readers. */
import { collectText, type Element, listByTag, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** Limits the search for a name: the first bylines and links are the page's own. */
const MAX_BYLINES = 5;
const bylineName =
  /^(?:byline(?:[-_]*(?:name|author))?|(?:post|entry|article|story)[-_]*(?:author|byline)|author[-_]*name|p-author)$/i;

const bylinesByPage = new WeakMap<Page, { readonly name: string | undefined }>();

/** The name in a byline: an element with the role of the author, else one with a class name for bylines. */
export function findByline(page: Page): string | undefined {
  const byline = bylinesByPage.get(page) ?? { name: readByline(page) };
  bylinesByPage.set(page, byline);
  return byline.name;
}

function readByline(page: Page): string | undefined {
  const { elements } = page;
  const author = elements.find(({ attributes: { rel, itemprop } }) => rel === "author" || itemprop === "author");
  return (
    (author === undefined ? undefined : nameIn(author)) ??
    firstName(elements, isByline) ??
    firstName(linesNearTitle(page), startsWithBy)
  );
}

function linesNearTitle(page: Page): readonly Element[] {
  const [title] = listByTag(page, "h1");
  return title === undefined ? [] : page.elements.slice(title.end, title.end + htmlWeights.data.maxDateDistance);
}

/** A line such as "By Ada Lindqvist", whose name may be a link. */
function startsWithBy(element: Element): boolean {
  const text = collectText(element, 4 * htmlWeights.data.maxAuthorChars).trim();
  return text.length < htmlWeights.data.maxAuthorChars && /^(?:[Ww]ritten |[Pp]osted )?[Bb]y[:\s]+\p{Lu}/u.test(text);
}

function isByline({ attributes: { class: className } }: Element): boolean {
  return (
    className !== undefined &&
    /author|byline/i.test(className) &&
    className.split(/\s+/).some((name) => bylineName.test(name))
  );
}

/** The first name in the first bylines among some elements. */
function firstName(elements: readonly Element[], isByline: (element: Element) => boolean): string | undefined {
  let bylines = 0;
  for (const element of elements) {
    if (!isByline(element)) continue;
    const name = nameIn(element);
    bylines += 1;
    if (name !== undefined || bylines === MAX_BYLINES) return name;
  }
  return undefined;
}

/** The text of an element if it is a name, else the first name among the links in it. */
function nameIn(element: Element): string | undefined {
  return toName(element) ?? firstName(linksIn(element), () => true);
}

function linksIn({ children }: Element): readonly Element[] {
  return children
    .filter((child) => typeof child !== "string")
    .flatMap((child) => (child.tag === "a" ? [child] : linksIn(child)));
}

/** A name has no digits and few words. */
function toName(element: Element): string | undefined {
  const text = collectText(element, 4 * htmlWeights.data.maxAuthorChars)
    .replace(/\s+/g, " ")
    .trim();
  const name = text.replace(/^(?:(?:written|posted|published) )?(?:by|par|von|por|di|door)[: ]\s*/i, "").trim();
  const hasNameLength = name.length > 1 && name.length < htmlWeights.data.maxAuthorChars;
  const isName = hasNameLength && /^\p{L}/u.test(name) && !/[\d@|]|https?:/.test(name);
  return isName && name.split(" ").length <= htmlWeights.data.maxAuthorWords ? name : undefined;
}
