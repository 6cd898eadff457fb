import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const lists: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "after a paragraph between two items",
    html: "<ol><li>a</li><p>between</p><li>b</li><li>c</li></ol>",
    markdown: "1. a\n\nbetween\n\n2. b\n3. c",
  },
  {
    name: "in a list inside an item that does not begin with 1",
    html: "<ul><li>a<ol start=3><li>b<li>c</ol><li>d<ol><li>e</ol></ul>",
    markdown: "- a\n\n  3. b\n  4. c\n- d\n  1. e",
  },
  { name: "after an empty item", html: "<ol><li>a</li><li></li><li>c</li></ol>", markdown: "1. a\n3. c" },
];

describe("a number is read as that of an item:", () => {
  for (const { name, html, markdown } of lists)
    test(name, () => assert.equal(extractHtml(html, { mode: "markdown" }).text, markdown));
});
