import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../../test/cpu-time.ts";
import { soakCount } from "../../../test/soak.ts";
import { extractHtml } from "./page.ts";

const sentence = "The keeper of the lighthouse wrote down the weather of every day, and the ships that passed it. ";
const prose = (paragraphs: number): string =>
  Array.from({ length: paragraphs }, (_, index) => `<p>Day ${index + 1}: ${sentence.repeat(2)}</p>`).join("\n");

const markdownOf = (html: string, url?: string): string => extractHtml(html, { url, mode: "markdown" }).text;
const textOf = (html: string): string => extractHtml(html, { mode: "text" }).text;

const written: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "headings keep their levels",
    html: "<h2>Two</h2><p>a</p><h4>Four</h4><p>b</p>",
    markdown: "## Two\n\na\n\n#### Four\n\nb",
  },
  {
    name: "emphasis, code and strikes",
    html: "<p><b>bold</b>, <i>soft</i>, <code>x = 1</code>, <s>gone</s></p>",
    markdown: "**bold**, *soft*, `x = 1`, ~~gone~~",
  },
  { name: "code with backticks", html: "<p><code>a`b</code></p>", markdown: "``a`b``" },
  { name: "line breaks stay", html: "<p>one<br>two</p>", markdown: "one\ntwo" },
  { name: "blanks collapse", html: "<p>a\n   b&nbsp;&nbsp; c</p>", markdown: "a b c" },
  {
    name: "labels that only a style sheet separates",
    html: '<p><span class="a">Posted</span><span class="b">Yesterday</span></p>',
    markdown: "Posted Yesterday",
  },
  {
    name: "nested lists",
    html: "<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul>",
    markdown: "- a\n  3. b\n  4. c\n- d",
  },
  {
    name: "tasks",
    html: "<ul><li><input type=checkbox checked>done<li><input type=checkbox>open</ul>",
    markdown: "- [x] done\n- [ ] open",
  },
  { name: "paragraphs in a list item", html: "<ol><li><p>a</p><p>b</p></ol>", markdown: "1. a\n\n   b" },
  {
    name: "quotations, nested",
    html: "<blockquote><p>a</p><blockquote>b</blockquote></blockquote>",
    markdown: "> a\n>\n> > b",
  },
  { name: "a rule", html: "<p>a</p><hr><p>b</p>", markdown: "a\n\n---\n\nb" },
  {
    name: "images in a sentence are kept, unless their label is a file name",
    html: '<p>See <img src=a.png alt="a chart"> and <img src=b.png alt=b.png></p>',
    markdown: "See ![a chart](a.png) and",
  },
  { name: "a definition list", html: "<dl><dt>term<dd>meaning</dl>", markdown: "term\n\nmeaning" },
  { name: "unclosed tags", html: "<p>one<p>two<ul><li>a<li>b", markdown: "one\n\ntwo\n\n- a\n- b" },
  { name: "formatting that crosses blocks", html: "<p>a <b>b</p><p>c</b> d</p>", markdown: "a **b**\n\nc d" },
];

describe("Markdown", () => {
  for (const { name, html, markdown } of written) test(name, () => assert.equal(markdownOf(html), markdown));
});

const tables: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "a table of data",
    html: "<table><caption>Sizes</caption><tr><th>Name<th>Size</tr><tr><td>a|b<td>1</tr></table>",
    markdown: "Sizes\n\n|Name|Size|\n|-|-|\n|a\\|b|1|",
  },
  {
    name: "cells that span columns, and short rows",
    html: "<table><tr><th colspan=2>Both<th>C</tr><tr><td>1<td>2<td>3</tr><tr><td>4</tr></table>",
    markdown: "|Both||C|\n|-|-|-|\n|1|2|3|\n|4|||",
  },
  {
    name: "code, breaks and lists in cells stay on their line",
    html: "<table><tr><th>A<th>B</tr><tr><td><pre>x\ny</pre><td>one<br>two<ul><li>three</ul></tr></table>",
    markdown: "|A|B|\n|-|-|\n|`x`<br>`y`|one<br>two<br>three|",
  },
  {
    name: "a table for layout is blocks",
    html: "<table role=presentation><tr><td><p>left</p><td><p>right</p></tr></table>",
    markdown: "left\n\nright",
  },
  {
    name: "a table by the roles of its elements",
    html: "<div role=table><div><div role=row><b role=columnheader>A</b><b role=columnheader>B</b></div></div><div role=row><div role=cell><p>1</p></div><div role=cell>2</div></div></div>",
    markdown: "|A|B|\n|-|-|\n|1|2|",
  },
  {
    name: "a table role without rows is ignored",
    html: "<div role=table><p>a</p><p role=cell>b</p></div>",
    markdown: "a\n\nb",
  },
  {
    name: "a table around a table is for layout",
    html: "<table><tr><td>a<table><tr><th>b<th>c</tr><tr><td>1<td>2</tr></table></table>",
    markdown: "a\n\n|b|c|\n|-|-|\n|1|2|",
  },
];

describe("tables", () => {
  for (const { name, html, markdown } of tables) test(name, () => assert.equal(markdownOf(html), markdown));

  test("are columns separated by tabs in mode text", () => {
    assert.equal(textOf("<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>"), "a\tb\n1\t2");
  });
});

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
const code: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "verbatim, entities resolved",
    html: "<pre><code>if (a &lt; b) {\n\treturn  1;\n}\n</code></pre>",
    markdown: fence("", "if (a < b) {\n\treturn  1;\n}"),
  },
  { name: "a longer fence around backticks", html: "<pre>```\nx\n```</pre>", markdown: "````\n```\nx\n```\n````" },
  {
    name: "the language of the code element",
    html: '<pre><code class="language-rust">fn main() {}</code></pre>',
    markdown: fence("rust", "fn main() {}"),
  },
  {
    name: "the language of a wrapper",
    html: '<div class="highlight-python notranslate"><div class="highlight"><pre>x = 1</pre></div></div>',
    markdown: fence("python", "x = 1"),
  },
  {
    name: "the language as an attribute of a wrapper",
    html: '<div class="code-block" language="tsx"><div class="mono"><pre><code>let a</code></pre></div></div>',
    markdown: fence("tsx", "let a"),
  },
  { name: "the language as data", html: '<pre data-lang="go">x := 1</pre>', markdown: fence("go", "x := 1") },
  {
    name: "the language as a brush",
    html: '<pre class="brush: js; toolbar: false">let a</pre>',
    markdown: fence("js", "let a"),
  },
  {
    name: "no language if no class names one",
    html: '<pre class="wp-block-code default">x</pre>',
    markdown: fence("", "x"),
  },
  {
    name: "no language if the class names are generated",
    html: '<div class="gn go"><pre class="kq r">x</pre></div>',
    markdown: fence("", "x"),
  },
  {
    name: "the language of a box for code",
    html: '<div class="highlight js"><pre class="editor">x</pre></div>',
    markdown: fence("js", "x"),
  },
  {
    name: "the language once, if a bar above names it",
    html: '<div class="language-ts"><span class="lang">TS</span><pre><code>x</code></pre></div>',
    markdown: fence("ts", "x"),
  },
  {
    name: "spans that are lines",
    html: '<pre><code><span class="line">a</span><span class="line">b</span></code></pre>',
    markdown: fence("", "a\nb"),
  },
  {
    name: "spans that are lines by another name",
    html: '<pre><code><span class="highlight-line"><b>a</b> <i>b</i></span><span class="highlight-line">c</span></code></pre>',
    markdown: fence("", "a b\nc"),
  },
  { name: "breaks that are lines", html: "<pre>a<br>b</pre>", markdown: fence("", "a\nb") },
  {
    name: "a table with a gutter",
    html: '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
    markdown: fence("", "a\nb"),
  },
  {
    name: "numbers before each line, under any class name",
    html: "<pre><div><i>1 </i><span>a</span></div><div><i>2 </i><span>b</span></div><div><i>3 </i>c</div></pre>",
    markdown: fence("", "a\nb\nc"),
  },
  {
    name: "a button to copy",
    html: '<pre><button>Copy</button><code class="language-sh">ls</code></pre>',
    markdown: fence("sh", "ls"),
  },
  {
    name: "code beside blocks without a pre",
    html: "<div><p>Run:</p><code>a\nb</code><p>Done.</p></div>",
    markdown: `Run:\n\n${fence("", "a\nb")}\n\nDone.`,
  },
  {
    name: "in a list item, indented",
    html: "<ul><li>run<pre>a\nb</pre></ul>",
    markdown: "- run\n\n  ```\n  a\n  b\n  ```",
  },
];

describe("code", () => {
  for (const { name, html, markdown } of code) test(name, () => assert.equal(markdownOf(html), markdown));

  test("nothing is pruned inside it", () => {
    const inside = '<pre><span class="comment">// note</span>\n<span class="nav">menu()</span></pre>';
    assert.ok(markdownOf(`<main>${prose(5)}${inside}</main>`).includes("// note\nmenu()"));
  });
});

const formulas = [
  {
    name: "MathML with its TeX",
    html: '<p>So <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>.</p>',
    markdown: "So $x^2$.",
  },
  {
    name: "a block of it",
    html: '<math display=block alttext="{\\displaystyle a+b}"><mi>a</mi></math>',
    markdown: "$$\na+b\n$$",
  },
  { name: "a script of TeX", html: '<p>And <script type="math/tex">y</script> too</p>', markdown: "And $y$ too" },
  { name: "powers", html: "<p>10<sup>6</sup> and the 2<sup>nd</sup></p>", markdown: "10^6 and the 2nd" },
];

describe("formulas", () => {
  for (const { name, html, markdown } of formulas) test(name, () => assert.equal(markdownOf(html), markdown));
});

const links = [
  {
    name: "against the page's address",
    html: '<p><a href="../b?x=1#y">b</a></p>',
    url: "https://example.com/a/c/",
    link: "[b](/a/b?x=1#y)",
  },
  {
    name: "against its base element",
    html: '<base href="/base/"><p><a href="b">b</a></p>',
    url: "https://example.com/a",
    link: "[b](/base/b)",
  },
  {
    name: "relative to the folder of the page where that is shorter",
    html: '<p><a href="/std/vec/struct.Vec.html#method.push">push</a></p>',
    url: "https://docs.example/std/vec/struct.Drain.html",
    link: "[push](struct.Vec.html#method.push)",
  },
  {
    name: "within the page are only text",
    html: '<p><a href="https://docs.example/a?b=1#c">c</a></p>',
    url: "https://docs.example/a?b=1",
    link: "c",
  },
  {
    name: "to the page itself are only text",
    html: '<p><a href="/a">Again</a></p>',
    url: "https://docs.example/a#top",
    link: "Again",
  },
  {
    name: "to the page itself are only text, if its address has parameters that track readers",
    html: '<p><a href="/a?b=1#c">Again</a></p>',
    url: "https://docs.example/a?b=1&srsltid=AfmB",
    link: "Again",
  },
  {
    name: "to another query of the page",
    html: '<p><a href="/a?page=2">2</a></p>',
    url: "https://docs.example/a",
    link: "[2](?page=2)",
  },
  {
    name: "to another site in full, without parameters that track readers",
    html: '<p><a href="https://shop.example/x?utm_source=a&amp;id=7&amp;fbclid=zz">x</a></p>',
    url: "https://docs.example/a",
    link: "[x](https://shop.example/x?id=7)",
  },
  {
    name: "with letters of other scripts instead of their codes",
    html: '<p><a href="/wiki/%E6%B8%AF?a=%2F%20">港</a></p>',
    url: "https://docs.example/",
    link: "[港](/wiki/港?a=%2F%20)",
  },
  {
    name: "that carry data are only text",
    html: `<p><a href="https://play.example/?code=${"x".repeat(600)}">Run it</a></p>`,
    url: "https://docs.example/",
    link: "Run it",
  },
  {
    name: "in full if the address of the page is too long to be named",
    html: '<p><a href="/b">b</a></p>',
    url: `https://docs.example/${"a/".repeat(120)}`,
    link: "[b](https://docs.example/b)",
  },
  {
    name: "unchanged if the page has no address",
    html: '<p><a href="b.html">b</a></p>',
    url: undefined,
    link: "[b](b.html)",
  },
  {
    name: "with brackets and blanks encoded",
    html: '<p><a href="https://e.com/a (b)">b</a></p>',
    url: undefined,
    link: "[b](https://e.com/a%20%28b%29)",
  },
  { name: "of scripts are only text", html: '<p><a href="javascript:alert(1)">b</a></p>', url: undefined, link: "b" },
  {
    name: "from a heading to itself are only its text",
    html: '<h2><a href="#title">Title</a></h2>',
    url: "https://example.com/",
    link: "## Title",
  },
  {
    name: "to the heading itself are left out",
    html: '<h2>Title <a href="#title">¶</a></h2>',
    url: undefined,
    link: "## Title",
  },
];

describe("links", () => {
  for (const { name, html, url, link } of links) test(name, () => assert.equal(markdownOf(html, url), link));
});

describe("the content", () => {
  const around = (content: string): string =>
    `<header>Site name</header><nav><a href=/>Home</a></nav><div class="cookie-notice">We use cookies</div>
     <main>${content}</main><aside>Other stories</aside><footer>Imprint</footer>`;

  test("is separated from what surrounds it", () => {
    const text = markdownOf(around(`<h1>Logbook</h1>${prose(6)}`));
    assert.ok(text.startsWith("# Logbook\n\nDay 1: The keeper") && text.endsWith("passed it."), text);
    for (const word of ["Site name", "Home", "cookies", "Other stories", "Imprint"]) assert.ok(!text.includes(word));
  });

  test("of a reference begins with its title, even if that is outside of its text", () => {
    const body = `<div class="body">${prose(12)}${"<pre>run</pre>".repeat(3)}</div>`;
    const text = markdownOf(around(`<header><h1>Lamps</h1><p>How they are lit.</p></header>${body}`));
    assert.ok(text.startsWith("# Lamps\n\nHow they are lit.\n\nDay 1: The keeper"), text.slice(0, 80));
  });

  test("is kept in spite of its class if it is most of the page", () => {
    assert.ok(markdownOf(`<div class="sidebar">${prose(8)}</div>`).includes("Day 8: The keeper"));
  });

  test("leaves out what a browser hides", () => {
    const hidden = `<p hidden>one</p><p style="display: none">two</p><p aria-hidden=true>three</p>`;
    assert.doesNotMatch(markdownOf(around(`${hidden}${prose(6)}`)), /one|two|three/);
  });

  test("includes what a reader can unfold", () => {
    const folded = `<h3><button>Can it rain?</button></h3><div class="accordion-panel" hidden><p>It can.</p></div>`;
    assert.match(markdownOf(around(`${prose(6)}${folded}`)), /### Can it rain\?\n\nIt can\./);
  });

  test("does not include related stories", () => {
    const related = `<section><h2>Related articles</h2><p>Another light</p></section>`;
    assert.doesNotMatch(markdownOf(around(`${prose(6)}${related}`)), /Another light/);
  });

  test("of a forum is its posts with their authors", () => {
    const posts = Array.from(
      { length: 5 },
      (_, i) =>
        `<article class="comment"><div class="author">user${i}</div><p>${i} ${sentence.repeat(2)}</p></article>`,
    );
    const text = markdownOf(`<div id=comments>${posts.join("")}</div>`, "https://forum.example.com/t/1");
    for (let i = 0; i < 5; i++) assert.ok(text.includes(`user${i}`) && text.includes(`${i} The keeper`), text);
  });

  test("of an article does not include the comments", () => {
    const head = '<meta property="og:type" content="article">';
    const text = markdownOf(`${head}<article>${prose(6)}</article><div id=comments><p>First! ${sentence}</p></div>`);
    assert.doesNotMatch(text, /First!/);
  });

  test("of a listing is its entries", () => {
    const entries = Array.from(
      { length: 20 },
      (_, i) => `<li class=card><a href=/${i}>Entry number ${i} of the list</a> <span>${i} euros</span></li>`,
    );
    const text = markdownOf(around(`<ul>${entries.join("")}</ul>`));
    assert.ok(text.includes("Entry number 0") && text.includes("19 euros"), text);
  });
});

describe("the strategies", () => {
  const script = "<script>render()</script>";
  const json = (value: unknown): string => JSON.stringify(value);
  const long = sentence.repeat(6).trim();
  const steps: readonly { method: string; html: string }[] = [
    { method: "main", html: `<main>${prose(6)}</main>` },
    {
      method: "mild",
      html: `<div class="wrapper"><div class="newsletter">${long}</div><div class="popup">${long}</div><div class="signup">${long}</div></div>`,
    },
    { method: "hidden", html: `${script}<div style="visibility:hidden"><p>${long}</p></div>` },
    { method: "noscript", html: `${script}<div id=root>Loading</div><noscript><p>${long}</p></noscript>` },
    {
      method: "json-ld",
      html: `<script type="application/ld+json">${json({ "@graph": [{ "@type": "Article", articleBody: long }] })}</script><p>x</p>`,
    },
    {
      method: "payload",
      html: `<div id=__next></div><script id=__NEXT_DATA__ type="application/json">${json({ props: { page: { body: long } } })}</script>`,
    },
  ];
  for (const [index, { method, html }] of steps.entries()) {
    test(`number ${index + 1} is ${method}, and the outcome names it`, () => {
      const page = extractHtml(html, { mode: "markdown" });
      assert.equal(page.method, method);
      assert.ok(page.text.includes("keeper of the lighthouse"), page.text);
      assert.equal(page.needsJs, false);
    });
  }

  test("a page without text counts as kept completely", () => {
    assert.equal(extractHtml("<body></body>", { mode: "markdown" }).keptShare, 1);
  });

  test("an empty page without scripts does not need JavaScript", () => {
    assert.equal(extractHtml("<p>hi</p>", { mode: "markdown" }).needsJs, false);
  });

  test("parts that React streams are moved to their place", () => {
    const html = `<main><h1>A</h1><template id="B:0"></template><p>after ${long}</p></main><div hidden id="S:0"><p>before ${long}</p></div>`;
    const text = markdownOf(html);
    assert.ok(text.indexOf("before") > 0 && text.indexOf("before") < text.indexOf("after"), text);
  });

  test("the outcome gives the share of the page that was kept", () => {
    const { keptShare } = extractHtml(`<main>${prose(6)}</main><nav>${"<a href=/>menu entry</a> ".repeat(60)}</nav>`, {
      mode: "text",
    });
    assert.ok(keptShare > 0.5 && keptShare < 0.9, String(keptShare));
  });
});

describe("metadata", () => {
  const metadataOf = (html: string) => extractHtml(html, { url: "https://example.com/a/b", mode: "markdown" }).metadata;

  test("is read from the head", () => {
    const html = `<html lang="en-GB"><head><title>Fog | The Light</title><meta property="og:site_name" content="The Light">
      <meta name=author content="Ada"><meta property="article:published_time" content="2026-02-03T04:05:06Z"><link rel=canonical href="/fog"></head>`;
    assert.deepEqual(metadataOf(html), {
      title: "Fog",
      author: "Ada",
      date: "2026-02-03T04:05:06Z",
      site: "The Light",
      canonicalUrl: "https://example.com/fog",
      language: "en-GB",
    });
  });

  test("prefers structured data", () => {
    const data = {
      "@graph": [
        { "@type": "WebPage" },
        {
          "@type": "NewsArticle",
          headline: "Fog",
          author: [{ name: "Ada" }, { name: "Bea" }],
          datePublished: "2026-02-03",
        },
      ],
    };
    const html = `<title>x</title><script type="application/ld+json">${JSON.stringify(data)}</script>`;
    assert.deepEqual(metadataOf(html), { title: "Fog", author: "Ada, Bea", date: "2026-02-03" });
  });

  test("is left out if the page has none, or broken data", () => {
    assert.deepEqual(metadataOf('<script type="application/ld+json">{"@type":</script><p>x</p>'), {});
  });
});

/** Fragments of markup that break parsers, in any order. */
const markup = fc
  .array(
    fc.oneof(
      fc
        .constantFrom(
          ..."div p b a ul li table tr td pre code h2 svg script template math br noscript blockquote form button select".split(
            " ",
          ),
        )
        .chain((tag) =>
          fc.constantFrom(`<${tag}>`, `</${tag}>`, `<${tag} class="nav more" href=x id=a hidden>`, `<${tag} `),
        ),
      fc.constantFrom(
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<!",
        "<?xml ",
        "&amp;",
        "&#x1b;",
        "&#x202e;",
        "&nosuch;",
        "<",
        ">",
        '"',
        "\n",
        "`",
        "|",
        "[x](",
      ),
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constant("Words that make a sentence of some length, so that it counts. "),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(""));

describe("for any page", () => {
  test("nothing throws, marks point at their headings in order, and the kept share is between 0 and 1", () => {
    fc.assert(
      fc.property(markup, fc.constantFrom("markdown", "text"), (html, mode) => {
        const { text, marks, keptShare } = extractHtml(html, { url: "https://example.com/", mode });
        assert.ok(keptShare >= 0 && keptShare <= 1);
        let before = -1;
        for (const { label, level, at } of marks) {
          assert.ok(at > before && at < text.length && label !== "" && level >= 1 && level <= 6);
          const [line = ""] = text.slice(at).split("\n");
          // In a list, a quotation or a note the line of the heading begins with their markup.
          if (mode === "markdown") assert.match(line, new RegExp(`^(?:[-> ]|\\d+\\.|\\[\\^.+?\\]:)*#{${level}} `));
          before = at;
        }
      }),
      { numRuns: soakCount({ sample: 120, full: 500 }) },
    );
  });

  test("extracting it twice gives the same text", () => {
    fc.assert(
      fc.property(markup, (html) => assert.equal(markdownOf(html), markdownOf(html))),
      { numRuns: 50 },
    );
  });

  test("takes time in proportion to the size of the page", () => {
    const unit =
      '<div class="more"><a href=x>link</a><b>text<ul><li>item<h2>Head</h2><pre>code</pre><table><tr><td>cell</table>';
    return assertLinearTime(100, (count) => extractHtml(unit.repeat(count), { mode: "markdown" }));
  });
});
