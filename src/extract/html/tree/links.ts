/** The links of a page: makes addresses absolute and recognizes links within the page that say nothing. */
import type { Page } from "./tree.ts";

/** Turns an href into an address that a reader can use; undefined if there is none. */
export type Resolver = (href: string) => string | undefined;

/** Makes a resolver that uses the base element of the page, else its address. */
export function createResolver(page: Page, url: string | undefined): Resolver {
  const href = page.elements.find(({ tag, attributes }) => tag === "base" && attributes.href !== undefined)?.attributes
    .href;
  const base = (href === undefined ? null : URL.parse(href, url)) ?? (url === undefined ? null : URL.parse(url));
  return (target) => resolve(withoutControls(target), base);
}

/** Removes control characters, which browsers ignore in addresses. */
function withoutControls(href: string): string {
  return href
    .replace(/[\t\r\n]/g, "")
    .replace(/^[\0-\x20]+/, "")
    .trim();
}

function resolve(href: string, base: URL | null): string | undefined {
  const url = base === null ? URL.parse(href) : URL.parse(href, base.href);
  if (href === "" || (url !== null && unusableProtocols.has(url.protocol))) return undefined;
  const address = base === null ? href : (url?.href ?? href);
  return address.replace(/[\s()<>]/g, percentEncode);
}

/** Addresses that run code or contain data instead of leading to a page. */
const unusableProtocols = new Set(["javascript:", "data:", "vbscript:", "blob:"]);

/** Encodes a character that would end the address of a Markdown link. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Whether a link is for screen readers, to skip a part of the page. */
export function isSkipLink(href: string | undefined, text: string): boolean {
  return (
    href?.startsWith("#") === true &&
    /^(?:skip to \S.{0,40}|jump to (?:recipe|content|navigation)|(?:back|return|go) to (?:top|navigation))$/i.test(text)
  );
}

/** Whether the text of a link is the sign beside a heading that links to itself. */
export function isAnchorSign(text: string): boolean {
  return /^[#¶§🔗\u200b\ufeff]$/u.test(text);
}
