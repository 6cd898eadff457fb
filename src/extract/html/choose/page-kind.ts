/** What kind of page this is, from what it says about itself. */

import { flatText, type Page } from "../tree/tree.ts";
import { weights } from "../weights.ts";
import { generatorOf, metaContent } from "./generators.ts";

export type PageKind = "article" | "documentation" | "forum" | "product" | "listing" | "unknown";

/** The kind a page claims: by its generator, its structured data, its OpenGraph type, its address. */
export function pageKind(page: Page, url: string | undefined): PageKind {
  const types = structuredTypes(page);
  const openGraph = metaContent(page, "og:type");
  const known = generatorOf(page)?.kind;
  if (known !== undefined) return known;
  if (types.has("DiscussionForumPosting") || types.has("QAPage")) return "forum";
  if (url !== undefined && threadAddress.test(url)) return "forum";
  if (openGraph.startsWith("product") || sells(types)) return "product";
  if (types.has("CollectionPage") || types.has("SearchResultsPage")) return "listing";
  if (articleTypes.some((type) => types.has(type)) || openGraph === "article") return "article";
  return isForSale(page) ? "product" : "unknown";
}

const threadAddress =
  /\/(?:viewtopic|showthread|threads?\/|topic\/|forums?\/|discussions?\/|r\/\w+\/comments\/)|^https?:\/\/(?:forums?|discuss|discussions?|community)\./i;

/** A product with an offer; without one it is there for the stars in search results. */
function sells(types: ReadonlySet<string>): boolean {
  return (
    types.has("Product") &&
    (types.has("Offer") || types.has("AggregateOffer")) &&
    !types.has("ItemList") &&
    !types.has("Article")
  );
}

const cartLabel = /^(?:add to (?:cart|bag|basket|trolley)|buy now)$/i;

/** One thing can be bought here; a page with many such buttons is a catalogue. */
function isForSale(page: Page): boolean {
  const buttons = page.elements.filter((element) => element.tag === "button" || element.tag === "input");
  const labels = buttons.map((button) =>
    button.tag === "input" ? (button.attributes.value ?? "") : flatText(button, 60),
  );
  const count = labels.filter((label) => cartLabel.test(label.trim())).length;
  return count > 0 && count <= weights.pageKind.maxBuyButtons;
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
