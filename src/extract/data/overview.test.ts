import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractOf } from "../../../test/data-text.ts";
import { describeData } from "./overview.ts";

const { signal } = new AbortController();

async function describeText(text: string, media_type: string, { name = "data", maxChars = 4_000 } = {}) {
  const extract = await extractOf(text, 10_000);
  const overview = await describeData(extract, { facts: { media_type, name }, maxChars, signal });
  return overview?.text.split("\n") ?? null;
}

describe("the overview of a table", () => {
  test("has columns with types, ranges, samples, and the last rows", async () => {
    const rows = Array.from(
      { length: 300 },
      (_, row) => `${row},"Ship, ${row}",2026-01-${10 + (row % 20)},${row / 4},`,
    );
    assert.deepEqual(await describeText(`id,name,day,draught,note\n${rows.join("\n")}\n`, "text/csv"), [
      "Table of 300 rows and 5 columns.",
      "",
      "| column | type | samples |",
      "| --- | --- | --- |",
      "| id | integer 0 to 299 | 0; 1; 2 |",
      "| name | text | Ship, 0; Ship, 1; Ship, 2 |",
      "| day | date 2026-01-10 to 2026-01-29 | 2026-01-10; 2026-01-11; 2026-01-12 |",
      "| draught | number 0 to 74.75, integer | 0; 0.25; 0.5 |",
      "| note | empty |  |",
      "",
      "Last lines:",
      ...rows.slice(-5),
    ]);
  });

  test("names columns by number where there is no header, and cells cannot break the table", async () => {
    const lines = await describeText("1,a|b\n2,c\n", "text/csv");
    assert.deepEqual(lines?.slice(0, 6), [
      "Table of 2 rows and 2 columns. The first row has no names.",
      "",
      "| column | type | samples |",
      "| --- | --- | --- |",
      "| column 1 | integer 1 to 2 | 1; 2 |",
      "| column 2 | text | a\\|b; c |",
    ]);
  });
});

describe("the overview of a tree", () => {
  test("lists every path of JSON with types and counts; a dictionary has one path for all keys", async () => {
    const packages = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { version: "1.0.0" }]));
    const json = {
      version: 3,
      items: [
        { id: 1, tag: null },
        { id: 2, "odd key": true },
      ],
      packages,
    };
    assert.deepEqual((await describeText(JSON.stringify(json), "application/json"))?.slice(4), [
      "| $ | object | 1 |  |",
      "| $.version | integer | 1 | 3 |",
      "| $.items | array of 2 | 1 |  |",
      "| $.items[] | object | 2 |  |",
      "| $.items[].id | integer 1 to 2 | 2 | 1; 2 |",
      "| $.items[].tag | null | 1 | null |",
      '| $.items[]["odd key"] | boolean | 1 | true |',
      "| $.packages | object | 1 |  |",
      "| $.packages.* | object | 60 |  |",
      "| $.packages.*.version | text | 60 | 1.0.0 |",
    ]);
  });

  test("reads records, XML and YAML the same way", async () => {
    const records = await describeText('{"a":1}\n{"a":2,"b":[]}\n', "application/json");
    assert.equal(records?.[0], "JSON, one value a line, by path:");
    assert.ok(records.includes("| $[].a | integer 1 to 2 | 2 | 1; 2 |"));
    const xml = await describeText('<feed><e id="1">x</e><e id="2"><t>y</t></e></feed>', "application/atom+xml");
    assert.ok(xml?.includes("| $.feed.e.@id | integer 1 to 2 | 2 | 1; 2 |"), xml?.join("\n"));
    const yaml = await describeText("a:\n  - b: 1\n  - b: 2\nc: text\n", "application/yaml");
    assert.ok(yaml?.includes("| $.a[].b | integer 1 to 2 | 2 | 1; 2 |"), yaml?.join("\n"));
  });

  test("of a text that nests without end is made as far as it is read", async () => {
    const lines = await describeText("[".repeat(50_000), "application/json");
    assert.match(lines?.[0] ?? "", /nests deeper than is read/);
  });
});

describe("the overview of a log", () => {
  const logLines = Array.from({ length: 200 }, (_, line) => {
    const level = line === 150 ? "ERROR" : line % 10 === 0 ? "WARN" : "INFO";
    return `2026-05-08T09:${String(line % 60).padStart(2, "0")}:00Z ${level} gate ${line}`;
  });

  test("has the time range, the levels, the first errors with their line, and the end", async () => {
    const lines = await describeText(`${logLines.join("\n")}\n`, "text/plain", { name: "gate.log" });
    assert.deepEqual(lines?.slice(0, 5), [
      "Log of 200 lines.",
      "Times: 2026-05-08T09:00:00Z to 2026-05-08T09:19:00Z",
      "Levels: ERROR 1, WARN 19, INFO 180",
      "First errors, the worst before others:",
      "line 151: 2026-05-08T09:30:00Z ERROR gate 150",
    ]);
    assert.equal(lines?.at(-1), logLines.at(-1));
    const withoutEnd = await describeText(logLines.join("\n"), "text/plain", { name: "gate.log" });
    assert.equal(withoutEnd?.[0], "Log of 200 lines.");
  });

  test("is recognised by its lines, whatever its name, and prose is not a log", async () => {
    assert.notEqual(await describeText(logLines.join("\n"), "text/plain", { name: "output" }), null);
    assert.equal(await describeText("A weir holds water back.\n".repeat(50), "text/plain"), null);
    assert.equal(await describeText("fn main() {}\n".repeat(50), "text/x-rust"), null);
  });
});

describe("an overview", () => {
  test("is never longer than it may be", async () => {
    const wide = Array.from({ length: 90 }, (_, column) => `column with a long name ${column}`).join(",");
    const text = `${wide}\n${Array.from({ length: 90 }, (_, value) => value).join(",")}\n`;
    for (const maxChars of [300, 1_000, 4_000]) {
      const lines = await describeText(text.repeat(3), "text/csv", { maxChars });
      assert.ok((lines?.join("\n").length ?? 0) <= maxChars);
      assert.match(lines?.[0] ?? "", /^Table of/);
    }
  });
});
