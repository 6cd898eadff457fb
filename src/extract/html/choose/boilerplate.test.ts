import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it by.";
const prose = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<p>${index + 1}: ${weather}</p>`).join("\n");
const card = (index: number): string =>
  `<li class="card"><h3><a href="/story/${index}">Storm ${index} in the north</a></h3><p>Teaser ${index}: ${weather}</p></li>`;
const cards = (count: number): string =>
  `<div><ul>${Array.from({ length: count }, (_, index) => card(index)).join("")}</ul></div>`;
const article = (body: string): string =>
  `<html><head><meta property="og:type" content="article"></head><body><div>${body}</div></body></html>`;
const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

describe("cards that lead to other stories", () => {
  test("are left out below an article, even if they have more text", () => {
    const text = markdownOf(article(`<section><h1>Log</h1>${prose(14)}</section>${cards(40)}`));
    assert.match(text, /14: the keeper/);
    assert.doesNotMatch(text, /Teaser|Storm/);
  });

  test("are kept between paragraphs: the article is about them", () => {
    const text = markdownOf(article(`<section><h1>Log</h1>${prose(8)}${cards(6)}${prose(8)}</section>`));
    assert.match(text, /Teaser 5/);
  });

  test("are kept if there is hardly anything else", () => {
    assert.match(markdownOf(article(`<section><h1>Log</h1>${prose(2)}</section>${cards(12)}`)), /Teaser 11/);
  });
});

describe("text beside an article", () => {
  test("is left out if it is an aside, even a longer one", () => {
    const live = Array.from({ length: 30 }, (_, index) => `<li>Live ${index}: ${weather}</li>`).join("");
    const text = markdownOf(article(`<div><h1>Log</h1>${prose(14)}</div><aside><ul>${live}</ul></aside>`));
    assert.match(text, /14: the keeper/);
    assert.doesNotMatch(text, /Live/);
  });

  test("is kept if there is no other text", () => {
    const text = markdownOf(article(`<h1>Log</h1><aside>${prose(14)}</aside>`));
    assert.match(text, /14: the keeper/);
  });

  const links = Array.from({ length: 4 }, (_, index) => `<li><a href="/s/${index}">Storm ${index}</a></li>`).join("");
  for (const heading of ["Around the Web", "À lire aussi", "Mehr zum Thema", "Читайте также", "相關文章", "関連記事"]) {
    test(`is recognized by its heading: ${heading}`, () => {
      const text = markdownOf(article(`<h1>Log</h1>${prose(5)}<div><h3>${heading}</h3><ul>${links}</ul></div>`));
      assert.doesNotMatch(text, /Storm/);
    });
  }

  test("is recognized in Chinese, where a sentence has a third of the characters", () => {
    const sentence = "守塔人每天都把天气和经过的船只记在一本很旧的本子里，从来没有间断过，一直到他离开那座岛。";
    const story = `<div>${`<p>${sentence}</p>`.repeat(12)}</div>`;
    const site = `<div>${Array.from({ length: 40 }, (_, index) => `<p>人气：${index}</p>`).join("")}</div>`;
    const text = markdownOf(article(`<div><h1>日志</h1>${story}</div>${site}`));
    assert.match(text, /守塔人/);
    assert.doesNotMatch(text, /人气/);
  });
});

describe("text that is not for the eyes of a reader", () => {
  for (const line of [
    '<p>Maps <span class="sr-only">Use the arrows to turn the pages.</span></p>',
    '<div class="sr-only focus:not-sr-only">Use the arrows</div>',
    '<a class="sr-only focus:not-sr-only" href="#arrows">Skip to the arrows</a>',
    "<video><p>Use the arrows, or a browser that plays videos.</p></video>",
  ])
    test(`is left out: ${line}`, () => {
      const text = markdownOf(article(`<h1>Log</h1>${prose(6)}${line}${prose(6)}`));
      assert.match(text, /6: the keeper/);
      assert.doesNotMatch(text, /arrows/);
    });
});

describe("an advertisement", () => {
  for (const name of ["ad300x250", "banner728x90", "ad2"])
    test(`is left out, with its size in its name: ${name}`, () => {
      const html = article(`<h1>Log</h1>${prose(6)}<div class="${name}"><p>Buy lamps.</p></div>${prose(6)}`);
      assert.doesNotMatch(markdownOf(html), /Buy lamps/);
    });
});

describe("a box about the author", () => {
  const box = (count: number): string => `<div class="author-bio">${prose(count).replaceAll("keeper", "author")}</div>`;

  test("is left out of an article", () => {
    assert.doesNotMatch(markdownOf(article(`<h1>Log</h1>${prose(14)}${box(2)}`)), /author/);
  });

  for (const heading of ["About the author", "Written by Ada", "Ada van der Quay"])
    test(`is left out with the heading ${heading}`, () => {
      const titled = box(2).replace("<p>", `<h3>${heading}</h3><p>`);
      const byline = '<p class="byline">By Ada van der Quay</p>';
      assert.doesNotMatch(markdownOf(article(`<h1>Log</h1>${byline}${prose(14)}${titled}`)), /author|###/);
    });

  test("is kept if it is a large part of the text", () => {
    assert.match(markdownOf(article(`<h1>Log</h1>${prose(14)}${box(6)}`)), /6: the author/);
  });

  for (const [name, heading] of [
    ["author-note", ""],
    ["author-response", "<h2>Author response</h2>"],
    ["bio", "<h2>Biography</h2>"],
    ["author-info", "<h2>Corrections</h2>"],
    ["author-info", "<h2>Why Rust Matters</h2>"],
    ["author-section", "<h2>Migration Guide</h2>"],
    ["author-section", "<h2>Known Limitations And Bugs</h2>"],
    ["author-details", "<h2>Frequently Asked Questions</h2>"],
    ["bio-section", "<h2>Early Life</h2>"],
  ] as const)
    test(`is kept if it says something else: ${name} ${heading}`, () => {
      const note = `<section class="${name}">${heading}<p>The wick is never trimmed while it is hot: ${weather}</p></section>`;
      assert.match(markdownOf(article(`<h1>Log</h1>${prose(14)}${note}`)), /The wick/);
    });
});
