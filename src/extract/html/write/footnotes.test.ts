import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const back = '<a href="#r1">1</a>';
const bracketed = (inner: string): string =>
  `<span class="fn-bracket">[</span>${inner}<span class="fn-bracket">]</span>`;

/** Forms of the note that `<a href="#n1">1</a>` leads to. */
const notes: readonly { name: string; html: string }[] = [
  { name: "a list item with a back link", html: '<ol><li id="n1"><p>In autumn. <a href="#r1">↩</a></p></li></ol>' },
  { name: "a paragraph with its number", html: '<p id="n1"><sup>1</sup> In autumn.</p>' },
  { name: "a paragraph whose number is the back link", html: `<p id="n1">${back} In autumn.</p>` },
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

describe("a linked footnote is written without its back link:", () => {
  for (const { name, html } of notes) {
    test(name, () => {
      const page = `<p>It rains<sup><a href="#n1" id="r1">1</a></sup>.</p>${html}<p>End.</p>`;
      assert.equal(extractHtml(page, { mode: "markdown" }).text, "It rains[^1].\n\n[^1]: In autumn.\n\nEnd.");
    });
  }

  test("brackets around references are dropped", () => {
    const notes = '<ol><li id="n1">One.</li><li id="n2">Two.</li></ol>';
    assert.equal(
      extractHtml(`<p>It rains [<a href="#n1">1</a>, <a href="#n2">2</a>].</p>${notes}`, { mode: "markdown" }).text,
      "It rains [^1], [^2].\n\n[^1]: One.\n\n[^2]: Two.",
    );
  });

  test("a cell of a larger table is not a note", () => {
    const table = '<table><tr><th>No<th>Name</tr><tr><td id="n1">1</td><td>In autumn.</td></tr></table>';
    assert.equal(
      extractHtml(`<p>It rains <a href="#n1">1</a>.</p>${table}`, { mode: "markdown" }).text,
      "It rains 1.\n\n|No|Name|\n|-|-|\n|1|In autumn.|",
    );
  });
});

describe("footnotes in other forms:", () => {
  test("a heading that is only a number labels the paragraph below it", () => {
    const notes = '<div><h4>Footnotes</h4><h5><a id="F1" href="#D1">(1)</a></h5><p>In autumn.</p></div>';
    const page = `<body><div><p>It rains<a id="D1" href="#F1"><sup>1</sup></a>.</p></div>${notes}`;
    assert.equal(extractHtml(page, { mode: "markdown" }).text, "It rains[^1].\n\n#### Footnotes\n\n[^1]: In autumn.");
  });

  test("several notes in one paragraph keep their numbers", () => {
    const notes = '<p><a name="a"><sup>1</sup></a> In autumn.<br><a name="b"><sup>2</sup></a> In spring.</p>';
    const page = `<p>It rains<a href="#a"><sup>1</sup></a>, it snows<a href="#b"><sup>2</sup></a>.</p>${notes}`;
    assert.match(extractHtml(page, { mode: "markdown" }).text, /^It rains\[\^1\], it snows\[2\]\./);
  });

  test("a link with no words around it is a count, not a reference", () => {
    const page = '<p>It rains in autumn.</p><div><a href="#c">2</a></div><div id="c">Say something</div>';
    assert.match(extractHtml(page, { mode: "markdown" }).text, /^It rains in autumn\.\n\n2\n\nSay something/);
  });

  test("a fragment of another page is not a target in this page", () => {
    const page = '<p>It rains, say others <a href="/other/#talk">2</a>.</p><div id="talk">Say something</div>';
    assert.match(extractHtml(page, { mode: "markdown" }).text, /\[2\]\(\/other\/#talk\)\.\n\nSay something/);
  });

  test("notes are kept when the text is in a box beside them", () => {
    const words = "The keeper of the lighthouse wrote down the weather of that day, and the ships. ".repeat(20);
    const page = `<body><div><h1>Log</h1><p>${words}<a href="#n1">1</a></p></div>
      <div><p id="n1">1. In autumn, when the ships come home from the north.</p></div><div>All rights reserved</div>`;
    assert.match(extractHtml(page, { mode: "markdown" }).text, /\[\^1\]: .*In autumn/);
  });
});

/** Forms of a note inside its line; the number before it is kept. */
const sideNotes: readonly { name: string; html: string; expected: string }[] = [
  {
    name: "in the margin, with a box that unfolds it",
    html: '<label for="s1" class="margin-toggle sidenote-number"></label><input type="checkbox" id="s1"><span class="sidenote">In autumn.</span>',
    expected: "It rains. ^[In autumn.] It snows.",
  },
  {
    name: "with a number of its own",
    html: '<sup>1</sup><span class="side-note"><span class="number">1. </span>In autumn.</span>',
    expected: "It rains.^1 ^[In autumn.] It snows.",
  },
  {
    name: "hidden until a reader unfolds it",
    html: '<span class="inline-footnote">1<span class="footnoteContent" style="display:none">In <a href="/a">autumn</a>.</span></span>',
    expected: "It rains.1 ^[In [autumn](/a).] It snows.",
  },
  {
    name: "as LaTeXML writes it",
    html: '<span class="ltx_note"><sup class="ltx_note_mark">2</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">2</sup><span class="ltx_tag_note">2</span>In autumn.</span></span></span>',
    expected: "It rains.^2 ^[In autumn.] It snows.",
  },
];

describe("a side note is written as an inline note:", () => {
  for (const { name, html, expected } of sideNotes) {
    test(name, () =>
      assert.equal(extractHtml(`<p>It rains.${html} It snows.</p>`, { mode: "markdown" }).text, expected),
    );
  }

  test("neither a number with the class of a note nor a whole paragraph is a side note", () => {
    const page =
      '<p>It rains<span class="footnote">[1]</span>.</p><p><small class="footnote">In autumn it does.</small></p>';
    assert.equal(extractHtml(page, { mode: "markdown" }).text, "It rains[1].\n\nIn autumn it does.");
  });
});
