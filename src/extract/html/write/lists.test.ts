import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;
const card = (name: string): string =>
  `<div class="item"><a href="/${name}"><h2>${name} lamp</h2></a><p>30 euros, in stock, sent by tomorrow</p></div>`;
const cards = ["Brass", "Steel", "Glass", "Paper", "Stone", "Wood"].map(card).join("");

describe("a list of things", () => {
  const facets = "<h3>Colour</h3><p>Black</p><p>White</p><h3>Price</h3><p>Up to 20</p>";
  const places: readonly { name: string; html: string }[] = [
    { name: "in a box of their own", html: `<div><div><h2>Filters</h2></div>${facets}</div><div>${cards}</div>` },
    { name: "beside the list, in one box", html: `<div><h2>Sort and filter</h2>${facets}<div>${cards}</div></div>` },
    {
      name: "under a line that looks like a heading",
      html: `<div><div><p>Filter by</p></div><p>Black</p><p>Up to 20</p></div><div>${cards}</div>`,
    },
  ];
  for (const { name, html } of places) {
    test(`is written without its controls, ${name}`, () => {
      const text = markdownOf(`<body><main><h1>Lamps</h1>${html}</main>`);
      assert.doesNotMatch(text, /Black|Up to 20/);
      for (const one of ["Brass", "Wood"]) assert.match(text, new RegExp(`## .*${one} lamp`));
    });
  }

  test("keeps a section about filters that says something", () => {
    const about =
      "<h2>Filters</h2><p>A filter of paper keeps the dust out of the lamp; change it twice a year, or more often near the sea.</p>";
    assert.match(
      markdownOf(`<body><main><h1>Lamps</h1>${about}<div>${cards}</div></main>`),
      /## Filters\n\nA filter of paper/,
    );
  });
});

describe("what says nothing new is written once:", () => {
  test("the same heading twice in a row", () => {
    assert.equal(
      markdownOf("<h2>Fog</h2><h2>Fog</h2><p>a</p><h2>Fog</h2><h3>Fog</h3>"),
      "## Fog\n\na\n\n## Fog\n\n### Fog",
    );
  });

  test("a picture of the same name, but not a sign", () => {
    const picture = '<p><img src=a.png alt="The brass lamp in the harbour"></p>';
    const sign = '<img src=b.png alt="Yes">';
    assert.equal(
      markdownOf(`${picture}${picture}<p>${sign} and ${sign}</p>`),
      "![The brass lamp in the harbour]()\n\n![Yes]() and ![Yes]()",
    );
  });

  test("links that only lead past something", () => {
    const links = '<a href="#main">Skip to main content</a><p>a</p><a href="#top">Back to top</a>';
    assert.equal(markdownOf(links), "a");
    assert.equal(markdownOf('<p><a href="/skip">Skip to next year</a></p>'), "[Skip to next year](/skip)");
  });
});

test("entities in structured data are characters", () => {
  const data = {
    "@type": "Product",
    description: `L&#039;id&eacute;e: ${"une lampe qui brille dans la nuit. ".repeat(4)}`,
  };
  const html = `<script type="application/ld+json">${JSON.stringify(data)}</script><main><h1>Lampe</h1><p>30 euros</p></main>`;
  assert.match(markdownOf(html), /^L'idée: une lampe/);
});
