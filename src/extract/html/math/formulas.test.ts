import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

const clip = "clip:rect(1px,1px,1px,1px);position:absolute;user-select:none";

/** Forms of a formula inside a line, and the TeX written for them. */
const formulas: readonly { name: string; html: string; tex: string }[] = [
  {
    name: "a drawing with MathML for screen readers",
    html: `<mjx-container class="MathJax" jax="SVG"><svg><path></path></svg><mjx-assistive-mml style="${clip}"><math><msub><mi>r</mi><mn>1</mn></msub></math></mjx-assistive-mml></mjx-container>`,
    tex: "r_1",
  },
  {
    name: "an image with its source as alternative text",
    html: '<img src="a.svg" alt="\\exp{x} - \\log(y)">',
    tex: "\\exp{x} - \\log(y)",
  },
  { name: "an image with a class for formulas", html: '<img class="latex" src="a.png" alt="x^2+1">', tex: "x^2+1" },
  { name: "an image with dollar signs around its source", html: '<img src="a.png" alt="$x_1$">', tex: "x_1" },
  {
    name: "hidden MathML beside an image that screen readers skip",
    html: '<span><span style="display: none;"><math alttext="{\\displaystyle x^{2}}"><mi>x</mi></math></span><img src="a.svg" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle x^{2}}"></span>',
    tex: "x^{2}",
  },
  {
    name: "the same for one letter",
    html: '<span><span style="display: none;"><math alttext="A"><mi>A</mi></math></span><img src="a.svg" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="A"></span>',
    tex: "A",
  },
  {
    name: "an image from a service that draws TeX",
    html: '<img src="https://latex.example.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D">',
    tex: "\\frac{a}{b}",
  },
  {
    name: "an image from a service that is also given a resolution and a colour",
    html: '<img src="https://latex.example.com/svg.image?\\inline&space;\\dpi{110}\\bg_white&space;\\alpha+1" title="a">',
    tex: "\\alpha+1",
  },
  {
    name: "an image whose address has the formula in a parameter",
    html: '<img src="https://render.example.com/render/math?math=x%20%3D+%5Calpha%2B1&mode=inline#gh-light-mode-only">',
    tex: "x = \\alpha+1",
  },
  {
    name: "an image whose address has the formula in its path",
    html: '<img src="https://math.example.com/svg/%5Cfrac%7Ba%7D%7Bb%7D" alt="formula">',
    tex: "\\frac{a}{b}",
  },
  {
    name: "an image from a chart service",
    html: '<img src="https://charts.example.com/chart?cht=tx&chl=%5Calpha%2B1">',
    tex: "\\alpha+1",
  },
];

describe("a formula inside a line is written as TeX:", () => {
  for (const { name, html, tex } of formulas) {
    test(name, () => {
      assert.equal(markdownOf(`<p>We call ${html} the reward.</p>`), `We call $${tex}$ the reward.`);
    });
  }

  test("neither words nor a file path as alternative text are a formula", () => {
    const pictures = '<p><img alt="C:\\Users\\keeper"> <img alt="price = 5$"> <img class="math" alt="A teacher"></p>';
    assert.doesNotMatch(extractHtml(pictures, { mode: "text" }).text, /\$C|\$price/);
    const { text } = extractHtml(pictures, { mode: "markdown" });
    assert.doesNotMatch(text, /\$C|\$price|\$A/);
  });

  test("a file in a folder with a backslash is not a formula", () => {
    const { text } = extractHtml('<p>So <img src="/shop/latex\\gloves.jpg"> it is.</p>', { mode: "markdown" });
    assert.equal(text, "So it is.");
  });

  test("a URL with broken escapes is not a formula", () => {
    const { text } = extractHtml('<p>So <img src="/latex?%5Cfrac{1}{%}"> it is.</p>', { mode: "markdown" });
    assert.equal(text, "So it is.");
  });
});

const fraction = "<mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mo>&#x2062;</mo><mi>a</mi></mrow></mfrac>";
const mathmlFormulas: readonly (readonly [mathml: string, tex: string])[] = [
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

describe("MathML without its source is converted to TeX:", () => {
  for (const [mathml, tex] of mathmlFormulas)
    test(tex, () => assert.equal(markdownOf(`<p>So <math>${mathml}</math>.</p>`), `So $${tex}$.`));

  test("a MathJax drawing is replaced by its source", () => {
    const drawn = `<span class="MathJax_Preview">x2</span><span class="MathJax" id="e1"><nobr>x2</nobr>
      <span class="MJX_Assistive_MathML"><math><mi>x</mi></math></span></span><script type="math/tex">x^2</script>`;
    assert.equal(markdownOf(`<p>So ${drawn} holds.</p>`), "So $x^2$ holds.");
    const display =
      '<div class="MathJax_Display"><span class="MathJax">y</span></div><script type="math/tex; mode=display">y</script>';
    assert.equal(markdownOf(`<p>So</p><span class="MathJax_Preview"></span>${display}`), "So\n\n$$\ny\n$$");
    assert.equal(markdownOf('<p>So <span class="MathJax">x2</span> holds.</p>'), "So x2 holds.");
  });
});
