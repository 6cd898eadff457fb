/** Links of a page: their addresses made absolute, and those that lead nowhere else. */
import type { Page } from "./tree.ts";

/** Turns an href into an address a reader can use, or undefined where there is none. */
export type Resolver = (href: string) => string | undefined;

/** Resolves against the page's base element, else its own address. */
export function createResolver(page: Page, url: string | undefined): Resolver {
  const href = page.elements.find(({ tag, attributes }) => tag === "base" && attributes.href !== undefined)?.attributes
    .href;
  const base = (href === undefined ? null : URL.parse(href, url)) ?? (url === undefined ? null : URL.parse(url));
  return (target) => resolve(withoutControls(target), base);
}

/** Browsers skip these wherever they stand in an address. */
function withoutControls(href: string): string {
  return href
    .replace(/[\t\r\n]/g, "")
    .replace(/^[\0-\x20]+/, "")
    .trim();
}

function resolve(href: string, base: URL | null): string | undefined {
  const url = base === null ? URL.parse(href) : URL.parse(href, base.href);
  if (href === "" || (url !== null && unusable.has(url.protocol))) return undefined;
  const address = base === null ? href : (url?.href ?? href);
  return address.replace(/[\s()<>]/g, percentEncoded);
}

/** Addresses that run or hold something rather than lead somewhere. */
const unusable = new Set(["javascript:", "data:", "vbscript:", "blob:"]);

/** Inside a Markdown link these would end the address. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Links for those who cannot see where they are in the page; here there is nothing to skip. */
export function isSkipLink(href: string | undefined, text: string): boolean {
  return (
    href?.startsWith("#") === true &&
    /^(?:skip to \S.{0,40}|jump to (?:recipe|content|navigation)|(?:back|return|go) to (?:top|navigation))$/i.test(text)
  );
}

/** The little signs beside headings that link to themselves. */
export function isAnchorSign(text: string): boolean {
  return /^[#¶§🔗\u200b\ufeff]$/u.test(text);
}
