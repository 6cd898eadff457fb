import assert from "node:assert/strict";
import { test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

test("entities in structured data are decoded", () => {
  const data = {
    "@type": "Product",
    description: `L&#039;id&eacute;e: ${"une lampe qui brille dans la nuit. ".repeat(4)}`,
  };
  const html = `<script type="application/ld+json">${JSON.stringify(data)}</script><main><h1>Lampe</h1><p>30 euros</p></main>`;
  assert.match(markdownOf(html), /^L'idée: une lampe/);
});
