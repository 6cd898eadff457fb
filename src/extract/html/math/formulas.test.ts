import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const clip = "clip:rect(1px,1px,1px,1px);position:absolute;user-select:none";
const signs = (text: string): string =>
  [...text]
    .map((sign) => `<mjx-c class="mjx-c${sign.codePointAt(0)?.toString(16).toUpperCase()} TEX-I"></mjx-c>`)
    .join("");
const frac = (over: string, under: string): string =>
  `<mjx-mfrac><mjx-frac><mjx-num>${over}</mjx-num><mjx-dbox><mjx-dtable><mjx-row><mjx-den>${under}</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac>`;
const drawn = (inner: string): string =>
  `<mjx-container class="MathJax" jax="CHTML"><mjx-math>${inner}</mjx-math></mjx-container>`;
const sum = `<mjx-munderover><mjx-over><mjx-mi>${signs("n")}</mjx-mi></mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base><mjx-mo>${signs("∑")}</mjx-mo></mjx-base></mjx-row><mjx-row><mjx-under><mjx-mi>${signs("i")}</mjx-mi></mjx-under></mjx-row></mjx-munder></mjx-box></mjx-munderover>`;

/** How pages put a formula into a line, and what is written. */
const formulas: readonly { name: string; html: string; tex: string }[] = [
  {
    name: "a drawing with a copy that only screen readers meet",
    html: `<mjx-container class="MathJax" jax="SVG"><svg><path></path></svg><mjx-assistive-mml style="${clip}"><math><msub><mi>r</mi><mn>1</mn></msub></math></mjx-assistive-mml></mjx-container>`,
    tex: "r_1",
  },
  {
    name: "a drawing and nothing else",
    html: drawn(
      `<mjx-mi>${signs("𝑧")}</mjx-mi><mjx-mo>${signs("=")}</mjx-mo>${frac(frac(signs("1"), signs("2")), signs("n"))}`,
    ),
    tex: "z=\\frac{\\frac{1}{2}}{n}",
  },
  { name: "a drawn sum", html: drawn(sum), tex: "∑_i^n" },
  {
    name: "drawn indices",
    html: drawn(
      `<mjx-msubsup><mjx-mi>${signs("p")}</mjx-mi><mjx-script><mjx-mn>${signs("2")}</mjx-mn><mjx-spacer></mjx-spacer><mjx-mi>${signs("k")}</mjx-mi></mjx-script></mjx-msubsup>`,
    ),
    tex: "p_k^2",
  },
  {
    name: "a picture with its source",
    html: '<img src="a.svg" alt="\\exp{x} - \\log(y)">',
    tex: "\\exp{x} - \\log(y)",
  },
  { name: "a picture that is called a formula", html: '<img class="latex" src="a.png" alt="x^2+1">', tex: "x^2+1" },
  { name: "a picture with signs of TeX around its source", html: '<img src="a.png" alt="$x_1$">', tex: "x_1" },
  {
    name: "a picture from a service that draws TeX",
    html: '<img src="https://latex.example.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D">',
    tex: "\\frac{a}{b}",
  },
  {
    name: "a chart of TeX",
    html: '<img src="https://charts.example.com/chart?cht=tx&chl=%5Calpha%2B1">',
    tex: "\\alpha+1",
  },
];

describe("formulas stay in their line:", () => {
  for (const { name, html, tex } of formulas) {
    test(name, () => {
      const { text } = extractHtml(`<p>We call ${html} the reward.</p>`, { mode: "markdown" });
      assert.equal(text, `We call $${tex}$ the reward.`);
    });
  }

  test("words for a picture are no formula, nor is the path of a file", () => {
    const pictures = '<p><img alt="C:\\Users\\keeper"> <img alt="price = 5$"> <img class="math" alt="A teacher"></p>';
    assert.doesNotMatch(extractHtml(pictures, { mode: "text" }).text, /\$C|\$price/);
    const { text } = extractHtml(pictures, { mode: "markdown" });
    assert.equal(text, "![C:\\Users\\keeper]() ![price = 5$]() ![A teacher]()");
  });

  const nested = [
    "<mjx-munderover><mjx-base><mjx-under>",
    "<mjx-mroot><mjx-sqrt><mjx-box><mjx-root>",
    "<mjx-msubsup><mjx-mi></mjx-mi><mjx-script>",
    "<mjx-mfrac><mjx-num><mjx-den>",
  ];
  for (const opening of nested)
    test(`drawings in drawings are written once: ${opening}`, () => {
      const { text } = extractHtml(`<p>So <mjx-container>${opening.repeat(120)}${signs("1")}`, { mode: "markdown" });
      assert.ok(text.length < 10_000);
    });

  test("an address with broken escapes tells nothing", () => {
    const { text } = extractHtml('<p>So <img src="/latex?%5Cfrac{1}{%}"> it is.</p>', { mode: "markdown" });
    assert.equal(text, "So it is.");
  });
});
