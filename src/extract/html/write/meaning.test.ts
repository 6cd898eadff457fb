import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;
const textOf = (html: string): string => extractHtml(html, { mode: "text" }).text;

/** What a page says as text, and how Markdown says the same. */
const signs: readonly (readonly [html: string, markdown: string])[] = [
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
  ["[^1] is no note", "\\[^1] is no note"],
  ["__init__ and snake_case_name", "\\_\\_init__ and snake_case_name"],
  ["**bold?** and 5 * 2", "\\*\\*bold?\\*\\* and 5 * 2"],
  ["*.ts", "\\*.ts"],
  ["<em>*args</em>", "*\\*args*"],
  ["C:\\*", "C:\\\\\\*"],
  ["C:\\temp", "C:\\temp"],
  ["<code>**a** [b](c) &lt;i&gt;</code>", "`**a** [b](c) <i>`"],
  ['<a href="https://e.com/">a] b</a>', "[a\\] b](https://e.com/)"],
  ['<a href="https://e.com/">a [b]</a>', "[a [b]](https://e.com/)"],
];

describe("signs that Markdown would read are escaped, others are not:", () => {
  for (const [html, markdown] of signs) {
    test(html, () => assert.equal(markdownOf(`<p>${html}</p>`), markdown));
  }

  test("in headings, whose names stay plain", () => {
    const { text, marks } = extractHtml("<h2>Two # hash ##</h2><p>x</p><h2>The *args</h2>", { mode: "markdown" });
    assert.equal(text, "## Two # hash \\##\n\nx\n\n## The \\*args");
    assert.deepEqual(
      marks.map(({ label }) => label),
      ["Two # hash ##", "The *args"],
    );
  });

  test("in text nothing is", () =>
    assert.equal(textOf("<p># a *b* [c](d) &lt;i&gt; 1. x</p>"), "# a *b* [c](d) <i> 1. x"));

  test("a fence that is text swallows nothing", () => {
    assert.equal(markdownOf("<p>```</p><h2>Second</h2>"), "\\`\\`\\`\n\n## Second");
  });
});

const fence = (code: string, language = ""): string => `\`\`\`${language}\n${code}\n\`\`\``;
const line = (number: string, rest: string): string => `<span class="line"><span>${number}</span>${rest}</span>\n`;
const exact: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "a number at the start of code",
    html: '<pre><code class="hljs"><span class="hljs-number">1</span> + x</code></pre>',
    markdown: fence("1 + x"),
  },
  {
    name: "numbers at the start of every line of data",
    html: `<pre><code>${line("1", ",ann")}${line("2", ",bob")}${line("3", "<span>,cid</span>")}</code></pre>`,
    markdown: fence("1,ann\n2,bob\n3,cid"),
  },
  {
    name: "a short listing in a numbered list",
    html: '<pre class="prettyprint linenums"><ol class="linenums"><li class="L0"><code>int a;</code></li><li class="L1"><code>int b;</code></li></ol></pre>',
    markdown: fence("int a;\nint b;"),
  },
  {
    name: "the language of code beside a gutter",
    html: '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre><code class="language-py">a\nb</code></pre></td></tr></table>',
    markdown: fence("a\nb", "py"),
  },
  {
    name: "cells that span rows",
    html: "<table><tr><th>A<th>B<th>C</tr><tr><td rowspan=2>1<td>2<td>3</tr><tr><td>4<td>5</tr></table>",
    markdown: "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
  },
  {
    name: "cells that span rows and columns at the end",
    html: "<table><tr><th>A<th>B<th>C</tr><tr><td>1<td rowspan=2 colspan=2>2</tr><tr><td>3</tr></table>",
    markdown: "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 3 |  |  |",
  },
  {
    name: "code and lists in cells",
    html: "<table><tr><th>A<th>B</tr><tr><td><pre>{\n  a | b\n}</pre><td>x<br>y<ul><li>one<li>two</ul></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| `{`<br>`  a \\| b`<br>`}` | x<br>y<br>one<br>two |",
  },
  { name: "a word in two colours", html: "<p><span>Java</span><span>Script</span></p>", markdown: "JavaScript" },
  {
    name: "a word of a script without blanks",
    html: '<p><span class="a">東京</span><span class="b">都庁</span></p>',
    markdown: "東京都庁",
  },
];

describe("what is written says what the page says:", () => {
  for (const { name, html, markdown } of exact) test(name, () => assert.equal(markdownOf(html), markdown));
});
