import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "./page.ts";

const back = '<a href="#r1">1</a>';
const bracketed = (inner: string): string =>
  `<span class="fn-bracket">[</span>${inner}<span class="fn-bracket">]</span>`;

/** How pages write the note that `<a href="#n1">1</a>` leads to. */
const notes: readonly { name: string; html: string }[] = [
  { name: "an item with the way back", html: '<ol><li id="n1"><p>In autumn. <a href="#r1">↩</a></p></li></ol>' },
  { name: "a paragraph with its number", html: '<p id="n1"><sup>1</sup> In autumn.</p>' },
  { name: "a paragraph with its number as the way back", html: `<p id="n1">${back} In autumn.</p>` },
  {
    name: "an aside in an aside",
    html: `<aside class="footnote-list"><aside class="footnote" id="n1" role="doc-footnote">
      <span class="label">${bracketed(back)}</span>\n<p>In autumn.</p></aside></aside>`,
  },
  {
    name: "a term and its definition",
    html: `<dl class="footnote"><dt class="label" id="n1"><span>${back}</span></dt><dd><p>In autumn.</p></dd></dl>`,
  },
  {
    name: "a table of one row",
    html: `<table class="footnote" id="n1"><colgroup><col><col></colgroup><tr><td>${back}</td><td>In autumn.</td></tr></table>`,
  },
];

describe("a footnote is linked with its note, which loses the way back:", () => {
  for (const { name, html } of notes) {
    test(name, () => {
      const page = `<p>It rains<sup><a href="#n1" id="r1">1</a></sup>.</p>${html}<p>End.</p>`;
      assert.equal(extractHtml(page, { mode: "markdown" }).text, "It rains[^1].\n\n[^1]: In autumn.\n\nEnd.");
    });
  }

  test("brackets around references are theirs", () => {
    const notes = '<ol><li id="n1">One.</li><li id="n2">Two.</li></ol>';
    assert.equal(
      extractHtml(`<p>It rains [<a href="#n1">1</a>, <a href="#n2">2</a>].</p>${notes}`, { mode: "markdown" }).text,
      "It rains [^1], [^2].\n\n[^1]: One.\n\n[^2]: Two.",
    );
  });

  test("a cell of a larger table is no note", () => {
    const table = '<table><tr><th>No<th>Name</tr><tr><td id="n1">1</td><td>In autumn.</td></tr></table>';
    assert.equal(
      extractHtml(`<p>It rains <a href="#n1">1</a>.</p>${table}`, { mode: "markdown" }).text,
      "It rains [1](#n1).\n\n| No | Name |\n| --- | --- |\n| 1 | In autumn. |",
    );
  });
});
