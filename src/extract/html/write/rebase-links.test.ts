import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const url = "https://lamp.example/lists/brass";
const items = Array.from(
  { length: 30 },
  (_, number) => `<li><a href="/catalogue/item/${number}">Lamp ${number}</a></li>`,
);
const html = `<main><h1>Brass lamps</h1><p>All lamps, see <a href="/about">about us</a>.</p>
  <ul>${items.join("")}</ul><h2>Code</h2><pre>[x](/catalogue/item/1)</pre><p><code>[x](/about)</code></p>
  <h2>End</h2><p>That was <a href="https://wick.example/">all</a>.</p></main>`;

describe("a page whose links share a folder", () => {
  test("names it once, and has short links", () => {
    const { text, linkBase } = extractHtml(html, { url, mode: "markdown" });
    assert.equal(linkBase, "https://lamp.example/catalogue/item/");
    assert.match(text, /^- \[Lamp 7\]\(7\)$/m);
    assert.match(text, /see \[about us\]\(\/about\)\./);
    assert.match(text, /\[all\]\(https:\/\/wick\.example\/\)/);
  });

  test("keeps its code verbatim", () => {
    const { text } = extractHtml(html, { url, mode: "markdown" });
    assert.match(text, /```\n\[x\]\(\/catalogue\/item\/1\)\n```\n\n`\[x\]\(\/about\)`/);
  });

  test("keeps the places of its headings", () => {
    const { text, marks } = extractHtml(html, { url, mode: "markdown" });
    assert.deepEqual(
      marks.map(({ at, label }) => text.slice(at).startsWith(`${label === "Brass lamps" ? "#" : "##"} ${label}\n`)),
      [true, true, true],
    );
  });

  test("has them in the list of numbered links too", () => {
    const { text, linkBase } = extractHtml(html, { url, mode: "markdown", links: "numbered" });
    assert.equal(linkBase, "https://lamp.example/catalogue/item/");
    assert.match(text, /^\[9\]: 7$/m);
  });
});

test("a description from data has links of the same base", () => {
  const description = `<p>${"A lamp of brass, bright and warm. ".repeat(40)}<a href='/care'>Care</a></p>`;
  const data = JSON.stringify({ "@type": "Product", name: "Lamp", description });
  const product = `<script type="application/ld+json">${data}</script>${html}`;
  const { text, linkBase } = extractHtml(product, { url, mode: "markdown" });
  assert.equal(linkBase, "https://lamp.example/catalogue/item/");
  assert.match(text, /\[Care\]\(\/care\)/);
});
