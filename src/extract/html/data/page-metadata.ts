/** What a page tells about itself: structured data first, then OpenGraph, then meta elements, then the page. */
import type { Info } from "../../handler.ts";
import type { Element, Page } from "../tree/tree.ts";
import { bylineOf } from "./byline.ts";
import { readTitle } from "./page-title.ts";
import { describedThings, type Thing } from "./payloads.ts";

/** The facts of a page; what it does not tell is left out. */
export type Metadata = Pick<Info, "title" | "author" | "date" | "site" | "canonicalUrl" | "language">;

/** Reads what the head, the structured data and the byline of a page say of it. */
export function readMetadata(page: Page, url: string | undefined): Metadata {
  const meta = metaReader(page);
  const article = describedArticle(page);
  const named = [article?.headline, meta("og:title", "twitter:title"), article?.name].map(clean);
  const found = {
    ...readTitle(page, { names: named, site: siteOf(meta, article) }),
    author: names(article?.author) ?? notAddress(meta(...authorNames)) ?? bylineOf(page),
    date: clean(article?.datePublished) ?? clean(meta(...dateNames)) ?? timeOf(page),
    canonicalUrl: absolute(canonicalOf(page) ?? meta("og:url"), url),
    language: languageTag(page.root.attributes.lang ?? meta("content-language", "og:locale", "language")),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

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

function siteOf(meta: MetaReader, article: Thing | undefined): string | undefined {
  return clean(meta("og:site_name", "application-name")) ?? names(article?.publisher);
}

/** Reads the first of some meta elements that says anything. */
function metaReader(page: Page): MetaReader {
  const values = new Map<string, string>();
  for (const { tag, attributes } of page.elements) {
    if (tag !== "meta") continue;
    const name = (attributes.property ?? attributes.name ?? attributes.itemprop)?.toLowerCase();
    const content = attributes.content?.trim();
    if (name !== undefined && content && !values.has(name)) values.set(name, content);
  }
  return (...names) => names.map((name) => values.get(name)).find((value) => value !== undefined);
}

const articleType = /(?:Article|BlogPosting|Posting|Report|WebPage|Product|QAPage|HowTo|Recipe)$/;

/** The article (or else the page) among the things that JSON-LD describes. */
function describedArticle(page: Page): Thing | undefined {
  const articles = describedThings(page).filter((thing) => articleType.test(String(thing["@type"])));
  return articles.find(({ headline }) => typeof headline === "string") ?? articles[0];
}

/** Names of people or organizations, told as text, as a thing or as a list of either. */
function names(value: unknown): string | undefined {
  if (typeof value === "string") return notAddress(value);
  if (Array.isArray(value))
    return clean(
      value
        .slice(0, 10)
        .map(names)
        .filter((name) => name !== undefined)
        .join(", "),
    );
  return typeof value === "object" && value !== null ? names((value as Thing).name) : undefined;
}

function notAddress(value: string | undefined): string | undefined {
  const name = value?.replace(/\s+-\s+https?:.*$/, "").replace(/^by\s+/i, "");
  return name !== undefined && /^https?:/.test(name) ? undefined : clean(name);
}

function clean(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replace(/\s+/g, " ").trim();
  return text === "" || text.length > maxChars ? undefined : text;
}
const maxChars = 1000;

function timeOf(page: Page): string | undefined {
  const isPublished = ({ tag, attributes }: Element) => tag === "time" && attributes.datetime !== undefined;
  return clean(page.elements.find(isPublished)?.attributes.datetime);
}

function canonicalOf(page: Page): string | undefined {
  return page.elements.find(({ tag, attributes }) => tag === "link" && attributes.rel === "canonical")?.attributes.href;
}

function absolute(href: string | undefined, url: string | undefined): string | undefined {
  return href === undefined ? undefined : (URL.parse(href, url)?.href ?? undefined);
}

function languageTag(value: string | undefined): string | undefined {
  const tag = value?.trim().replace("_", "-");
  return tag !== undefined && /^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$/.test(tag) ? tag : undefined;
}
