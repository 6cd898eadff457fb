import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml, type HtmlExtract } from "../page.ts";

const metadataOf = (html: string): HtmlExtract["metadata"] => extractHtml(html, { mode: "markdown" }).metadata;

const titles: readonly { name: string; html: string; title: string; site?: string }[] = [
  {
    name: "followed by the site",
    html: "<title>Fog | The Rock</title><h1>Fog</h1>",
    title: "Fog",
    site: "The Rock",
  },
  {
    name: "followed by a section and the site",
    html: "<title>Fog - Weather - The Rock</title><h1>Fog</h1>",
    title: "Fog",
    site: "The Rock",
  },
  {
    name: "followed by the site in capitals",
    html: '<title>Fog | THE ROCK</title><meta property="og:site_name" content="The Rock">',
    title: "Fog",
    site: "The Rock",
  },
  { name: "that contains a dash", html: "<title>Fog - a log</title><h1>A log of fog</h1>", title: "Fog - a log" },
  {
    name: "that equals the heading",
    html: '<meta property="og:title" content="Read about fog"><title>Fog</title><h1>Fog</h1>',
    title: "Fog",
  },
  {
    name: "where OpenGraph names only the site",
    html: '<meta property="og:title" content="Rock"><meta property="og:site_name" content="Rock"><title>Fog</title>',
    title: "Fog",
    site: "Rock",
  },
  {
    name: "with a heading that links to the front page",
    html: '<title>The Rock - Fog</title><h1><a href="/">The Rock</a></h1>',
    title: "The Rock - Fog",
  },
];

describe("the title of a page", () => {
  for (const { name, html, ...expected } of titles)
    test(name, () => assert.deepEqual(metadataOf(`${html}<p>It rains.</p>`), expected));
});

const bylines: readonly { name: string; html: string; author: string | undefined }[] = [
  { name: "by class name", html: '<div class="byline">By  Ada Bell</div>', author: "Ada Bell" },
  { name: "with a date", html: '<p class="post-author">By <a href="/ada">Ada Bell</a>, May 3</p>', author: "Ada Bell" },
  {
    name: "by itemprop, with more text",
    html: '<p itemprop="author">by <a href="/a">Ada</a> 2 May @ada</p>',
    author: "Ada",
  },
  { name: "in another language", html: '<span class="author-name">Par Ada Bell</span>', author: "Ada Bell" },
  { name: "in a newspaper's meta element", html: '<meta name="byl" content="By Ada Bell">', author: "Ada Bell" },
  {
    name: "that is a text about the author",
    html: `<div class="byline">${"Ada likes fog. ".repeat(9)}</div>`,
    author: undefined,
  },
  { name: "that is a number", html: '<div class="byline">12 posts</div>', author: undefined },
];

describe("the author of a page, from a byline", () => {
  for (const { name, html, author } of bylines)
    test(name, () => assert.equal(metadataOf(`${html}<p>It rains.</p>`).author, author));

  test("links in a deeply nested byline are searched within the tree's depth limit", () => {
    const deep = `<div class="byline">${"<span>".repeat(2_000)}1${"</span>".repeat(2_000)}</div>`;
    assert.equal(metadataOf(deep).author, undefined);
  });
});

describe("structured data", () => {
  const article = '{"@type":"Article","headline":"Fog","author":{"name":"Ada Bell"},\n"datePublished":"2026-02-03"}';
  const wraps: readonly (readonly [string, string])[] = [
    ["<![CDATA[\n", "\n]]>"],
    ["//<![CDATA[\n", "\n//]]>"],
    ["/*<![CDATA[*/", "/*]]>*/"],
    ["<!--", "-->"],
  ];
  for (const [before, after] of wraps)
    test(`is read inside ${before.trim()}`, () => {
      const page = `<script type="application/ld+json">${before}${article}${after}</script><p>It rains.</p>`;
      assert.deepEqual(metadataOf(page), { title: "Fog", author: "Ada Bell", date: "2026-02-03" });
    });

  test("is read despite a line break inside a string", () => {
    const page =
      '<script type="application/ld+json">{"@type":"Article","headline":"Fog\nand storm"}</script><p>It rains.</p>';
    assert.equal(metadataOf(page).title, "Fog and storm");
  });

  test("may give lists of types and authors", () => {
    const data = '{"@type":["NewsArticle","Thing"],"headline":"Fog","author":[{"name":"Ada Bell"},"Ben Cole"]}';
    assert.equal(
      metadataOf(`<script type="application/ld+json">${data}</script><p>It rains.`).author,
      "Ada Bell, Ben Cole",
    );
  });

  const levels = 10_000;
  const nestings: readonly (readonly [string, string])[] = [
    ["authors in lists", `"author":${"[".repeat(levels)}"Ada"${"]".repeat(levels)}`],
    ["authors in names", `"author":${'{"name":'.repeat(levels)}"Ada"${"}".repeat(levels)}`],
    ["a publisher", `"publisher":${'[{"name":'.repeat(levels)}"Rock"${"}]".repeat(levels)}`],
    ["a type", `"@type":${"[".repeat(levels)}"Article"${"]".repeat(levels)}`],
    ["a graph", `"@graph":${'[{"@graph":'.repeat(levels)}"Ada"${"}]".repeat(levels)}`],
    ["text", `"articleBody":${"[".repeat(levels)}"It snows."${"]".repeat(levels)}`],
  ];
  for (const [name, members] of nestings)
    test(`that nests ${name} 10,000 levels deep does no harm`, () => {
      const data = `{"@type":"Article","headline":"Fog",${members}}`;
      const page = `<script type="application/ld+json">${data}</script><h1>Fog</h1><p>It rains.</p>`;
      assert.equal(metadataOf(page).title, "Fog");
    });
});

describe("near the title", () => {
  const read = metadataOf;
  const other = '<aside><time datetime="2020-01-01">old</time></aside>';

  test("a date counts before one elsewhere", () => {
    assert.equal(read(`${other}<h1>Log</h1><time datetime="2025-04-12">today</time>`).date, "2025-04-12");
    assert.equal(read(`${other}<h1>Log</h1><p>Posted on April 12, 2025 in Harbour</p>`).date, "April 12, 2025");
    assert.equal(read(`${other}<h1>Log</h1><p>12 April 2025</p>`).date, "12 April 2025");
  });

  test("a date in a sentence is not the page's", () => {
    const sentence = `On April 12, 2025 the keeper wrote down ${"the weather and ".repeat(8)}the ships.`;
    assert.equal(read(`${other}<h1>Log</h1><p>${sentence}</p>`).date, "2020-01-01");
  });

  test("a line that begins with By names the author", () => {
    assert.equal(read("<h1>Log</h1><p>By <a href=/ada>Ada Lindqvist</a></p>").author, "Ada Lindqvist");
    assert.equal(read("<h1>Log</h1><p>by the way, it rained</p>").author, undefined);
  });
});
