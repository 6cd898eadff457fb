/** The title of a page: the candidate that equals its heading, without the name of the site. */
import { collectText, type Element, listByTag, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** The titles that a page states, the most trusted first, and the name of its site. */
type TitleCandidates = { readonly names: readonly (string | undefined)[]; readonly site: string | undefined };
type Title = { readonly title: string | undefined; readonly site: string | undefined };

/** The title, and the name of the site, which is read from the end of a title where the page does not state it. */
export function findTitle(page: Page, { names, site }: TitleCandidates): Title {
  const candidates = [...names, textOf(listByTag(page, "title")[0])].filter((name) => name !== undefined);
  const heading = textOf(listByTag(page, "h1").find((element) => !linksToFrontPage(element)));
  const confirmed = candidates.find((name) => isSame(name, heading));
  if (confirmed !== undefined && !isSame(confirmed, site)) return { title: confirmed, site };
  const [siteInTitle] = candidates.flatMap((name) => lastPartAfter(heading, name));
  if (siteInTitle !== undefined) return { title: heading, site: site ?? siteInTitle };
  const titles = candidates.map((name) => removeSite(name, site));
  return { title: titles.find((name) => !isSame(name, site)) ?? heading ?? titles[0], site };
}

/** A heading that links to the front page is the site's name, not a title. */
function linksToFrontPage({ children }: Element): boolean {
  const isHome = (node: Element | string) =>
    typeof node !== "string" && node.tag === "a" && /^(?:https?:\/\/[^/]+)?\/?$/.test(node.attributes.href ?? "#");
  return children.some(isHome);
}

function textOf(element: Element | undefined): string | undefined {
  const { maxFactChars } = htmlWeights.data;
  const text = element === undefined ? "" : collectText(element, maxFactChars).replace(/\s+/g, " ").trim();
  return text === "" || text.length > maxFactChars ? undefined : text;
}

function isSame(name: string, other: string | undefined): boolean {
  return other !== undefined && name.toLowerCase() === other.toLowerCase();
}

/** The last part of a title that begins with the heading: "Story | Part | Site". */
function lastPartAfter(heading: string | undefined, name: string): readonly string[] {
  if (heading === undefined || !name.toLowerCase().startsWith(`${heading.toLowerCase()} `)) return [];
  const rest = /^\s+[|\-–—·:»/~]\s+(\S.*)$/.exec(name.slice(heading.length))?.[1];
  return rest === undefined ? [] : rest.split(/\s+[|\-–—·»~]\s+/).slice(-1);
}

/** A title of the form "Story | Site" without the site. */
function removeSite(title: string, site: string | undefined): string {
  if (site === undefined || !title.toLowerCase().endsWith(site.toLowerCase())) return title;
  return title.slice(0, -site.length).replace(/[\s|\-–—·:»]+$/, "") || title;
}
