/** The links of a page: shortens addresses to what a reader needs and recognizes links within the page that say nothing. */
import { MAX_BASE_CHARS, relativeAddress } from "./link-base.ts";
import { withoutTracking } from "./tracking.ts";
import { listByTag, type Page } from "./tree.ts";

/** Turns an href into an address that a reader can use; undefined if there is none. */
export type Resolver = (href: string) => string | undefined;

/** The addresses of a page. */
export type PageLinks = {
  readonly resolve: Resolver;
  /** What addresses are relative to; undefined if they are complete. */
  readonly base: URL | undefined;
  /** The target of an address that was resolved. */
  readonly findTarget: (address: string) => URL | undefined;
};

type LinkOptions = {
  /** The address of the page. */
  readonly url: string | undefined;
  /** In a thread, posts have addresses that lead to the same page. */
  readonly isThread: boolean;
  /** What addresses are relative to, if not to the page. */
  readonly base: string | undefined;
};

/** Resolves addresses against the base element of the page, else its address. Those of the same site become relative. */
export function resolveLinks(page: Page, { url, isThread, base }: LinkOptions): PageLinks {
  const href = listByTag(page, "base").find(({ attributes }) => attributes.href !== undefined)?.attributes.href;
  const pageUrl = url === undefined ? null : URL.parse(url);
  const documentBase = (href === undefined ? null : URL.parse(href, url)) ?? pageUrl;
  const parse = createParser(documentBase);
  const targets = new Map<string, URL>();
  const findTarget = (address: string) => targets.get(address);
  if (url === undefined || pageUrl === null || findLinkBase(url) === undefined) {
    const write = documentBase === null ? undefined : (target: URL) => target.href;
    return { resolve: (target) => resolve(target, parse, write), base: undefined, findTarget };
  }
  const own = { url: withoutTracking(new URL(pageUrl)), hasId: createIdTest(page), isThread };
  const relativeTo = base === undefined ? own.url : new URL(base);
  const write = (target: URL) => {
    const address = findPlace(target, own) ?? relativeAddress(target, relativeTo);
    targets.set(toReadable(address), target);
    return address;
  };
  return { resolve: (target) => resolve(target, parse, write), base: relativeTo, findTarget };
}

/** Reads an address without what tracks readers; null if it is none. Pages repeat their addresses. */
type Parser = (href: string) => URL | null;

function createParser(base: URL | null): Parser {
  const parsed = new Map<string, URL | null>();
  return (href) => {
    let url = parsed.get(href);
    if (url === undefined) {
      const target = base === null ? URL.parse(href) : URL.parse(href, base.href);
      url = target === null || unusableProtocols.has(target.protocol) ? target : withoutTracking(target);
      parsed.set(href, url);
    }
    return url;
  };
}

/** The page, and whether an element of it has an id. */
type OwnPage = { readonly url: URL; readonly hasId: (id: string) => boolean; readonly isThread: boolean };

/** The ids of a page are collected at the first question, which most pages do not ask. */
function createIdTest({ elements }: Page): (id: string) => boolean {
  let ids: ReadonlySet<string | undefined> | undefined;
  return (id) => {
    ids ??= new Set(elements.map(({ attributes }) => attributes.id));
    return ids.has(id);
  };
}

/** The address that the links of a page are relative to if no other is better: its own, without its query; undefined if it is too long. */
export function findLinkBase(url: string): string | undefined {
  const page = URL.parse(url);
  const base = page === null || !/^https?:$/.test(page.protocol) ? "" : `${page.origin}${page.pathname}`;
  return base === "" || base.length > MAX_BASE_CHARS ? undefined : base;
}

/** Whether a text in Markdown has a link that is relative. */
export function hasRelativeLink(markdown: string): boolean {
  return /\]\((?![#)]|[a-z][a-z\d+.-]*:)|^\[\d+\]: (?!#|[a-z][a-z\d+.-]*:)/im.test(markdown);
}

/** Removes control characters, which browsers ignore in addresses. */
function withoutControls(href: string): string {
  return href
    .replace(/[\t\r\n]/g, "")
    .replace(/^[\0-\x20]+/, "")
    .trim();
}

/** Without a way to write a target, its address stays as it is. */
function resolve(target: string, parse: Parser, write?: (url: URL) => string): string | undefined {
  const href = withoutControls(target);
  const url = href === "" ? null : parse(href);
  if (url !== null && unusableProtocols.has(url.protocol)) return undefined;
  const address = url === null || write === undefined ? href : write(url);
  return address === "" ? undefined : toReadable(address);
}

/** Addresses that run code or contain data instead of leading to a page. */
const unusableProtocols = new Set(["javascript:", "data:", "vbscript:", "blob:"]);

/** The fragment of an address that leads to the page itself ("") or a place in it; undefined for others. */
function findPlace(url: URL, { url: page, hasId, isThread }: OwnPage): string | undefined {
  if (url.origin !== page.origin || url.username !== "") return undefined;
  const post = isThread ? findPostId(url) : undefined;
  if (post !== undefined && hasId(post)) return `#${post}`;
  return url.pathname === page.pathname && url.search === page.search ? url.hash : undefined;
}

/**
 * The id of a post at the end of its address (`viewtopic.php?p=4711#p4711`, `/threads/lamp.8/post-4711`), also of one
 * that a quotation leads to (`/goto/post?id=4711`); with a number, as pages of one site share ids such as `comments`.
 */
function findPostId({ pathname, search, hash }: URL): string | undefined {
  if (pathname.endsWith("/goto/post")) return search.replace("?id=", "post-");
  const id = hash === "" ? pathname.slice(pathname.lastIndexOf("/") + 1) : hash.slice(1);
  return /^[a-z]+[-_]?\d{3,}$/i.test(id) ? id : undefined;
}

/** Writes letters of other scripts as such, and encodes what would end the address of a Markdown link. */
export function toReadable(address: string): string {
  return address.replace(/(?:%[89a-f][\da-f])+/gi, decodeLetters).replace(/[\s()<>]/g, percentEncode);
}

function decodeLetters(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    return /^[\p{L}\p{M}\p{N}]+$/u.test(text) ? text : encoded;
  } catch {
    // Bytes of another encoding stay as they are.
    return encoded;
  }
}

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
