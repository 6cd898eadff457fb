import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;
const textOf = (html: string): string => extractHtml(html, { mode: "text" }).text;

/** The text of a page, and the Markdown for the same text. */
const texts: readonly (readonly [html: string, markdown: string])[] = [
  ["```", "\\`\\`\\`"],
  ["~~~", "\\~\\~~"],
  ["# not heading", "\\# not heading"],
  ["#tag", "#tag"],
  ["1986. A great year", "1986\\. A great year"],
  ["1) one", "1\\) one"],
  ["3.5 metres", "3.5 metres"],
  ["- dash", "\\- dash"],
  ["-5 degrees", "-5 degrees"],
  ["+ plus", "\\+ plus"],
  ["&gt; quote", "\\> quote"],
  ["---", "\\---"],
  ["===", "\\==="],
  ["| a | b |", "\\| a | b |"],
  ["one<br># two<br>- three<br>===", "one\n\\# two\n\\- three\n\\==="],
  ["&lt;script&gt; and a &lt; b", "\\<script> and a < b"],
  ["&amp;lt; and AT&amp;T", "\\&lt; and AT&T"],
  ["[link](x) and [1]", "\\[link](x) and [1]"],
  ["[^1] is not a note", "\\[^1] is not a note"],
  ["__init__ and snake_case_name", "\\_\\_init__ and snake_case_name"],
  ["https://e.com/__init__.py, https://e.com/~ann/a~b", "https://e.com/__init__.py, https://e.com/~ann/a~b"],
  ['<a href="https://e.com/__init__.py">https://e.com/__init__.py</a> *x*', "https://e.com/__init__.py \\*x\\*"],
  ["**bold?** and 5 * 2", "\\*\\*bold?\\*\\* and 5 * 2"],
  ["*.ts", "\\*.ts"],
  ["<em>*args</em>", "*\\*args*"],
  ["C:\\*", "C:\\\\\\*"],
  ["C:\\temp", "C:\\temp"],
  ["<code>**a** [b](c) &lt;i&gt;</code>", "`**a** [b](c) <i>`"],
  ['<a href="https://e.com/">a] b</a>', "[a\\] b](https://e.com/)"],
  ['<a href="https://e.com/">a [b]</a>', "[a [b]](https://e.com/)"],
];

describe("characters are escaped only where Markdown would read them as syntax:", () => {
  for (const [html, markdown] of texts) {
    test(html, () => assert.equal(markdownOf(`<p>${html}</p>`), markdown));
  }

  test("in headings, whose labels stay plain", () => {
    const { text, marks } = extractHtml("<h2>Two # hash ##</h2><p>x</p><h2>The *args</h2>", { mode: "markdown" });
    assert.equal(text, "## Two # hash \\##\n\nx\n\n## The \\*args");
    assert.deepEqual(
      marks.map(({ label }) => label),
      ["Two # hash ##", "The *args"],
    );
  });

  test("nothing is escaped in plain text", () =>
    assert.equal(textOf("<p># a *b* [c](d) &lt;i&gt; 1. x</p>"), "# a *b* [c](d) <i> 1. x"));

  test("a fence in the text of a page does not begin a code block", () => {
    assert.equal(markdownOf("<p>```</p><h2>Second</h2>"), "\\`\\`\\`\n\n## Second");
  });
});
