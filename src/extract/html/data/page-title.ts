/** What a page is called: of the names it gives itself the one that its heading agrees with, without that of the site. */
import { type Element, flatText, type Page } from "../tree/tree.ts";

/** The names a page gives itself, the most trusted first. */
export type Names = { readonly names: readonly (string | undefined)[]; readonly site: string | undefined };
export type Title = { readonly title: string | undefined; readonly site: string | undefined };

const longestChars = 1000;

/** The title, and the name of the site where it stands behind the title. */
export function readTitle(page: Page, { names, site }: Names): Title {
  const told = [...names, textOf(page.elements.find(({ tag }) => tag === "title"))].filter(
    (name) => name !== undefined,
  );
  const heading = textOf(page.elements.find(isTitle));
  const agreed = told.find((name) => isSame(name, heading));
  if (agreed !== undefined && !isSame(agreed, site)) return { title: agreed, site };
  const [extended] = told.flatMap((name) => restAfter(heading, name));
  if (extended !== undefined) return { title: heading, site: site ?? extended };
  const named = told.map((name) => withoutSite(name, site));
  return { title: named.find((name) => !isSame(name, site)) ?? heading ?? named[0], site };
}

/** A heading that leads to the front page is the site's name. */
function isTitle({ tag, children }: Element): boolean {
  const isHome = (node: Element | string) =>
    typeof node !== "string" && node.tag === "a" && /^(?:https?:\/\/[^/]+)?\/?$/.test(node.attributes.href ?? "#");
  return tag === "h1" && !children.some(isHome);
}

function textOf(element: Element | undefined): string | undefined {
  const text = element === undefined ? "" : flatText(element, longestChars).replace(/\s+/g, " ").trim();
  return text === "" || text.length > longestChars ? undefined : text;
}

function isSame(name: string, other: string | undefined): boolean {
  return other !== undefined && name.toLowerCase() === other.toLowerCase();
}

/** What stands last behind a heading in a longer name: "Story | Part | Site". */
function restAfter(heading: string | undefined, name: string): readonly string[] {
  if (heading === undefined || !name.toLowerCase().startsWith(`${heading.toLowerCase()} `)) return [];
  const rest = /^\s+[|\-–—·:»/~]\s+(\S.*)$/.exec(name.slice(heading.length))?.[1];
  return rest === undefined ? [] : rest.split(/\s+[|\-–—·»~]\s+/).slice(-1);
}

/** A title of the form "Story | Site" without the site. */
function withoutSite(title: string, site: string | undefined): string {
  if (site === undefined || !title.toLowerCase().endsWith(site.toLowerCase())) return title;
  return title.slice(0, -site.length).replace(/[\s|\-–—·:»]+$/, "") || title;
}
