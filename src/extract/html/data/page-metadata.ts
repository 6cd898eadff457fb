/** Facts about a page, from its structured data first, then OpenGraph, then meta elements, then the text. */
import { isRecord } from "../../../system/json-values.ts";
import { redactUrl } from "../../../system/redact-url.ts";
import type { Info } from "../../handler.ts";
import { listByTag, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { findByline } from "./byline.ts";
import { findTitle } from "./page-title.ts";
import { listThings, type Thing } from "./payloads.ts";
import { findDate } from "./shown-date.ts";

/** The facts of a page; those that it does not state are absent. */
export type Metadata = Pick<Info, "title" | "author" | "date" | "site" | "canonicalUrl" | "language">;

/** Reads the facts from the head, the structured data and the byline of a page. */
export function readMetadata(page: Page, url: string | undefined): Metadata {
  const meta = createMetaReader(page);
  const article = findArticle(page);
  const names = [article?.headline, meta("og:title", "twitter:title"), article?.name].map(toFact);
  const metadata = {
    ...findTitle(page, { names, site: findSite(meta, article) }),
    author: findAuthor(page, meta, article),
    date: toFact(article?.datePublished) ?? toFact(meta(...dateNames)) ?? findDate(page),
    canonicalUrl: toAbsoluteUrl(findCanonicalUrl(page) ?? meta("og:url"), url),
    language: toLanguageTag(page.root.attributes.lang ?? meta("content-language", "og:locale", "language")),
  };
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
}

/** The author of a page, or the names of several with commas between them. */
export function findAuthor(
  page: Page,
  meta: MetaReader = createMetaReader(page),
  article: Thing | undefined = findArticle(page),
): string | undefined {
  return joinNames(article?.author) ?? toName(meta(...authorNames)) ?? findByline(page);
}

/** Papers list hundreds of authors; the first ones identify the page. */
const MAX_NAMES = 10;

/** The content of the first of some meta elements that is present. */
type MetaReader = (...names: readonly string[]) => string | undefined;
const authorNames = [
  "author",
  "article:author",
  "dc.creator",
  "parsely-author",
  "citation_author",
  "byl",
  "sailthru.author",
];
const dateNames = [
  "article:published_time",
  "date",
  "dc.date",
  "dc.date.issued",
  "parsely-pub-date",
  "citation_publication_date",
  "pubdate",
  "sailthru.date",
];

function findSite(meta: MetaReader, article: Thing | undefined): string | undefined {
  return toFact(meta("og:site_name", "application-name")) ?? joinNames(article?.publisher);
}

/** Makes a function that returns the content of the first of some meta elements that is present and not empty. */
function createMetaReader(page: Page): MetaReader {
  const values = new Map<string, string>();
  for (const { attributes } of listByTag(page, "meta")) {
    const name = (attributes.property ?? attributes.name ?? attributes.itemprop)?.toLowerCase();
    const content = attributes.content?.trim();
    if (name !== undefined && content && !values.has(name)) values.set(name, content);
  }
  return (...names) => names.map((name) => values.get(name)).find((value) => value !== undefined);
}

const articleType = /(?:Article|BlogPosting|Posting|Report|WebPage|Product|QAPage|HowTo|Recipe)$/;

/** The article, else the page, among the things that JSON-LD describes. */
function findArticle(page: Page): Thing | undefined {
  const articles = listThings(page).filter(isArticle);
  return articles.find(({ headline }) => typeof headline === "string") ?? articles[0];
}

/** A thing has one type or a list of them. */
function isArticle(thing: Thing): boolean {
  return [thing["@type"]].flat().some((type) => typeof type === "string" && articleType.test(type));
}

/** Pages nest a list, a thing and its name; a hostile page nests without end. */
const MAX_NAME_LEVELS = 8;

/** Names of people or organizations, given as text, as a thing or as a list of either. */
function joinNames(value: unknown, level = 0): string | undefined {
  if (typeof value === "string") return toName(value);
  if (level === MAX_NAME_LEVELS) return undefined;
  if (!Array.isArray(value)) return isRecord(value) ? joinNames(value.name, level + 1) : undefined;
  const names = value.slice(0, MAX_NAMES).map((each) => joinNames(each, level + 1));
  return toFact(names.filter((name) => name !== undefined).join(", "));
}

/** A name without its URL or "by"; undefined if it is only a URL. */
function toName(value: string | undefined): string | undefined {
  const name = value?.replace(/\s+-\s+https?:.*$/, "").replace(/^by\s+/i, "");
  return name !== undefined && /^https?:/.test(name) ? undefined : toFact(name);
}

/** A text on one line; undefined if it is empty or too long for a fact. */
function toFact(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replace(/\s+/g, " ").trim();
  return text === "" || text.length > htmlWeights.data.maxFactChars ? undefined : text;
}

function findCanonicalUrl(page: Page): string | undefined {
  return listByTag(page, "link").find(({ attributes }) => attributes.rel === "canonical")?.attributes.href;
}

/** A page may repeat the URL it was fetched from, with the secrets in it. */
function toAbsoluteUrl(href: string | undefined, url: string | undefined): string | undefined {
  const absolute = href === undefined ? null : URL.parse(href, url);
  return absolute === null ? undefined : redactUrl(absolute.href);
}

function toLanguageTag(value: string | undefined): string | undefined {
  const tag = value?.trim().replace("_", "-");
  return tag !== undefined && /^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$/.test(tag) ? tag : undefined;
}
