import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "./page.ts";
import { addTitleHeading } from "./title-heading.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it.";
const prose = Array.from({ length: 6 }, (_, index) => `<p>${index + 1}: ${weather}</p>`).join("\n");
const page = (head: string, body: string): string =>
  `<html><head>${head}</head><body><main>${body}</main></body></html>`;
const read = (html: string, mode: "markdown" | "text" = "markdown") =>
  addTitleHeading(extractHtml(html, { mode }), mode);

describe("the title of a page", () => {
  test("becomes a heading above a text that does not show it", () => {
    const { text, marks } = read(page("<title>Log of the *north* light</title>", `<h2>May</h2>${prose}`));
    assert.match(text, /^# Log of the \\\*north\\\* light\n\n## May\n\n1: the keeper/);
    assert.deepEqual(marks, [
      { label: "Log of the *north* light", level: 1, at: 0 },
      { label: "May", level: 2, at: text.indexOf("## May") },
    ]);
  });

  test("is a line of its own in plain text", () => {
    assert.match(
      read(page("<title>Log of the light</title>", prose), "text").text,
      /^Log of the light\n\n1: the keeper/,
    );
  });

  const shown: readonly (readonly [string, string])[] = [
    ["a main heading", `<h1>The northern light</h1>${prose}`],
    ["a heading with its words", `<h2>Log of the light</h2>${prose}`],
    ["its words in the first paragraphs", `<p>Welcome to the log of the light.</p>${prose}`],
  ];
  for (const [how, body] of shown) {
    test(`is not repeated if the text has ${how}`, () => {
      const html = page("<title>Log of the light</title>", body);
      assert.equal(read(html).text, extractHtml(html, { mode: "markdown" }).text);
    });
  }

  test("becomes the first heading if the main one is the name of the site", () => {
    const head = '<title>The light of May</title><meta property="og:site_name" content="The Keepers">';
    const { text } = read(page(head, `<h1>The Keepers</h1>${prose}`));
    assert.match(text, /^# The light of May\n\n# The Keepers\n\n1: /);
  });

  for (const title of [" \u001b[31m Log of the light \u202e ", "\nLog of\nthe light&#8203; "]) {
    test(`has no blanks at its ends: ${JSON.stringify(title)}`, () => {
      assert.match(read(page(`<title>${title}</title>`, prose)).text, /^# Log of the light\n\n1: /);
    });
  }

  test("is the first line, which becomes the heading, without the name of the site", () => {
    const { text, marks } = read(page("<title>Log of the light | Keepers</title>", `<p>Log of the light</p>${prose}`));
    assert.match(text, /^# Log of the light\n\n1: /);
    assert.deepEqual(marks, [{ label: "Log of the light", level: 1, at: 0 }]);
  });

  test("does not replace an item of a list", () => {
    const { text } = read(page("<title>Log of the light</title>", `<ul><li>Log of the light</li></ul>${prose}`));
    assert.match(text, /^- Log of the light/);
  });

  test("is left out if the page has none, or one too long for a heading", () => {
    assert.match(read(page("", prose)).text, /^1: the keeper/);
    assert.match(read(page(`<title>${"Log ".repeat(100)}</title>`, prose)).text, /^1: the keeper/);
  });
});
