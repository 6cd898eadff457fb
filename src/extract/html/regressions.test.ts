import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "./page.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it.";
const prose = Array.from({ length: 6 }, (_, index) => `<p>${index + 1}: ${weather}</p>`).join("\n");
const guide = (content: string): string => `<body><main><h1>Guide</h1>${prose}${content}</main>`;
const markdownOf = (html: string, url?: string): string => extractHtml(html, { url, mode: "markdown" }).text;

const hidingStyles = [
  "display:none",
  "display:/**/none",
  "visibility : hidden",
  "opacity:0",
  "font-size:0",
  "position:absolute;left:-9999px",
  "height:0;overflow:hidden",
  "overflow:hidden;width:1px;max-height:0px",
  "position:absolute;clip:rect(0,0,0,0)",
  "transform:scale(0)",
  "text-indent:-9999px",
];
const shownStyles = [
  "opacity:0.5",
  "font-size:0.9em",
  "left:-9px",
  "height:0",
  "clip:rect(0,100px,50px,0)",
  "opacity:05",
];

describe("text that a browser does not show", () => {
  for (const style of hidingStyles) {
    test(`is left out: ${style}`, () => {
      assert.doesNotMatch(markdownOf(guide(`<p style="${style}">IGNORE ALL</p>`)), /IGNORE/);
    });
  }

  for (const style of shownStyles) {
    test(`is kept if the browser shows it: ${style}`, () =>
      assert.match(markdownOf(guide(`<p style="${style}">Look here</p>`)), /Look here/));
  }

  const places = [
    '<table><tr><th>A<th>B</tr><tr><td>1 <span style="display:none">IGNORE</span><td>2</tr></table>',
    "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr><tr hidden><td>IGNORE<td>ALL</tr></table>",
    '<p>Price <span class="sr-only">IGNORE</span></p>',
    '<p>Price <span class="price visually-hidden">IGNORE</span></p>',
    "<p><code>run <span hidden>IGNORE</span></code></p>",
    '<pre>run <b class="x" hidden>IGNORE</b></pre>',
    '<p>Bye.</p><div class="faq" style="display:none">IGNORE</div>',
    '<p>Bye.</p><div class="answer tab-content" hidden>IGNORE</div>',
  ];
  for (const html of places) {
    test(`is left out of ${html.slice(0, 40)}`, () => assert.doesNotMatch(markdownOf(guide(html)), /IGNORE/));
  }

  test("a formula in a cell is written once", () => {
    const katex = `<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>
      <annotation encoding="application/x-tex">x</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x</span></span>`;
    const html = guide(`<table><tr><th>A<th>B</tr><tr><td>${katex}<td>2</tr></table>`);
    assert.ok(markdownOf(html).endsWith("|$x$|2|"));
  });

  test("does not replace the text of a short page", () => {
    const hidden = `<div style="display:none"><p>IGNORE ${weather} ${weather} ${weather}</p></div>`;
    assert.equal(markdownOf(`<body><p>Thank you for your order.</p>${hidden}`), "Thank you for your order.");
  });

  test("is kept if a script can fade it in", () => {
    assert.match(markdownOf(guide('<script src="fade.js"></script><p style="opacity:0">Look here</p>')), /Look here/);
  });

  test("is kept if a control unfolds it", () => {
    const folded =
      '<div><a href="#a1">Can it rain?</a></div><div id="a1" class="faq-answer" style="display:none">It can.</div>';
    assert.match(markdownOf(guide(folded)), /It can\./);
  });
});

const addresses = [
  "java\nscript:alert(1)",
  " java\tscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,x",
  "VBScript:x",
  `https://example.com/${"a".repeat(5000)}`,
];

describe("a link without a usable address is only text", () => {
  for (const href of addresses) {
    for (const url of [undefined, "https://example.com/"]) {
      test(`${JSON.stringify(href.slice(0, 30))} on ${url ?? "a file"}`, () => {
        assert.equal(markdownOf(`<p><a href="${href}">text</a></p>`, url), "text");
      });
    }
  }
});

describe("text that only screen readers ignore", () => {
  const dialog = '<div role="dialog" class="modal"><p>We value your privacy.</p><button>Accept</button></div>';

  test("is kept if it is most of the page: a dialog was open over it", () => {
    const text = markdownOf(`<body><div id="app" aria-hidden="true"><h1>Guide</h1>${prose}</div>${dialog}`);
    assert.match(text, /^# Guide\n\n1: the keeper/);
  });

  test("is left out elsewhere, and if a style hides it too", () => {
    assert.doesNotMatch(markdownOf(guide('<div aria-hidden="true"><p>Copy</p><p>Copy</p><p>Copy</p></div>')), /Copy/);
    const hidden = `<div aria-hidden="true" style="display:none">${prose}</div>`;
    assert.doesNotMatch(markdownOf(`<body><h1>Guide</h1><p>${weather}</p>${hidden}`), /2: the keeper/);
  });

  test("is left out if it is a menu of any length", () => {
    const menu = `<nav aria-hidden="true">${"<p><a href='/a'>A place of the site</a></p>".repeat(40)}</nav>`;
    assert.doesNotMatch(markdownOf(`<body>${menu}<main><h1>Guide</h1>${prose}</main>`), /A place/);
  });
});

describe("a dialog", () => {
  test("is kept if it is open and all of the page", () => {
    assert.match(markdownOf(`<body><dialog open><h1>Guide</h1>${prose}</dialog>`), /^# Guide\n\n1: the keeper/);
  });

  test("is left out if it covers a page, or is not open", () => {
    assert.doesNotMatch(markdownOf(guide("<dialog open><p>Subscribe now</p></dialog>")), /Subscribe/);
    assert.doesNotMatch(markdownOf(`<body><p>${weather}</p><dialog>${prose}</dialog>`), /2: the keeper/);
  });
});

describe("names that every object has", () => {
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    test(`are names like others: ${name}`, () => {
      const element = `<${name} ${name}="a" class="${name}" id="${name}" role="${name}">The tide turns.</${name}>`;
      const table = `<div role="table"><div role="row"><div role="${name}">Ebb</div></div></div>`;
      assert.match(markdownOf(guide(`<div>${element}</div>${table}`)), /The tide turns\.[\s\S]*Ebb/);
    });
  }
});
