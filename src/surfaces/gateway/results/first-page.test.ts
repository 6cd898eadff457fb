import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readPages } from "./first-page.ts";

const items = Array.from({ length: 500 }, (_, id) => ({ id, name: `item ${id}, "quoted" }, {`, tags: ["a", "b"] }));

describe("the first page of JSON", () => {
  test("ends after a whole item and says what the rest is like", () => {
    const text = JSON.stringify(items);
    const page = readPages(text)(5_000);
    assert.ok(text.startsWith(page.text) && page.text.length <= 5_000 && page.text.length > 3_500);
    assert.ok(JSON.parse(page.text.replace(/,$/, "]")).length > 10);
    assert.deepEqual([page.shape, page.names], ["JSON with 500 items.", "Keys of the items: id, name, tags"]);
  });

  test("names the lists of an object, the longest first", () => {
    const page = readPages(JSON.stringify({ total: 500, empty: [], few: [1, 2], results: items, next: "x" }))(5_000);
    assert.equal(page.shape, "JSON object with 5 keys.");
    assert.equal(
      page.names,
      'Lists: "results" (500 items), "few" (2 items), "empty" (0 items). Keys of the items: id, name, tags',
    );
  });

  test("ends inside an item that is larger than the page, after one of its own items", () => {
    const page = readPages(JSON.stringify([{ id: 1, rows: items }]))(2_000);
    assert.match(page.text, /\},$/);
  });

  test("is not made of text that only begins like JSON", () => {
    assert.equal(readPages(`[note] ${"word ".repeat(2_000)}`)(500).shape, "");
    assert.equal(readPages(`{"a":1}\n{"a":2}\n${"more\n".repeat(500)}`)(500).shape, "");
  });
});

describe("the first page", () => {
  test("of a table has its header and whole rows", () => {
    const rows = Array.from({ length: 300 }, (_, id) => `${id},"name, with\na break ${id}",x`);
    const text = ["id,name,kind", ...rows.map((row) => row.replace("\n", " ").repeat(1))].join("\n");
    const page = readPages(text)(2_000);
    assert.match(page.text, /^id,name,kind\n0,[\s\S]*,x$/);
    assert.deepEqual([page.shape, page.names], ["A table with 300 rows.", "Columns: id, name, kind"]);
  });

  test("of a table is not cut inside a quoted line break", () => {
    const rows = Array.from({ length: 300 }, (_, id) => (id < 8 ? `${id},plain,x` : `${id},"two\nlines",x`));
    const page = readPages(["id,name,kind", ...rows].join("\n"))(1_005);
    assert.match(page.text, /,x$/);
  });

  test("of Markdown ends before a heading and names those that follow", () => {
    const text = Array.from({ length: 40 }, (_, n) => `## Part ${n}\n\n${"Words of a part. ".repeat(20)}`).join("\n\n");
    const page = readPages(text)(3_000);
    assert.match(page.text, /part\. \n$/);
    assert.match(page.names, /^Sections that follow: Part \d+; .* and \d+ more$/);
    assert.ok(text.slice(page.nextOffset).startsWith("\n## Part "));
  });

  test("of a log has its beginning and its end", () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `2026-01-01 00:00:00 INFO request ${n}`);
    const page = readPages(lines.join("\n"))(2_000);
    assert.match(page.text, /^2026[\s\S]*request 0\n[\s\S]*left out[\s\S]*request 1999$/);
  });

  test("of any text is within its bound, but for the mark in a log, and reading continues where it ends", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("# Heading", "a,b,c", '{"a":[1,', "ERROR x"),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 400 }), (lines, max) => {
        const text = lines.join("\n");
        const page = readPages(text)(max);
        assert.ok(page.text.length <= max + 50, `${page.text.length} of ${max}`);
        assert.ok(page.nextOffset <= text.length && text.startsWith(page.text.slice(0, page.nextOffset)));
      }),
    );
  });
});
