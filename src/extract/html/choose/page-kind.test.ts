import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseHtml } from "../tree/parse.ts";
import { createNameClassifier } from "./class-names.ts";
import { detectPageKind } from "./page-kind.ts";

const data = (value: object): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const button = "<button> Add to Cart </button>";

const kinds: readonly { name: string; html: string; url?: string; kind: string }[] = [
  { name: "no statement", html: "<p>x", kind: "unknown" },
  { name: "OpenGraph's article", html: '<meta property="og:type" content="article">', kind: "article" },
  { name: "an article in structured data", html: data({ "@type": ["NewsArticle"] }), kind: "article" },
  {
    name: "a product with an offer in structured data",
    html: data({ "@type": "Product", offers: { "@type": "Offer" } }),
    kind: "product",
  },
  { name: "a product without an offer", html: data({ "@type": "Product" }), kind: "unknown" },
  { name: "the address of a product alone", html: "", url: "https://example.com/product/1", kind: "unknown" },
  { name: "a shop's generator", html: '<body class="single-product">', kind: "product" },
  { name: "one button to buy", html: button, kind: "product" },
  { name: "many buttons to buy", html: button.repeat(8), kind: "unknown" },
  { name: "a question in structured data", html: '<div itemtype="https://schema.org/QAPage">', kind: "forum" },
  { name: "the address of a thread", html: "", url: "https://example.com/viewtopic.php?t=1", kind: "forum" },
  { name: "the address of comments", html: "", url: "https://example.com/r/lamps/comments/1/dark/", kind: "forum" },
  { name: "the address of a discussion", html: "", url: "https://example.com/ada/lamp/discussions/7", kind: "forum" },
  { name: "a forum's generator", html: '<meta name=generator content="Discourse 3.4">', kind: "forum" },
  { name: "a manual's generator", html: '<meta name=generator content="Docusaurus v3">', kind: "documentation" },
  { name: "a list of results", html: data({ "@type": "CollectionPage" }), kind: "listing" },
];

describe("the kind of a page", () => {
  for (const { name, html, url, kind } of kinds) {
    test(`${name}: ${kind}`, () => assert.equal(detectPageKind(parseHtml(html), url), kind));
  }
});

const names = [
  { html: "<div>", nameClass: "none" },
  { html: '<div class="story body">', nameClass: "none" },
  { html: '<div class="site-nav">', nameClass: "boilerplate" },
  { html: '<div class="navHeight">', nameClass: "boilerplate" },
  { html: '<div class="my-nav-thing">', nameClass: "none" },
  { html: '<div class="top-[var(--nav)] md:sidebar">', nameClass: "none" },
  { html: '<div id="navigation-of-ships-at-night">', nameClass: "none" },
  { html: '<div class="js-cookieBar">', nameClass: "notice" },
  { html: '<div class="sr-only">', nameClass: "never" },
  { html: '<div class="post category-cookies category-social">', nameClass: "none" },
  { html: '<div id="onetrust-consent-sdk">', nameClass: "never" },
  { html: '<div class="member-signature">', nameClass: "signature" },
  { html: '<ol class="commentlist">', nameClass: "comments" },
  { html: '<div class="ti-review-item">', nameClass: "reviews" },
  { html: '<div class="product-variations">', nameClass: "shop" },
  { html: '<div class="post-author">', nameClass: "author" },
  { html: '<div class="card teaser">', nameClass: "doubtful" },
];

describe("the class of a name", () => {
  const classifyName = createNameClassifier();
  for (const { html, nameClass } of names) {
    test(`${html}: ${nameClass}`, () => {
      const element = parseHtml(html).elements.at(-1) ?? assert.fail();
      assert.equal(classifyName(element), nameClass);
    });
  }
});
