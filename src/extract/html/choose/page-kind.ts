/** What kind of page this is, from what the page states about itself. */

import { collectText, listByTag, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { findGenerator, readMeta } from "./generators.ts";

export type PageKind = "article" | "documentation" | "forum" | "product" | "listing" | "unknown";

/** The kind of a page by its generator, its structured data, its OpenGraph type, or its address. */
export function detectPageKind(page: Page, url: string | undefined): PageKind {
  const types = structuredTypes(page);
  const openGraph = readMeta(page, "og:type");
  const generatorKind = findGenerator(page)?.kind;
  if (generatorKind !== undefined) return generatorKind;
  if (types.has("DiscussionForumPosting") || types.has("QAPage")) return "forum";
  if (url !== undefined && threadAddress.test(url)) return "forum";
  if (openGraph.startsWith("product") || hasOffer(types)) return "product";
  if (types.has("CollectionPage") || types.has("SearchResultsPage")) return "listing";
  if (articleTypes.some((type) => types.has(type)) || openGraph === "article") return "article";
  return hasBuyButton(page) ? "product" : "unknown";
}

const threadAddress =
  /\/(?:viewtopic|showthread|threads?\/|topic\/|forums?\/|discussions?\/|r\/\w+\/comments\/)|^https?:\/\/(?:forums?|discuss|discussions?|community)\./i;

/** A product with an offer; without one the data is there for the stars in search results. */
function hasOffer(types: ReadonlySet<string>): boolean {
  return (
    types.has("Product") &&
    (types.has("Offer") || types.has("AggregateOffer")) &&
    !types.has("ItemList") &&
    !types.has("Article")
  );
}

const cartLabel = /^(?:add to (?:cart|bag|basket|trolley)|buy now)$/i;

/** Longer labels are cut; those of buttons to buy something are shorter. */
const MAX_LABEL_CHARS = 60;

/** Whether the page sells one thing; a page with many such buttons is a catalogue. */
function hasBuyButton(page: Page): boolean {
  const labels = [
    ...listByTag(page, "button").map((button) => collectText(button, MAX_LABEL_CHARS)),
    ...listByTag(page, "input").map(({ attributes }) => attributes.value ?? ""),
  ];
  const count = labels.filter((label) => cartLabel.test(label.trim())).length;
  return count > 0 && count <= htmlWeights.pageKind.maxBuyButtons;
}

const articleTypes = [
  "Article",
  "NewsArticle",
  "BlogPosting",
  "TechArticle",
  "ScholarlyArticle",
  "ReportageNewsArticle",
];

function structuredTypes(page: Page): ReadonlySet<string> {
  const types = new Set<string>();
  for (const payload of page.payloads) {
    if (payload.kind !== "json-ld") continue;
    for (const match of payload.text.matchAll(/"@type"\s*:\s*\[?\s*"([A-Za-z]{3,40})"/g)) types.add(match[1] ?? "");
  }
  for (const { attributes } of page.elements) {
    const type = attributes.itemtype;
    if (type !== undefined) types.add(type.slice(type.lastIndexOf("/") + 1));
  }
  return types;
}
