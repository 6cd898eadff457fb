import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const textOf = (html: string, mode: "markdown" | "text" = "markdown"): string => extractHtml(html, { mode }).text;

const lines: readonly (readonly [html: string, markdown: string])[] = [
  ["e<sup>x</sup> and 10<sup>-6</sup>", "e^x and 10^-6"],
  ["x<sup>n+1</sup> and <i>x</i><sup><i>2</i></sup>", "x^(n+1) and *x*^2"],
  ["e<sup>x<sup>2</sup></sup>", "e^(x^2)"],
  ["a<sub>i</sub>, a<sub>i+1</sub>, x<sub>1</sub>", "a_i, a_(i+1), x_1"],
  ["H<sub>2</sub>O and CO<sub>2</sub>", "H₂O and CO₂"],
  ["the 2<sup>nd</sup> of the XIX<sup>e</sup>", "the 2nd of the XIXe"],
  ["Lamp<sup>TM</sup>, here<sup>*</sup>, there<sup>[1]</sup>", "LampTM, here*, there[1]"],
  ['it<sup><a href="/notes">a</a></sup>', "it[a](/notes)"],
  ["Ada<sup>1,2</sup>", "Ada^(1,2)"],
  ["<sub>set small</sub>", "set small"],
  ["<sup>a remark that somebody wanted to be small</sup>", "a remark that somebody wanted to be small"],
  ["She said <q>no, <q>never</q></q>.", "She said “no, ‘never’”."],
  ["<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>", "漢(kan)字(ji)"],
  ["<ruby>漢<rt></rt></ruby>", "漢"],
  ["<i>a</i><i>b</i>, <b>a</b><b>b</b>, <s>a</s><s>b</s>", "*ab*, **ab**, ~~ab~~"],
  ["<b>a</b><i>b</i>, <b>a </b><b>b</b>", "**a***b*, **a** **b**"],
  ["a<i> b</i><i>c</i>", "a *bc*"],
  ["<b>Is it lit?</b>The lamp", "**Is it lit**?The lamp"],
  ["<b>Is it lit?</b> The lamp, <b>it is:</b>yes", "**Is it lit?** The lamp, **it is:** yes"],
  ["<b>注意：</b>灯, <b>灯（81）</b>は", "**注意**：灯, 灯（81）は"],
  ["Lamp<b>®</b> 7, lamp<i>(s)</i>, 5<b>%</b>", "Lamp® 7, lamp(*s*), 5%"],
  ["<b>Lit?</b><i>yes</i>, <b>lit?</b><a href='/a'>yes</a>", "**Lit**?*yes*, **lit?**[yes](/a)"],
  ["<b><a href='/a'>Lit</a></b>now", "[Lit](/a)now"],
  ["<b><i>Lit?</i></b>The <b><i>l</i></b>amp<b><i>?</i></b>", "***Lit***?The ***l***amp?"],
  ["<kbd>Ctrl</kbd><kbd>C</kbd>", "`Ctrl` `C`"],
  ["Call <code>a()<br>b()</code>.", "Call `a()`\n`b()`."],
];

describe("what a browser shows by position or with characters of its own is written with characters:", () => {
  for (const [html, markdown] of lines) test(html, () => assert.equal(textOf(`<p>${html}</p>`), markdown));

  test("in plain text too", () => {
    assert.equal(
      textOf("<p>e<sup>x</sup>, <q>no</q>, <math><msup><mi>x</mi><mn>2</mn></msup></math></p>", "text"),
      "e^x, “no”, x^2",
    );
  });
});

describe("adjacent elements of one word are joined:", () => {
  test("in two colours", () => assert.equal(textOf("<p><span>Java</span><span>Script</span></p>"), "JavaScript"));

  test("in a script that does not separate words", () =>
    assert.equal(textOf('<p><span class="a">東京</span><span class="b">都庁</span></p>'), "東京都庁"));
});

describe("a label that ends with a colon", () => {
  const lines = [
    ["<p><b>Title:</b>Lamps</p>", "**Title:** Lamps"],
    ["<p><span>By:</span><a href='/a'>Ada</a></p>", "By: [Ada](/a)"],
    ["<p><span>10:</span><span>30</span> <span>std::</span>vec</p>", "10:30 std::vec"],
    ["<p><code><span>key:</span>value</code></p>", "`key:value`"],
    ["<p><b>Q:</b>Why? <span class='l'>price:</span>9</p>", "**Q:** Why? price: 9"],
    ["<p><span>mailto:</span>jane, <span>xlink:</span>href</p>", "mailto:jane, xlink:href"],
    ["<p><span>C:</span>Users</p>", "C:Users"],
    ["<p><b>Warning:</b></p><p><b>1. Oil</b>: lamp</p>", "**Warning:**\n\n**1. Oil**: lamp"],
    ["<p>See <b>wicks:</b> two</p>", "See **wicks:** two"],
  ] as const;
  for (const [html, markdown] of lines) test(html, () => assert.equal(textOf(html), markdown));
});

test("a link is not emphasized too", () => {
  assert.equal(
    textOf("<p>a <b><a href='/a'>lamp</a></b>, <a href='/b'><b>wick</b></a></p>"),
    "a [lamp](/a), [**wick**](/b)",
  );
  assert.equal(textOf("<p>a <b><a href='/a'>lamp</a> lit</b> <a><b>wick</b></a></p>"), "a **[lamp](/a) lit** **wick**");
});

describe("emphasized code directly before other code stays separate:", () => {
  const lines = [
    ["<p><b><code>git</code></b><code>commit</code></p>", "**`git`**`commit`"],
    ["<p><em><code>git</code></em><code>commit</code></p>", "*`git`*`commit`"],
    ["<p><strong>Note:<code>foo</code></strong><code>bar</code></p>", "**Note:`foo`**`bar`"],
    ["<p><b><i><code>git</code></i></b><kbd>commit</kbd></p>", "***`git`***`commit`"],
    ["<p><b><code>git</code></b><b><code>commit</code></b></p>", "`git`**`commit`**"],
  ] as const;
  for (const [html, markdown] of lines) test(html, () => assert.equal(textOf(html), markdown));
});

test("signs of emphasis are not emphasized", () =>
  assert.equal(textOf("<p>fit(<em>a</em>, <em>*</em>, <b>_</b>)</p>"), "fit(*a*, \\*, \\_)"));

describe("buttons in headings", () => {
  const headings = [
    ["<h1>Struct <span>Vec</span><button>Copy item path</button></h1>", "# Struct Vec"],
    ["<h2><button>Can it rain?</button></h2>", "## Can it rain?"],
    ["<h2> <span></span><button>Can it rain?</button></h2>", "## Can it rain?"],
  ] as const;
  for (const [html, markdown] of headings)
    test(html, () => assert.equal(textOf(`${html}<p>x</p>`), `${markdown}\n\nx`));
});

test("blocks below the depth limit are on lines of their own", () => {
  const deep = `${"<div>".repeat(600)}<p>one</p><p>two <b>three</b></p><ul><li>four<li>five</ul>${"</div>".repeat(600)}`;
  assert.equal(textOf(`<p>zero</p>${deep}<p>six</p>`), "zero\n\none\ntwo three\nfour\nfive\n\nsix");
});
