import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { chunkText } from "../chunk.ts";
import { findTerms } from "../lexicon.ts";
import { createSegmentBuilder } from "./build-segment.ts";
import { type IndexSegment, openSegment } from "./index-segment.ts";

function build(files: Record<string, string>): IndexSegment {
  const builder = createSegmentBuilder();
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    builder.add({ id: index + 1, path, text, chunks: chunkText(text) });
  }
  return openSegment(builder.finish()) ?? assert.fail("the segment cannot be opened");
}

/** Each term once, as bytes, in the order of segments. */
const sortBytes = (terms: Iterable<string>): Buffer[] =>
  [...new Set(terms)].map((term) => Buffer.from(term)).sort(Buffer.compare);

function filesWith(segment: IndexSegment, term: string): string[] {
  const range = segment.find(term);
  if (range === null) return [];
  const { places, count } = segment.postings(range);
  const files = [...places.subarray(0, count)].map((chunk) => segment.chunkFile[chunk] ?? 0);
  return [...new Set(files)].map(segment.path);
}

describe("a segment", () => {
  test("finds an identifier by its parts, as a whole, and in any spelling", () => {
    const segment = build({ "a.ts": "const hashMap = 1;", "b.py": "hash_map = 1", "c.c": "int hashmap;" });
    assert.deepEqual(filesWith(segment, "hash"), ["a.ts", "b.py"]);
    assert.deepEqual(filesWith(segment, "hashmap"), ["a.ts", "b.py", "c.c"]);
  });

  test("distinguishes definitions and paths from text", () => {
    const segment = build({ "src/render/json.go": "func WriteJSON(w Writer) {\n}\n", "x.go": "WriteJSON(w)\n" });
    assert.deepEqual(filesWith(segment, "=writejson"), ["src/render/json.go"]);
    assert.ok(segment.find("/render") !== null && segment.find("/json") !== null);
    assert.equal(segment.find("/write"), null);
    assert.equal(segment.find("/go"), null, "the extension says nothing about the content");
  });

  test("lists the files whose paths may end so, in any case", () => {
    const paths = ["src/Router.go", "src/router.go", "src/xrouter.go", "r.go", "ÉCOLE/a.go", "src/École.go", "b.py"];
    const segment = build(Object.fromEntries(paths.map((path) => [path, "x"])));
    const ending = (end: string) => segment.filesEnding(end).map(segment.path);
    assert.deepEqual(ending("router.go"), ["src/Router.go", "src/router.go", "src/xrouter.go"]);
    assert.deepEqual(ending("/router.go"), ["src/Router.go", "src/router.go"]);
    assert.deepEqual(ending(".py"), ["b.py"]);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.nat(12), (path, chars) => {
        assert.ok(ending(path.slice(-chars).toLowerCase()).includes(path));
      }),
    );
  });

  test("indexes scripts without spaces and characters outside the BMP", () => {
    const segment = build({ "a.md": "検索エンジン 𝒳 ﬁne", "b.md": "naïve Ünïcode", "c.md": "plain" });
    assert.deepEqual(filesWith(segment, "検索"), ["a.md"]);
    assert.deepEqual(filesWith(segment, "plain"), ["c.md"]);
    assert.deepEqual(filesWith(segment, findTerms("Ünïcode")[0] ?? ""), ["b.md"]);
  });

  test("finds every pair of neighbours in a long run without spaces", () => {
    const run = Array.from({ length: 400 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join("");
    const segment = build({ "a.md": `# ${run}\n`, "b.md": `# ${"a1b2".repeat(100)}\n` });
    for (let start = 0; start + 2 <= run.length; start++)
      assert.deepEqual(filesWith(segment, run.slice(start, start + 2)), ["a.md"]);
    assert.deepEqual(
      segment.findAll(Array.from({ length: 100 }, (_, index) => Buffer.from("a1b2".repeat(index + 1)))),
      [],
    );
  });

  test("is refused if it is truncated, of another version, damaged anywhere, or not a segment", () => {
    const builder = createSegmentBuilder();
    builder.add({ id: 1, path: "a", text: "word", chunks: chunkText("word") });
    const bytes = builder.finish();
    assert.equal(openSegment(bytes.slice(0, -1)), null);
    assert.equal(openSegment(bytes.slice(0, 10)), null);
    assert.equal(openSegment(Buffer.from("not a segment at all, but long enough to be one")), null);
    for (const [index, byte] of bytes.entries()) {
      bytes[index] = byte ^ 0x10;
      assert.equal(openSegment(bytes), null, `byte ${index}`);
      bytes[index] = byte;
    }
    assert.ok(openSegment(bytes.fill(0, 36)) === null);
  });

  test("has exactly the terms of its words, in any script", () => {
    const letters = [..."abAB01_$é検索ーﬁ\ue000", "𝒳", "\u{10ffff}"];
    const word = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 10 }).map((all) => all.join(""));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), fc.array(word), (words, otherWords) => {
        const segment = build({ f: words.join(" ") });
        const terms = new Set(words.flatMap(findTerms));
        const others = otherWords.flatMap(findTerms);
        assert.deepEqual(segment.findAll(sortBytes([...terms, ...others])), sortBytes(terms).map(String));
        for (const term of others) assert.equal(segment.find(term) !== null, terms.has(term), term);
        for (const term of terms) assert.notEqual(segment.find(term), null, term);
      }),
    );
  });

  test("finds every file of every term", () => {
    const word = fc.stringMatching(/^[A-Za-z_]{1,12}$/);
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 8 }),
        (texts) => {
          const files = Object.fromEntries(texts.map((words, index) => [`f${index}`, words.join(" ")]));
          const segment = build(files);
          for (const [path, text] of Object.entries(files)) {
            for (const term of text.split(" ").flatMap(findTerms))
              assert.ok(filesWith(segment, term).includes(path), term);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
