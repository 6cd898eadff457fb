import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Mark } from "../extract/handler.ts";
import { createSplitter, type Passage, type PlacedText } from "./split-passages.ts";

const sentence = "Some words that make a sentence of about sixty characters.";
const paragraph = `${sentence}\n`.repeat(6).trimEnd();

describe("passages", () => {
  test("are paragraphs", () => {
    assert.deepEqual(texts(`${paragraph}\n\n${paragraph}\n`), [paragraph, paragraph]);
  });

  test("have line numbers from 1", () => {
    const [first, second] = split(`\n${paragraph}\n \t\n\n${paragraph}`);
    assert.deepEqual([first?.startLine, first?.endLine, second?.startLine, second?.endLine], [2, 7, 10, 15]);
  });

  test("that are small are joined with the next paragraph", () => {
    assert.deepEqual(texts(`Note\n\n${paragraph}\n\n${paragraph}`), [`Note\n\n${paragraph}`, paragraph]);
  });

  test("stay small if joining would exceed the target size", () => {
    const small = sentence.repeat(4);
    const large = `${sentence}\n`.repeat(15).trimEnd();
    assert.deepEqual(texts(`${small}\n\n${large}`), [small, large]);
  });

  test("of a text without paragraphs are whole lines of about a thousand characters", () => {
    const log = Array.from({ length: 200 }, (_, index) => `${index} ${sentence}`).join("\n");
    const passages = texts(log);
    assert.equal(passages.join("\n"), log);
    for (const text of passages.slice(0, -1)) assert.ok(text.length > 900 && text.length <= 1_000);
  });

  test("of a very long line are split between words", () => {
    const passages = texts("word,".repeat(2_000));
    assert.ok(passages.length >= 10);
    for (const text of passages) assert.match(text, /^(?:word,)+$/);
  });

  describe("of JSON", () => {
    const nested = (id: number) => ({
      id,
      name: `item ${id}, with a comma`,
      tags: ["a", "},{", '"'],
      place: { x: id },
    });
    const items = Array.from({ length: 200 }, (_, id) => nested(id));
    const large = Array.from({ length: 20 }, (_, id) => ({ ...nested(id), more: Array.from({ length: 20 }, nested) }));

    for (const [name, json, count] of [
      ["on one line", JSON.stringify(items), 200],
      ["in many lines", JSON.stringify(items, null, 2), 200],
      ["inside an object", JSON.stringify({ total: 200, results: items, next: null }), 200],
      ["in many lines inside an object", JSON.stringify({ total: 200, results: items }, null, "\t"), 200],
    ] as const)
      test(`${name} are whole items`, () => {
        const passages = split(json);
        assert.equal(passages.flatMap(({ text }) => readItems(text)).length, count);
        const chunks = json.match(/[\s\S]{1,70}/g)?.map((text, index) => ({ text, offset: index * 70, line: 1 })) ?? [];
        assert.deepEqual(splitRanges(chunks), passages);
      });

    test("with items that are too large are split inside them, between smaller items", () => {
      for (const text of texts(JSON.stringify(large))) assert.ok(text.length <= 2_000 && /[},\]]$/.test(text), text);
    });

    /** The items of a passage, which must all be whole. */
    function readItems(text: string): unknown[] {
      const inner = text
        .replace(/^\s*(\{\s*"total":\s*200,\s*"results":)?\s*\[/, "")
        .replace(/\](,"next":null)?\s*\}?\s*$/, "");
      return JSON.parse(`[${inner.trim().replace(/,$/, "")}]`);
    }
  });

  test("of a line without words are split between code points", () => {
    for (const text of texts(`x${"😀".repeat(3_000)}`)) assert.ok(text.isWellFormed() && text.length <= 1_500);
  });

  test("name the nearest heading, and every heading starts a passage", () => {
    const passages = split(`Before.\n\n# One\n\n${paragraph}\n\n${paragraph}\n\n# Two\nText.\n`, ["# One", "# Two"]);
    assert.deepEqual(
      passages.map(({ heading, text }) => [heading, text]),
      [
        [null, "Before."],
        ["One", `# One\n\n${paragraph}`],
        ["One", paragraph],
        ["Two", "# Two\nText."],
      ],
    );
  });

  test("are never a heading alone while text follows", () => {
    const passages = split("# One\n\n## Two\n\nText.\n", ["# One", "## Two"]);
    assert.deepEqual(
      passages.map(({ heading, text }) => [heading, text]),
      [["Two", "# One\n\n## Two\n\nText."]],
    );
  });

  test("do not cross the gap between two pages", () => {
    const pages = [
      { text: "Page one.", offset: 0, line: 1 },
      { text: "Page two.", offset: 11, line: 3 },
    ];
    assert.deepEqual(places(splitRanges(pages)), [
      { start: 0, end: 9, startLine: 1, endLine: 1 },
      { start: 11, end: 20, startLine: 3, endLine: 3 },
    ]);
  });

  test("are not held back by many blank lines", () => {
    const splitter = createSplitter();
    splitter.push({ text: "Alone.\n", offset: 0, line: 1 });
    assert.equal(splitter.push({ text: "\n".repeat(3_000), offset: 7, line: 2 })[0]?.text, "Alone.");
  });
});

/** Short, long, blank and very long lines, with characters that are easy to split wrongly. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom("", " \t", "word", "a 😀 b", paragraph, "# Title", "日本語\u2028日本語", sentence.repeat(30)),
      fc.integer({ min: 1, max: 5_000 }).map((count) => "😀x".repeat(count)),
    ),
    { maxLength: 30 },
  )
  .map((lines) => lines.join("\n"));

describe("for any text", () => {
  test("places are exact in characters and lines", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { start, end, startLine, endLine, text: passage } of split(text)) {
          assert.equal(text.slice(start, end), passage);
          assert.deepEqual([startLine, endLine], [lineAt(text, start), lineAt(text, end)]);
        }
      }),
    );
  });

  test("passages are in order, bounded, and cover everything but blank space", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let previousEnd = 0;
        for (const { start, end } of split(text)) {
          assert.equal(text.slice(previousEnd, start).trim(), "");
          assert.ok(start >= previousEnd && end > start && end - start <= 2_000);
          previousEnd = end;
        }
        assert.equal(text.slice(previousEnd).trim(), "");
      }),
    );
  });

  test("the passages are the same however the text arrives", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 3_000 }), (text, rangeChars) => {
        const headings = text.includes("# Title") ? ["# Title"] : [];
        assert.deepEqual(splitRanges(toRanges(text, rangeChars, headings)), split(text, headings));
      }),
    );
  });
});

function split(text: string, headings: readonly string[] = []): Passage[] {
  return splitRanges(toRanges(text, Number.POSITIVE_INFINITY, headings));
}

function splitRanges(ranges: readonly PlacedText[]): Passage[] {
  const splitter = createSplitter();
  return [...ranges.flatMap((range) => splitter.push(range)), ...splitter.flush()];
}

function texts(text: string): string[] {
  return split(text).map((passage) => passage.text);
}

function places(passages: readonly Passage[]) {
  return passages.map(({ start, end, startLine, endLine }) => ({ start, end, startLine, endLine }));
}

/** The text in ranges of equal length, with a mark at the first occurrence of each heading. */
function toRanges(text: string, rangeChars: number, headings: readonly string[]): PlacedText[] {
  const count = Math.max(1, Math.ceil(text.length / rangeChars));
  return Array.from({ length: count }, (_, index) => {
    const offset = index === 0 ? 0 : index * rangeChars;
    const range = text.slice(offset, offset + rangeChars);
    return { text: range, offset, line: lineAt(text, offset), marks: marksIn(text, offset, range.length, headings) };
  });
}

function marksIn(text: string, offset: number, chars: number, headings: readonly string[]): Mark[] {
  const all = headings.map((heading) => ({ label: heading.replace(/^#+ /, ""), level: 1, at: text.indexOf(heading) }));
  return all.filter(({ at }) => at >= offset && at < offset + chars).map((mark) => ({ ...mark, at: mark.at - offset }));
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
