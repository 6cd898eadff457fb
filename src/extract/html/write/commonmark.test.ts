/** What is written is read by a Markdown parser as the text of the page: no sign of it is lost or becomes syntax. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { marked } from "marked";
import { extractHtml } from "../page.ts";

/** Signs of Markdown between words. No brackets across elements, and no addresses, which parsers link by themselves. */
const signs = ["*", "**", "_", "`", "(", ")", "!", "|", "~", "\\", "<", ">", "&", "&amp;", "1.", "-", "+", "=", ":"];
const texts = fc
  .array(fc.constantFrom(...signs, "[lamp]", "lamp", "a_b", " ", " "), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join("").replace(/ +/g, " ").trim())
  .filter((text) => text !== "" && !text.includes("~~"));

const places: Readonly<Record<string, (text: string) => string>> = {
  "a paragraph": (text) => `<p>${text} end</p>`,
  "the lines of a paragraph": (text) => `<p>start<br>${text}<br>end</p>`,
  "a heading": (text) => `<h2>start ${text} end</h2><p>end</p>`,
  "an item": (text) => `<ul><li>${text} end</li></ul>`,
  "a link": (text) => `<p>start <a href="https://lamp.example/x">wick ${text.replaceAll("]", "")}</a> end</p>`,
  emphasis: (text) => `<p>start <em>${text}</em> <b>${text} <i>wick</i></b> <s>${text} lit</s> <i><b>x</b> y</i></p>`,
  cells: (text) =>
    `<table><tr><th><b>A ${text}</b></th><th>B</th></tr><tr><td>C ${text}</td><td><b>${text}</b> D</td></tr></table>`,
};

describe("Markdown says what the page says:", () => {
  for (const [name, wrap] of Object.entries(places))
    test(name, () => assertSame(texts.map((text) => wrap(encode(text)))));

  test("emphasis in words", () => assertSame(emphasized));
});

/** Words and signs, some of them emphasized, with and without blanks between them. */
const run = fc
  .array(fc.constantFrom(..."? ! . : ( ) % ® “ ” 。 lamp a 灯 😀".split(" "), " "), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));
const emphasis = fc.constantFrom(
  (text: string) => text,
  (text: string) => `<b>${text}</b>`,
  (text: string) => `<i>${text}</i>`,
);
const emphasized = fc
  .array(
    fc.tuple(emphasis, run).map(([wrap, text]) => wrap(text)),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => `<p>start ${parts.join("")}</p>`);

function assertSame(pages: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(pages, (html) => {
      const { text: markdown } = extractHtml(html, { mode: "markdown" });
      assert.equal(visible(marked.parse(markdown, { async: false })), visible(html), markdown);
    }),
    { numRuns: 300 },
  );
}

function encode(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The signs and words of HTML without its tags; blanks between blocks do not matter here. */
function visible(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, "");
}
