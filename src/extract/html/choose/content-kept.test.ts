import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it.";
/** Paragraphs of about 110 characters, each different. */
const prose = (name: string, count = 1): string =>
  Array.from({ length: count }, (_, index) => `<p>${name} ${index + 1}: ${weather}</p>`).join("\n");
const guide = (content: string): string =>
  `<body><main><h1>Guide</h1>${prose("before", 6)}${content}${prose("after", 2)}</main>`;
const section = (heading: string): string => `<h2>${heading}</h2>${prose(`about ${heading}`)}`;
const sections = (headings: readonly string[]): string => guide(headings.map(section).join(""));
const posts = (categories: readonly string[]): string =>
  categories
    .map(
      (name) =>
        `<article class="post type-post category-${name}"><h2><a href="/${name}">On ${name}</a></h2>${prose(`about ${name}`)}</article>`,
    )
    .join("");

const ids =
  "pagination login comments cookies tooltip modal menu signature subscribe feedback register legal disclaimer".split(
    " ",
  );
const shopLike = ["Add a user", "Build the project", "Explore the data", "FAQ", "Store secrets"];
const boilerplateLike = [
  "Recommended settings",
  "Subscribe to a topic",
  "Comments",
  "Sign up users",
  "Tags",
  "Add a comment",
  "Related resources",
];
const categories = ["news", "social", "rust", "cookies", "legal", "linux", "python"];
const articleHead = '<head><meta property="og:type" content="article"></head>';

/** Pages whose words look like boilerplate, and what must be kept of them. */
const pages: readonly { name: string; html: string; url?: string; keeps: readonly string[] }[] = [
  {
    name: "a post in a category named after cookies",
    html: `<body><main><article class="post type-post category-cookies"><h1>Jar</h1>${prose("story", 12)}</article></main>
      <div id="comments"><h2>Comments</h2>${prose("comment", 5)}</div>`,
    keeps: ["# Jar", "story 1:", "story 12:"],
  },
  {
    name: "a product in a box with generated names",
    html: `<head><meta property="og:type" content="product"></head><body><main><h1>Lamp</h1>${prose("lamp", 6)}
      <div class="sc-ezQaGx">${prose("light", 9)}</div></main>`,
    keeps: ["lamp 6:", "light 9:"],
  },
  ...["kb-row-id356_9ad134-49", "elementor-element-53f0ad6", "container-28addc53ad", "py pz qa", "ab ad"].map(
    (name) => ({
      name: `a box that a program named ${name}`,
      html: guide(`<div class="${name}"><p>All tides are in the table.</p></div>`),
      keeps: ["All tides"],
    }),
  ),
  {
    name: "an answer without a role that a button unfolds",
    html: guide(
      `<div><button aria-controls="a">When?</button><div class="collapsible" id="a" role="" hidden>${prose("answer")}</div></div>`,
    ),
    keeps: ["answer 1:"],
  },
  {
    name: "a page about consent, in a box with that name",
    html: `<body><div class="cookie-consent-banner"><h1>Consent</h1>${prose("story", 12)}</div>`,
    keeps: ["# Consent", "story 12:"],
  },
  {
    name: "sections with the ids of their headings",
    html: guide(ids.map((id) => `<section id="${id}"><h2>${id}</h2>${prose(`about ${id}`, 2)}</section>`).join("")),
    keeps: ids.flatMap((id) => [`## ${id}`, `about ${id} 2:`]),
  },
  {
    name: "the same sections in the markup of older manuals",
    html: guide(
      ids.map((id) => `<div class="section" id="${id}"><h2>${id}</h2>${prose(`about ${id}`, 2)}</div>`).join(""),
    ),
    keeps: ids.filter((id) => id !== "comments").flatMap((id) => [`## ${id}`, `about ${id} 2:`]),
  },
  {
    name: "sections whose headings begin like those of boilerplate",
    html: sections(boilerplateLike),
    keeps: boilerplateLike.flatMap((heading) => [`## ${heading}`, `about ${heading} 1:`]),
  },
  {
    name: "a manual under an address with the word product",
    html: sections(shopLike),
    url: "https://docs.example.org/product/guide",
    keeps: shopLike.flatMap((heading) => [`## ${heading}`, `about ${heading} 1:`]),
  },
  {
    name: "titles and signatures of a reference",
    html: guide(`<div class="header"><h1 class="title">Interface List&lt;E&gt;</h1></div>
      <div class="type-signature"><span>public interface</span> List</div>
      <section class="detail"><h3>add</h3><div class="member-signature">boolean add(E e)</div>${prose("adds")}</section>`),
    keeps: ["# Interface List", "public interface", "boolean add(E e)"],
  },
  {
    name: "the author of each comment of an issue",
    html: `<body><main><h1>Lamp is dark #7</h1>${["ann", "bob", "cid"]
      .map(
        (
          name,
        ) => `<div class="timeline-comment"><div class="timeline-comment-header"><h3><a class="author" href="/${name}">${name}</a> commented</h3></div>
          <div class="comment-body">${prose(`${name} says`, 2)}</div></div>`,
      )
      .join("")}</main>`,
    keeps: ["ann](/ann) commented", "bob](/bob) commented", "cid says 2:"],
  },
  {
    name: "the title of a question",
    html: `<body><div id="content"><div id="question-header" class="flex"><h1>How do I foo?</h1></div>
      <div id="question">${prose("question", 4)}</div><div id="answers">${prose("answer", 8)}</div></div>`,
    keeps: ["# How do I foo?", "question 1:", "answer 8:"],
  },
  {
    name: "short warnings",
    html: guide(`<div class="markdown-alert markdown-alert-note"><p>Mind the gap.</p></div>${prose("between")}
      <div class="theme-admonition alert alert--warning"><p>Hot lamp.</p></div>${prose("again")}
      <aside class="starlight-aside starlight-aside--tip"><p>Use gloves.</p></aside>${prose("more")}
      <div class="alert alert-info">Since 2.0.</div><div class="notice">Deprecated since 3.0.</div>`),
    keeps: ["Mind the gap.", "Hot lamp.", "> Use gloves.", "Since 2.0.", "Deprecated since 3.0."],
  },
  {
    name: "a pull quote between a paragraph and a list",
    html: guide(`${prose("before it")}<aside class="starlight-aside"><p>Read this first.</p></aside><ol><li>One</ol>`),
    keeps: ["> Read this first."],
  },
  {
    name: "short text that a program wrapped in a form",
    html: guide(
      '<form class="usertext"><input type="hidden" name="id" value="1"><div class="md"><p>Fill it.</p></div></form>',
    ),
    keeps: ["Fill it."],
  },
  {
    name: "the panels of tabs",
    html: guide(`<div role="tablist"><button role="tab">npm</button><button role="tab">yarn</button></div>
      <div role="tabpanel"><pre><code class="language-bash">npm add foo</code></pre></div>
      <div role="tabpanel" hidden><pre><code class="language-bash">yarn add foo</code></pre></div>`),
    keeps: ["npm add foo", "```bash\nyarn add foo\n```"],
  },
  {
    name: "an article from its title to its end",
    html: `${articleHead}<body><main><h1>Title</h1><p>The lead.</p><div>${prose("story", 14)}</div>
      <div><h2>Conclusion</h2>${prose("end", 2)}<pre>run it</pre>
      <table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table></div></main>`,
    keeps: ["# Title", "The lead.", "story 14:", "## Conclusion", "end 2:", "run it", "|1|2|"],
  },
  {
    name: "a title in a header outside main and article",
    html: `<body><div class="page"><header><h1>Real Title</h1><p>A standfirst.</p></header><div>${prose("story", 8)}</div></div>`,
    keeps: ["# Real Title", "A standfirst.", "story 8:"],
  },
  {
    name: "footnotes in a footer",
    html: `<body><article><h1>Title</h1>${prose("story", 8)}<p>It rains<sup><a href="#fn1">1</a></sup>.</p>
      <footer><ol><li id="fn1">In autumn.</li></ol></footer></article>`,
    keeps: ["It rains[^1]", "[^1]: In autumn."],
  },
  {
    name: "the author of a quotation",
    html: guide("<blockquote><p>To be.</p><footer>- Shakespeare</footer></blockquote>"),
    keeps: ["> To be.", "Shakespeare"],
  },
  {
    name: "all posts of a listing, in any category",
    html: `<body><main>${posts(categories)}</main>`,
    keeps: categories.flatMap((name) => [`On ${name}`, `about ${name} 1:`]),
  },
];

describe("content is kept:", () => {
  for (const { name, html, url, keeps } of pages) {
    test(name, () => {
      const { text, method } = extractHtml(html, { url, mode: "markdown" });
      assert.deepEqual([method, keeps.filter((words) => !text.includes(words))], ["main", []], text);
    });
  }

  test("a paragraph under two headings", () => {
    const licence = `<p>Permission is granted: ${weather} ${weather}</p>`;
    const html = guide(`<h2>Package A</h2>${licence}<h2>Package B</h2>${licence}`);
    const { text, keptShare } = extractHtml(html, { mode: "markdown" });
    assert.equal(text.split("Permission is granted").length, 3);
    assert.equal(keptShare, 1);
  });

  test("a paragraph that is in one box twice", () => {
    const verse = `<p>And again: ${weather} ${weather}</p>`;
    const { text, keptShare } = extractHtml(guide(`${verse}${verse}`), { mode: "markdown" });
    assert.equal(text.split("And again").length, 3);
    assert.equal(keptShare, 1);
  });

  test("every copy, if nearly all of the page is one paragraph", () => {
    const box = `<div><p>And again: ${weather} ${weather}</p></div>`;
    const { text, keptShare } = extractHtml(guide(box.repeat(60)), { mode: "markdown" });
    assert.equal(text.split("And again").length, 61);
    assert.equal(keptShare, 1);
  });

  test("one of two equal paragraphs in two boxes, and the kept share counts it once", () => {
    const copy = `<p>Permission is granted: ${weather} ${weather}</p>`;
    const { text, keptShare } = extractHtml(guide(`<div>${copy}</div><div>${copy}</div>`), { mode: "markdown" });
    assert.equal(text.split("Permission is granted").length, 2);
    assert.ok(keptShare < 0.95, String(keptShare));
  });
});
