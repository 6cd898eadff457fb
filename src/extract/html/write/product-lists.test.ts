import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;
const card = (name: string): string =>
  `<div class="item"><a href="/${name}"><h2>${name} lamp</h2></a><p>30 euros, in stock, sent by tomorrow</p></div>`;
const cards = ["Brass", "Steel", "Glass", "Paper", "Stone", "Wood"].map(card).join("");

describe("a list of products", () => {
  const facets = "<h3>Colour</h3><p>Black</p><p>White</p><h3>Price</h3><p>Up to 20</p>";
  const layouts: readonly { name: string; html: string }[] = [
    {
      name: "with the filters in a box of their own",
      html: `<div><div><h2>Filters</h2></div>${facets}</div><div>${cards}</div>`,
    },
    {
      name: "with the filters and the list in one box",
      html: `<div><h2>Sort and filter</h2>${facets}<div>${cards}</div></div>`,
    },
    {
      name: "with the filters under a line that looks like a heading",
      html: `<div><div><p>Filter by</p></div><p>Black</p><p>Up to 20</p></div><div>${cards}</div>`,
    },
  ];
  for (const { name, html } of layouts) {
    test(`is written without its filters, ${name}`, () => {
      const text = markdownOf(`<body><main><h1>Lamps</h1>${html}</main>`);
      assert.doesNotMatch(text, /Black|Up to 20/);
      for (const one of ["Brass", "Wood"]) assert.match(text, new RegExp(`## .*${one} lamp`));
    });
  }

  test("keeps a section with prose about filters", () => {
    const about =
      "<h2>Filters</h2><p>A filter of paper keeps the dust out of the lamp; change it twice a year, or more often near the sea.</p>";
    assert.match(
      markdownOf(`<body><main><h1>Lamps</h1>${about}<div>${cards}</div></main>`),
      /## Filters\n\nA filter of paper/,
    );
  });
});
