import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const written = (html: string, mode: "markdown" | "text" = "markdown"): string => extractHtml(html, { mode }).text;

const lines: readonly (readonly [html: string, markdown: string])[] = [
  ["e<sup>x</sup> and 10<sup>-6</sup>", "e^x and 10^-6"],
  ["x<sup>n+1</sup> and <i>x</i><sup><i>2</i></sup>", "x^(n+1) and *x*^2"],
  ["e<sup>x<sup>2</sup></sup>", "e^(x^2)"],
  ["a<sub>i</sub>, a<sub>i+1</sub>, x<sub>1</sub>", "a_i, a_(i+1), x_1"],
  ["H<sub>2</sub>O and CO<sub>2</sub>", "H2O and CO2"],
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
  ["<kbd>Ctrl</kbd><kbd>C</kbd>", "`Ctrl` `C`"],
];

describe("what a browser shows by its place or by signs of its own is written with signs:", () => {
  for (const [html, markdown] of lines) test(html, () => assert.equal(written(`<p>${html}</p>`), markdown));

  test("in text too", () => {
    assert.equal(
      written("<p>e<sup>x</sup>, <q>no</q>, <math><msup><mi>x</mi><mn>2</mn></msup></math></p>", "text"),
      "e^x, “no”, x^2",
    );
  });
});

const fraction = "<mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mo>&#x2062;</mo><mi>a</mi></mrow></mfrac>";
const formulas: readonly (readonly [mathml: string, tex: string])[] = [
  [fraction, "\\frac{−b}{2a}"],
  ["<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt{x+1}\\sqrt[3]{x}"],
  ["<msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup>", "e^{iπ}"],
  ["<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "{a+b}^2"],
  ["<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"],
  ["<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>", "∑_{i=1}^n i"],
  ["<munder><mi>lim</mi><mrow><mi>n</mi><mo>→</mo><mo>∞</mo></mrow></munder><mi>n</mi>", "\\lim_{n→∞} n"],
  ["<mover><mi>x</mi><mo>¯</mo></mover><mover><mi>a</mi><mi>b</mi></mover>", "\\overline{x}\\overset{b}{a}"],
  ["<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mspace width='1em'/><mi>rank</mi>", "\\sin x \\mathrm{rank}"],
  ["<mfenced><mi>a</mi><mi>b</mi></mfenced><mtext>if any</mtext>", "(a, b)\\text{if any}"],
  [
    "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd></mtr></mtable>",
    "\\begin{matrix}a & b \\\\ c\\end{matrix}",
  ],
  ["<mn>5</mn><mo>%</mo>", "5\\%"],
];

describe("MathML without its source becomes TeX:", () => {
  for (const [mathml, tex] of formulas)
    test(tex, () => assert.equal(written(`<p>So <math>${mathml}</math>.</p>`), `So $${tex}$.`));

  test("what MathJax drew is written once, as its source", () => {
    const drawn = `<span class="MathJax_Preview">x2</span><span class="MathJax" id="e1"><nobr>x2</nobr>
      <span class="MJX_Assistive_MathML"><math><mi>x</mi></math></span></span><script type="math/tex">x^2</script>`;
    assert.equal(written(`<p>So ${drawn} holds.</p>`), "So $x^2$ holds.");
    const display =
      '<div class="MathJax_Display"><span class="MathJax">y</span></div><script type="math/tex; mode=display">y</script>';
    assert.equal(written(`<p>So</p><span class="MathJax_Preview"></span>${display}`), "So\n\n$$\ny\n$$");
    assert.equal(written('<p>So <span class="MathJax">x2</span> holds.</p>'), "So x2 holds.");
  });
});

describe("headings", () => {
  const headings = [
    ["<h1>Struct <span>Vec</span><button>Copy item path</button></h1>", "# Struct Vec"],
    ["<h2><button>Can it rain?</button></h2>", "## Can it rain?"],
    ["<h2> <span></span><button>Can it rain?</button></h2>", "## Can it rain?"],
  ] as const;
  for (const [html, markdown] of headings)
    test(html, () => assert.equal(written(`${html}<p>x</p>`), `${markdown}\n\nx`));
});

test("blocks too deep to be kept apart stand on lines of their own", () => {
  const deep = `${"<div>".repeat(600)}<p>one</p><p>two <b>three</b></p><ul><li>four<li>five</ul>${"</div>".repeat(600)}`;
  assert.equal(written(`<p>zero</p>${deep}<p>six</p>`), "zero\n\none\ntwo three\nfour\nfive\n\nsix");
});
