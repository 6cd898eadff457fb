import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../../../test/cpu-time.ts";
import { extractHtml } from "../page.ts";
import { parseHtml } from "../tree/parse.ts";
import { hasArticleShape } from "./article-shape.ts";
import { isIgnored, measureText } from "./text-measures.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it.";
/** Paragraphs of about 110 characters, each different. */
const prose = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `<p>${name} ${index + 1}: ${weather}</p>`).join("\n");
const boxes = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `<div>${prose(`${name} ${index + 1}`, 1)}</div>`).join("\n");
const prices = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<li>Lamp ${index + 1} <b>$${index + 20}.00</b></li>`).join("\n");
const story = `<div>${prose("story", 12)}</div>`;

const shapes: readonly { name: string; html: string; isArticle: boolean }[] = [
  { name: "one run of paragraphs", html: story, isArticle: true },
  { name: "a run with some boxes of text beside it", html: `${story}${boxes("box", 8)}`, isArticle: true },
  { name: "a run with more text beside it", html: `${story}${boxes("box", 16)}`, isArticle: false },
  { name: "boxes with a paragraph each", html: boxes("box", 16), isArticle: false },
  { name: "a few paragraphs", html: `<div>${prose("story", 5)}</div>`, isArticle: false },
  { name: "a review with some prices", html: `${story}<ul>${prices(12)}</ul>`, isArticle: true },
  { name: "goods with a text about them", html: `<ul>${prices(30)}</ul>${story}`, isArticle: false },
];

describe("the shape of an article", () => {
  for (const { name, html, isArticle } of shapes) {
    test(`${name}: ${isArticle ? "yes" : "no"}`, () => {
      const page = parseHtml(`<body>${html}</body>`);
      assert.equal(hasArticleShape(page, measureText(page, isIgnored)), isArticle);
    });
  }

  test("does not make an article of a page with the address of a manual", () => {
    const html = `<body><div><h1>Mill</h1></div>${story}</body>`;
    const markdownAt = (url: string) => extractHtml(html, { url, mode: "markdown" }).text;
    assert.match(markdownAt("https://example.com/mill"), /^# Mill/);
    for (const url of ["https://example.com/docs/mill", "https://docs.example.com/mill"])
      assert.doesNotMatch(markdownAt(url), /^# Mill/, url);
  });

  test("is found in linear time", () =>
    assertLinearTime(500, (count) => {
      const page = parseHtml(`<body>${prices(count)}${boxes("box", count)}${prose("story", count)}</body>`);
      return hasArticleShape(page, measureText(page, isIgnored));
    }));
});

describe("the stated body of an article", () => {
  const about = `<div><h2>About us</h2>${prose("society", 2)}</div>`;
  const markdownOf = (body: string): string =>
    extractHtml(`<head><meta property="og:type" content="article"></head><body><h1>Mill</h1>${body}</body>`, {
      mode: "markdown",
    }).text;

  for (const attribute of ['itemprop="articleBody"', 'itemprop="text articleBody"', 'class="post entry-content"']) {
    test(`is all that is kept: ${attribute}`, () => {
      const text = markdownOf(`<div ${attribute}>${prose("story", 12)}</div>${about}`);
      assert.match(text, /story 12:/);
      assert.doesNotMatch(text, /society/);
    });
  }

  test("is not believed if most of the prose is elsewhere", () => {
    const text = markdownOf(
      `<div itemprop="articleBody">${prose("summary", 2)}</div><h2>More</h2>${prose("story", 12)}`,
    );
    assert.match(text, /summary 2:/);
    assert.match(text, /story 12:/);
  });

  test("comes after the picture above it", () => {
    const figure = '<figure><img src="/mill.jpg" alt="The mill under deep snow in January"></figure>';
    const text = markdownOf(`${figure}<div>12 comments</div><div itemprop="articleBody">${prose("story", 12)}</div>`);
    assert.match(text, /The mill under deep snow in January/);
    assert.doesNotMatch(text, /12 comments/);
  });
});

test("parts beside the longest text of a product are kept, however deep it is", () => {
  const needs = (level: number): string =>
    `<p>On level ${level} it needs a free socket and <a href="/b">a bulb</a>.</p>`;
  const nested = [1, 2, 3, 4, 5, 6].reduce(
    (inner, level) => `<div>${needs(level)}${needs(level + 10)}<div>${inner}</div></div>`,
    prose("lamp", 11),
  );
  const html = `<head><meta property="og:type" content="product"></head><body>${nested}</body>`;
  const { text } = extractHtml(html, { mode: "markdown" });
  assert.match(text, /On level 2 it needs/);
});
