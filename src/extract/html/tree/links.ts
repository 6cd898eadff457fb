/** The links of a page: shortens addresses to what a reader needs and recognizes links within the page that say nothing. */
import { withoutTracking } from "./tracking.ts";
import { listByTag, type Page } from "./tree.ts";

/** Turns an href into an address that a reader can use; undefined if there is none. */
export type Resolver = (href: string) => string | undefined;

/** Links are relative only to an address that a reply can name. */
const MAX_BASE_CHARS = 200;

/**
 * Makes a resolver that uses the base element of the page, else its address. Addresses of the same site are written
 * relative to the address of the page. In a thread, posts have addresses that lead to the same page.
 */
export function createResolver(page: Page, url: string | undefined, isThread: boolean): Resolver {
  const href = listByTag(page, "base").find(({ attributes }) => attributes.href !== undefined)?.attributes.href;
  const pageUrl = url === undefined ? null : URL.parse(url);
  const base = (href === undefined ? null : URL.parse(href, url)) ?? pageUrl;
  const hasBase = url !== undefined && findLinkBase(url) !== undefined;
  const own =
    hasBase && pageUrl !== null
      ? { url: withoutTracking(new URL(pageUrl)), hasId: createIdTest(page), isThread }
      : null;
  return (target) => resolve(withoutControls(target), base, own);
}

/** The page that addresses are relative to, and whether an element of it has an id. */
type OwnPage = { readonly url: URL; readonly hasId: (id: string) => boolean; readonly isThread: boolean };

/** The ids of a page are collected at the first question, which most pages do not ask. */
function createIdTest({ elements }: Page): (id: string) => boolean {
  let ids: ReadonlySet<string | undefined> | undefined;
  return (id) => {
    ids ??= new Set(elements.map(({ attributes }) => attributes.id));
    return ids.has(id);
  };
}

/** The address that the links of a page are relative to: its own, without what tracks readers and its query; undefined if it is too long. */
export function findLinkBase(url: string): string | undefined {
  const parsed = URL.parse(url);
  const page = parsed === null ? null : withoutTracking(parsed);
  const base = page === null || !/^https?:$/.test(page.protocol) ? "" : `${page.origin}${page.pathname}`;
  return base === "" || base.length > MAX_BASE_CHARS ? undefined : base;
}

/** Whether a text in Markdown has a link that is relative. */
export function hasRelativeLink(markdown: string): boolean {
  return /\]\((?!#|[a-z][a-z\d+.-]*:)|^\[\d+\]: (?!#|[a-z][a-z\d+.-]*:)/im.test(markdown);
}

/** Removes control characters, which browsers ignore in addresses. */
function withoutControls(href: string): string {
  return href
    .replace(/[\t\r\n]/g, "")
    .replace(/^[\0-\x20]+/, "")
    .trim();
}

function resolve(href: string, base: URL | null, page: OwnPage | null): string | undefined {
  const url = base === null ? URL.parse(href) : URL.parse(href, base.href);
  if (href === "" || (url !== null && unusableProtocols.has(url.protocol))) return undefined;
  const target = url === null ? null : withoutTracking(url);
  const address = base === null || target === null ? href : page === null ? target.href : shorten(target, page);
  return address === "" ? undefined : toReadable(address);
}

/** Addresses that run code or contain data instead of leading to a page. */
const unusableProtocols = new Set(["javascript:", "data:", "vbscript:", "blob:"]);

/** The shortest address that leads from the page to another of the same site; "" for the page itself. */
function shorten(url: URL, { url: page, hasId, isThread }: OwnPage): string {
  // A path with two slashes at its start would be read as a host.
  if (url.origin !== page.origin || url.username !== "" || url.pathname.startsWith("//")) return url.href;
  const post = isThread && !namesOther(url, page) ? findPostId(url) : undefined;
  if (post !== undefined && hasId(post)) return `#${post}`;
  const end = url.search + url.hash;
  if (url.pathname === page.pathname) {
    if (url.search === page.search) return url.hash;
    return url.search === "" ? url.pathname + end : end;
  }
  const path = pathFrom(page.pathname, url.pathname);
  // A path from the root is easier to recognize as one.
  return `${path.length + 1 < url.pathname.length ? path : url.pathname}${end}`;
}

/**
 * The id of a post at the end of its address (`viewtopic.php?p=4711#p4711`, `/threads/lamp.8/post-4711`); with a number,
 * as pages of one site share ids such as `comments`.
 */
function findPostId({ pathname, hash }: URL): string | undefined {
  const id = hash === "" ? pathname.slice(pathname.lastIndexOf("/") + 1) : hash.slice(1);
  return /^[a-z]+[-_]?\d{3,}$/i.test(id) ? id : undefined;
}

/** Whether a parameter of an address, such as the number of the thread, has another value than on this page. */
function namesOther({ searchParams }: URL, page: URL): boolean {
  return [...searchParams].some(([name, value]) => (page.searchParams.get(name) ?? value) !== value);
}

/** A path relative to the folder of another; the path itself where that would be read as something else. */
function pathFrom(pagePath: string, path: string): string {
  const folder = pagePath.split("/").slice(0, -1);
  const steps = path.split("/");
  let shared = 0;
  while (shared < folder.length && shared < steps.length - 1 && folder[shared] === steps[shared]) shared += 1;
  const rest = "../".repeat(folder.length - shared) + steps.slice(shared).join("/");
  return rest === "" || rest.startsWith("/") || /^[^/]*:/.test(rest) ? path : rest;
}

/** Writes letters of other scripts as such, and encodes what would end the address of a Markdown link. */
function toReadable(address: string): string {
  return address.replace(/(?:%[89a-f][\da-f])+/gi, decodeLetters).replace(/[\s()<>\\]/g, percentEncode);
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
