/** Addresses in a page made absolute. */
import type { Page } from "./tree.ts";

/** Turns an href into an address a reader can use, or undefined where there is none. */
export type Resolver = (href: string) => string | undefined;

/** Resolves against the page's base element, else its own address. */
export function createResolver(page: Page, url: string | undefined): Resolver {
  const href = page.elements.find(({ tag, attributes }) => tag === "base" && attributes.href !== undefined)?.attributes
    .href;
  const base = (href === undefined ? null : URL.parse(href, url)) ?? (url === undefined ? null : URL.parse(url));
  return (target) => resolve(target.trim(), base);
}

function resolve(href: string, base: URL | null): string | undefined {
  if (href === "" || /^(?:javascript|data|vbscript|blob):/i.test(href)) return undefined;
  const address = base === null ? href : (URL.parse(href, base.href)?.href ?? href);
  return address.replace(/[\s()<>]/g, percentEncoded);
}

/** Inside a Markdown link these would end the address. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
