import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { memoryObjects } from "../../artifacts/memory-objects.ts";
import { readObject } from "../../artifacts/objects.ts";
import { SpillwayError } from "../../errors.ts";
import { type Extract, toExtract } from "../extract.ts";
import type { Segment, SegmentKind } from "../handler.ts";
import { addSegment, appendFile, type ExtractSize, emptySize, openExtract } from "../stored-extract.ts";
import {
  countTotalLines,
  findLine,
  findPages,
  readWindow,
  selectLines,
  selectOffset,
  selectPages,
  selectSection,
} from "./select-range.ts";
import { parseSelector } from "./selector.ts";

/** A stored extract of these segments, in parts of so many. */
async function storedExtract(segments: readonly Segment[], perFile = 2): Promise<Extract> {
  const objects = memoryObjects();
  let size: ExtractSize = emptySize;
  for (let at = 0; at < segments.length; at += perFile) {
    const fileSegments = segments.slice(at, at + perFile);
    const last = at + perFile >= segments.length;
    size = (await appendFile(objects, "x/", size, { info: {}, segments: fileSegments, failed: null, last })).end;
  }
  return toExtract(await openExtract(objects, "x/"), { name: "test" });
}

const segmentsOf = (texts: readonly string[], kind: SegmentKind = "whole"): Segment[] =>
  texts.map((text, index) => ({ index, kind, label: `${kind} ${index + 1}`, text, marks: [] }));

const anyTexts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n", "\n\n", "é", "😀"), maxLength: 12 }), {
  minLength: 1,
  maxLength: 9,
});

describe("ranges of a stored extract", () => {
  test("a window of any offset and length equals a slice of the joined text", async () => {
    await fc.assert(
      fc.asyncProperty(anyTexts, fc.nat(130), fc.nat(130), fc.boolean(), async (texts, offset, chars, paged) => {
        const joined = texts.join(paged ? "\n\n" : "");
        const extract = await storedExtract(segmentsOf(texts, paged ? "page" : "whole"));
        assert.equal(extract.size.chars, joined.length);
        const start = Math.min(offset, joined.length);
        const { text } = await readWindow(extract, start, chars);
        assert.equal(text, joined.slice(start, start + chars));
        const line = joined.slice(0, start).split("\n").length;
        assert.equal(await findLine(extract, start), line);
      }),
    );
  });

  test("any lines equal those of the joined text split at line ends", async () => {
    await fc.assert(
      fc.asyncProperty(anyTexts, fc.integer({ min: 1, max: 30 }), fc.nat(10), async (texts, first, more) => {
        const joined = texts.join("");
        const lines = joined.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const extract = await storedExtract(segmentsOf(texts));
        assert.equal(await countTotalLines(extract), lines.length);
        const wanted = lines.slice(first - 1, first + more).join("");
        if (first > Math.max(1, lines.length)) {
          await assert.rejects(selectLines(extract, { first, last: first + more }), SpillwayError);
        } else {
          const { start, end } = await selectLines(extract, { first, last: first + more });
          assert.equal(joined.slice(start, end), wanted);
        }
      }),
    );
  });

  test("pages are chosen by number, in the requested order", async () => {
    const extract = await storedExtract(segmentsOf(["one", "", "three\n", "four"], "page"));
    const pages = async (text: string) => {
      const selector = parseSelector({ pages: text });
      const parts = selector.type === "pages" ? await selectPages(extract, selector.pages) : assert.fail();
      return Promise.all(parts.map(async ({ start, end }) => (await readWindow(extract, start, end - start)).text));
    };
    assert.deepEqual(await pages("1"), ["one"]);
    assert.deepEqual(await pages("4,1-2"), ["four", "one\n\n"]);
    assert.deepEqual(await pages("3-"), ["three\n\n\nfour"]);
    assert.deepEqual(await pages("2-99"), ["\n\nthree\n\n\nfour"]);
    await assert.rejects(pages("5"), /Page 5 is past the end: the text has 4 pages/);
    const whole = await storedExtract(segmentsOf(["text"]));
    await assert.rejects(selectPages(whole, [{ first: 1, last: 1 }]), /no pages/);
  });

  test("a page may be several segments", async () => {
    const segments = segmentsOf(["one", "two", "three", "four"], "sheet").map((segment, index) => ({
      ...segment,
      page: index === 3 ? 2 : 1,
      isContinued: index === 0 || index === 1,
    }));
    const extract = await storedExtract(segments, 1);
    assert.equal(extract.size.pages, 2);
    const [first, second] = await selectPages(extract, [
      { first: 1, last: 1 },
      { first: 2, last: 2 },
    ]);
    const textOf = async ({ start = 0, end = 0 } = {}) => (await readWindow(extract, start, end - start)).text;
    assert.deepEqual([await textOf(first), await textOf(second)], ["one\n\ntwo\n\nthree", "four"]);
    assert.deepEqual(
      (await findPages(extract, 0, extract.size.chars)).map(({ page, label }) => [page, label]),
      [
        [1, "sheet 1"],
        [1, "sheet 2"],
        [1, "sheet 3"],
        [2, "sheet 4"],
      ],
    );
    await assert.rejects(selectPages(extract, [{ first: 3, last: 3 }]), /is past the end: the text has 2 pages/);
  });

  test("a section extends to the next heading of its rank, across segments", async () => {
    const segments: Segment[] = [
      { index: 0, kind: "page", label: "1", text: "Intro\nA\naa", marks: [{ label: "Part A", level: 1, at: 6 }] },
      {
        index: 1,
        kind: "page",
        label: "2",
        text: "sub\nB\nbb",
        marks: [
          { label: "Sub", level: 2, at: 0 },
          { label: "Part B", level: 1, at: 4 },
        ],
      },
    ];
    const extract = await storedExtract(segments, 1);
    const section = async (heading: string) => {
      const { start, end } = await selectSection(extract, heading);
      return (await readWindow(extract, start, end - start)).text;
    };
    assert.equal(await section("part a"), "A\naa\n\nsub\n");
    assert.equal(await section("## Sub"), "sub\n");
    assert.equal(await section("part b"), "B\nbb");
    await assert.rejects(section("Zed"), /There is no section "Zed"/);
  });

  test("an offset may be the end, but not past it", async () => {
    const extract = await storedExtract(segmentsOf(["abc"]));
    assert.deepEqual(await selectOffset(extract, 3), { label: "", start: 3, end: 3 });
    await assert.rejects(selectOffset(extract, 4), /Offset 4 is past the end: the text has 3 characters/);
  });

  test("an offset inside a code point moves to its start, also across segments", async () => {
    const extract = await storedExtract(segmentsOf(["a😀", "b"]));
    const starts = await Promise.all(
      [0, 1, 2, 3, 4].map(async (offset) => (await selectOffset(extract, offset)).start),
    );
    assert.deepEqual(starts, [0, 1, 1, 3, 4]);
  });
});

describe("the stored extract", () => {
  test("joins the overlapping files of two processes", async () => {
    const objects = memoryObjects();
    const all = segmentsOf(["a", "b", "c", "d"]);
    const zero: ExtractSize = emptySize;
    const part = (from: number, to: number, last: boolean) => ({
      info: {},
      segments: all.slice(from, to),
      failed: null,
      last,
    });
    const first = await appendFile(objects, "x/", zero, part(0, 2, false));
    const other = await appendFile(objects, "x/", zero, part(0, 3, false));
    await appendFile(objects, "x/", first.end, part(2, 4, true));
    await appendFile(objects, "x/", other.end, part(3, 4, true));
    const extract = await openExtract(objects, "x/");
    assert.deepEqual(extract.ended, { failed: null });
    assert.equal((await Array.fromAsync(extract.segments(), ({ text }) => text)).join(""), "abcd");
  });

  test("is the chain that reaches furthest, whatever shorter files other processes have stored", async () => {
    const all = segmentsOf(Array.from("abcdef"), "page");
    // Any set of readers, each of which went on from an earlier place to a later one, and only some to the end.
    const reading = fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 6 }));
    await fc.assert(
      fc.asyncProperty(fc.array(reading, { maxLength: 12 }), fc.boolean(), async (readings, isLast) => {
        const objects = memoryObjects();
        const sizes: ExtractSize[] = [emptySize];
        for (const segment of all) sizes.push(addSegment(sizes.at(-1) ?? assert.fail(), segment));
        const stored = readings.filter(([from, to]) => from < to);
        for (const [from, to] of stored) {
          const content = { info: {}, segments: all.slice(from, to), failed: null, last: isLast && to === 6 };
          await appendFile(objects, "x/", sizes[from] ?? assert.fail(), content);
        }
        let reachable = new Set([0]);
        for (let step = 0; step < 6; step++)
          reachable = new Set([...reachable, ...stored.filter(([from]) => reachable.has(from)).map(([, to]) => to)]);
        const furthest = Math.max(...reachable);
        const extract = await openExtract(objects, "x/");
        assert.equal(extract.size.segments, furthest);
        assert.equal(extract.ended !== null, isLast && furthest === 6);
        const text = (await Array.fromAsync(extract.segments(), (placed) => placed.text)).join("");
        assert.equal(text, Array.from("abcdef").slice(0, furthest).join("\n\n"));
      }),
    );
  });

  test("ends before a file that cannot be read, which is then extracted again", async () => {
    const objects = memoryObjects();
    const zero: ExtractSize = emptySize;
    const all = segmentsOf(["a", "b"]);
    const middle = await appendFile(objects, "x/", zero, {
      info: {},
      segments: all.slice(0, 1),
      failed: null,
      last: false,
    });
    await appendFile(objects, "x/", middle.end, { info: {}, segments: all.slice(1), failed: null, last: true });
    const [, torn] = await Array.fromAsync(objects.list("x/"));
    const key = torn?.key ?? "";
    const whole = (await readObject(objects, key)) ?? Buffer.alloc(0);
    await objects.put(key, whole.subarray(0, 10));
    const cut = await openExtract(objects, "x/");
    assert.deepEqual([cut.size.segments, cut.ended], [1, null], "cut short");
    await objects.put(key, Buffer.alloc(whole.length, "x"));
    await assert.rejects(openExtract(objects, "x/"), /damaged and has been deleted/);
    const extract = await openExtract(objects, "x/");
    assert.deepEqual([extract.size.segments, extract.ended], [1, null], "of the right length, but not ours");
  });

  test("does not show a text that lacks characters, although its file has the right length", async () => {
    const objects = memoryObjects();
    const content = { info: {}, segments: segmentsOf(["dawn and noon"]), failed: null, last: true };
    const { key } = await appendFile(objects, "x/", emptySize, content);
    const bytes = (await readObject(objects, key)) ?? Buffer.alloc(0);
    bytes.write("é", bytes.length - 4); // Two bytes, one character.
    await objects.put(key, bytes);
    await assert.rejects(openExtract(objects, "x/"), /damaged and has been deleted/);
  });

  test("reads the files of earlier versions, which were JSON", async () => {
    const objects = memoryObjects();
    const content = { info: { title: "Gauge" }, segments: segmentsOf(["dawn\n", "noon\n"]), failed: null };
    const { key } = await appendFile(memoryObjects(), "x/", emptySize, { ...content, last: true });
    const json = Buffer.from(JSON.stringify(content));
    const [, size = ""] = /-(\d+)-end$/.exec(key) ?? [];
    await objects.put(key.replace(size, String(json.length).padStart(size.length, "0")), json);
    const extract = await openExtract(objects, "x/");
    assert.deepEqual([extract.info, extract.ended], [{ title: "Gauge" }, { failed: null }]);
    assert.deepEqual(await Array.fromAsync(extract.segments(), ({ text }) => text), ["dawn\n", "noon\n"]);
  });
});

describe("a selector", () => {
  for (const { input, selector } of [
    { input: {}, selector: { type: "offset", offset: 0, isDefault: true } },
    { input: { lines: "", query: "  " }, selector: { type: "offset", offset: 0, isDefault: true } },
    { input: { offset: "12" }, selector: { type: "offset", offset: 12 } },
    { input: { offset: 7 }, selector: { type: "offset", offset: 7 } },
    { input: { lines: " 3 - 9 " }, selector: { type: "lines", lines: { first: 3, last: 9 } } },
    { input: { lines: "3-" }, selector: { type: "lines", lines: { first: 3, last: null } } },
    { input: { pages: "2@30-4" }, selector: { type: "pages", pages: [{ first: 2, last: 4, at: 30 }] } },
    { input: { pages: "page 2" }, selector: { type: "pages", pages: [{ first: 2, last: 2 }] } },
    {
      input: { pages: "p. 2-4, 9" },
      selector: {
        type: "pages",
        pages: [
          { first: 2, last: 4 },
          { first: 9, last: 9 },
        ],
      },
    },
    { input: { pages: "<!-- page 12 -->" }, selector: { type: "pages", pages: [{ first: 12, last: 12 }] } },
    { input: { pages: "2" }, selector: { type: "pages", pages: [{ first: 2, last: 2 }] } },
    { input: { query: "a b" }, selector: { type: "query", query: "a b" } },
    { input: { rows: "7-" }, selector: { type: "rows", rows: { first: 7, last: null } } },
    { input: { path: " $.a[1] " }, selector: { type: "path", path: "$.a[1]" } },
    { input: { section: "# Top" }, selector: { type: "section", heading: "# Top" } },
  ]) {
    test(`${JSON.stringify(input)} is understood`, () => assert.deepEqual(parseSelector(input), selector));
  }

  for (const input of [
    { offset: "-1" },
    { offset: 1.5 },
    { lines: "0" },
    { lines: "b" },
    { pages: "1,,2" },
    { pages: "1@" },
    { lines: "1@x" },
    { rows: "1@2" },
    { rows: "x" },
    { rows: "1", path: "$" },
    { lines: "1", pages: "1" },
  ]) {
    test(`${JSON.stringify(input)} is refused with a hint`, () => {
      assert.throws(
        () => parseSelector(input),
        (error) => error instanceof SpillwayError && error.code === "selector_invalid" && error.hint !== undefined,
      );
    });
  }
});
