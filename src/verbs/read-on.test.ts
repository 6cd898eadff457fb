/** Reading on: what a reply says about lengths and where to continue holds for any document and any limits. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { soakCount } from "../../test/soak.ts";
import { answerText } from "../answer/answer.ts";
import { defaultSettings } from "../config/settings.ts";
import type { Handler } from "../extract/handler.ts";
import { openSession } from "../session/session.ts";
import { fetchSource } from "./fetch.ts";
import { type ReadOptions, readArtifact } from "./read.ts";

const makeBook = (texts: readonly string[]): Handler => ({
  name: "book",
  version: 1,
  runs: "inline",
  canHandle: () => true,
  async *extract(_file, { from }) {
    yield { info: { pageCount: texts.length } };
    for (const [index, text] of texts.entries())
      if (index >= from) yield { segment: { index, kind: "page", label: `page ${index + 1}`, text, marks: [] } };
  },
});

async function keepBook(texts: readonly string[], fetchChars: number) {
  const settings = { ...defaultSettings, "extract.fetch_chars": fetchChars };
  const session = await openSession({ settings, inMemory: true, handlers: [makeBook(texts)] });
  const fetched = await fetchSource("data:,a book", {}, session);
  const ref = fetched.fields.artifact_ref ?? assert.fail("nothing was kept");
  return { fetched, read: (options: ReadOptions) => readArtifact(ref, options, session) };
}

/** Every length that a reply names, in its text and in its fields. */
function namedLengths(text: string, { total_chars = null, extracted_chars = null }: NamedLengths): number[] {
  const inText = text.matchAll(/Total: (\d+) chars|Extracted (\d+) chars|character [\d,]+ of ([\d,]+)[.\]]/g);
  const numbers = [...inText].map((match) => Number((match[1] ?? match[2] ?? match[3] ?? "").replaceAll(",", "")));
  return [...numbers, ...[total_chars, extracted_chars].filter((chars) => chars !== null)];
}

type NamedLengths = { readonly total_chars?: number | null; readonly extracted_chars?: number | null };

const bookTexts = fc
  .array(fc.nat(2_500), { minLength: 1, maxLength: 60 })
  .map((sizes) => sizes.map((size, index) => `${index + 1}:${"word 🌊\n".repeat(Math.ceil(size / 8))}end`));
const maxChars = fc.integer({ min: 1_000, max: 9_000 });
const numRuns = soakCount({ sample: 15, full: 2_000 });

describe("for any document and any limits", () => {
  test("a length that is named is the whole one, and reading on gives the whole text", async () => {
    const fetchChars = fc.integer({ min: 1_000, max: 40_000 });
    const property = fc.asyncProperty(bookTexts, fetchChars, maxChars, async (texts, extractedChars, shownChars) => {
      const whole = texts.join("\n\n");
      const { fetched, read } = await keepBook(texts, extractedChars);
      const lengths = namedLengths(answerText(fetched), fetched.fields);
      let [joined, next]: [string, number | null] = ["", 0];
      while (next !== null) {
        const part = await read({ offset: next, maxChars: shownChars });
        lengths.push(...namedLengths(answerText(part), part.fields));
        joined += part.content ?? "";
        next = part.fields.next_offset;
      }
      assert.equal(joined, whole);
      assert.deepEqual([...new Set(lengths)], [whole.length]);
    });
    await fc.assert(property, { numRuns });
  });

  test("chosen pages are read in as many pieces as needed, whatever was read before", async () => {
    const numbers = fc.array(fc.tuple(fc.nat(59), fc.nat(3)), { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(bookTexts, numbers, maxChars, async (texts, chosen, shownChars) => {
      const ranges = chosen.map(([start, more]) => {
        const first = 1 + (start % texts.length);
        return { first, last: Math.min(texts.length, first + more) };
      });
      const { read } = await keepBook(texts, 1_000);
      let joined = "";
      let pages: string | undefined = ranges.map(({ first, last }) => `${first}-${last}`).join();
      for (let steps = 0; pages !== undefined && steps < 100; steps++) {
        const { fields, content } = await read({ pages, maxChars: shownChars });
        joined += content ?? "";
        pages = fields.next_pages;
      }
      assert.equal(pages, undefined, "the chosen pages end");
      const expected = ranges.map(({ first, last }) => texts.slice(first - 1, last).join(" ")).join(" ");
      assert.equal(joined.replace(/\s/g, ""), expected.replace(/\s/g, ""));
    });
    await fc.assert(property, { numRuns });
  });

  test("chosen lines are read in as many pieces as needed, and reading ends where they end", async () => {
    const words = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ""));
    const lineTexts = fc.array(words, { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(
      lineTexts,
      fc.nat(),
      fc.nat(9),
      fc.integer({ min: 1, max: 90 }),
      async (texts, start, more, shownChars) => {
        const first = 1 + (start % texts.length);
        const last = Math.min(texts.length, first + more);
        // An empty last line would not be a line: it would be the end of the one before it.
        const text = `${texts.join("\n")}.`.toWellFormed();
        const { read } = await keepBook([text], 100_000);
        const expected =
          text
            .split("\n")
            .slice(first - 1, last)
            .join("\n") + (last < texts.length ? "\n" : "");
        let [joined, lines]: [string, string | undefined] = ["", `${first}-${last}`];
        for (let steps = 0; lines !== undefined && steps < 3_000; steps++) {
          const { fields, content, cut } = await read({ lines, maxChars: Math.max(2, shownChars) });
          joined += content ?? "";
          if (cut !== null && last < texts.length)
            assert.equal(cut.totalChars, expected.length - joined.length + (content ?? "").length);
          lines = fields.next_lines;
          if (last === texts.length && lines === undefined && fields.has_more) return; // To the end of the text, offsets are enough.
        }
        assert.equal(joined, expected);
      },
    );
    await fc.assert(property, { numRuns });
  });
});
