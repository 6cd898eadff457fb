import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { extractOf } from "../../../test/data-text.ts";
import { SpillwayError } from "../../errors.ts";
import { formatPath, type PathStep, parsePath } from "./path-steps.ts";
import { selectPath, selectRows } from "./select-data.ts";

const { signal } = new AbortController();

async function openData(text: string, mediaType: string, segmentChars?: number) {
  const extract = await extractOf(text, segmentChars);
  return { extract, facts: { media_type: mediaType, name: "data" }, signal };
}

async function readRows(text: string, mediaType: string, first: number, last: number | null, segmentChars?: number) {
  const { range, header } = await selectRows(await openData(text, mediaType, segmentChars), { first, last });
  return { rows: text.slice(range.start, range.end), header, label: range.label };
}

async function readPath(text: string, mediaType: string, path: string, segmentChars?: number): Promise<string> {
  const { start, end } = await selectPath(await openData(text, mediaType, segmentChars), parsePath(path));
  return text.slice(start, end);
}

const quote = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const anyCell = fc.string({ unit: fc.constantFrom("a", "7", ",", '"', "\n", "é", "🌊"), maxLength: 6 });
const anyTable = fc.array(fc.array(anyCell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 8 });

describe("rows", () => {
  test("of any table written as CSV are found, however the text arrives", async () => {
    await fc.assert(
      fc.asyncProperty(anyTable, fc.nat(7), fc.integer({ min: 1, max: 9 }), async (table, pick, segmentChars) => {
        const lines = table.map((cells) => cells.map(quote).join(","));
        const text = `name,note\n${lines.join("\n")}\n`;
        const index = pick % lines.length;
        const { rows, header } = await readRows(text, "text/csv", index + 1, index + 1, segmentChars);
        assert.deepEqual([rows, header], [lines[index], "name,note"]);
      }),
    );
  });

  const semicolons = "id;name\r\n1;Heron\r\n2;Tern\r\n\r\n3;Gull\r\n";
  const cases = [
    { name: "separated by semicolons, with blank lines", text: semicolons, type: "text/csv", row: 3, says: "3;Gull" },
    {
      name: "separated by tabs",
      text: "id\tname\n1\tA, B\n2\tC\n",
      type: "text/tab-separated-values",
      row: 2,
      says: "2\tC",
    },
    { name: "without a header", text: "1,2\n3,4\n", type: "text/csv", row: 1, says: "1,2" },
    { name: "of records", text: '{"a":1}\n{"a":2}\n', type: "application/x-ndjson", row: 2, says: '{"a":2}' },
    { name: "with a quote inside a cell", text: 'size,kind\n5" pipe,x\n6,y\n', type: "text/csv", row: 2, says: "6,y" },
    {
      name: "after a quote that never ends",
      text: `a,b\n"x,y\n${"1,2\n".repeat(400_000)}`,
      type: "text/csv",
      row: 3,
      says: "1,2",
    },
  ];
  for (const { name, text, type, row, says } of cases) {
    test(`${name} are counted from 1`, async () => {
      assert.equal((await readRows(text, type, row, row)).rows, says);
    });
  }

  test("of millions of characters have true ends", async () => {
    const long = "x,".repeat(1_500_000);
    const text = `id,name\n1,a\n${long}\n3,c\n${long}`;
    for (const [row, says] of [
      [2, long],
      [3, "3,c"],
      [4, long],
    ] as const)
      assert.ok((await readRows(text, "text/csv", row, row, 64 * 1024)).rows === says, `row ${row}`);
  });

  test("to the end include the last one and say how many there are", async () => {
    const { rows, label } = await readRows("id,name\n1,a\n2,b\n3,c", "text/csv", 2, null);
    assert.deepEqual([rows, label], ["2,b\n3,c", "rows 2-3"]);
  });

  const mistakes = [
    { text: "id,name\n1,a\n", type: "text/csv", row: 5, says: /Row 5 is past the end: there are 1 row\.|there is/ },
    { text: '{"a":1}', type: "application/json", row: 1, says: /data has no rows\./ },
    { text: "Prose about weirs.", type: "text/plain", row: 1, says: /data has no rows\./ },
  ];
  for (const { text, type, row, says } of mistakes) {
    test(`that do not exist in ${type} are an error with a hint`, async () => {
      await assert.rejects(readRows(text, type, row, row), isPlaceError(says));
    });
  }
});

function isPlaceError(says: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SpillwayError && error.code === "place_not_found");
    assert.match(error.message, says);
    assert.notEqual(error.hint, "");
    return true;
  };
}

/** Every path of a JSON value, and what is there. */
function* listPaths(value: unknown, steps: readonly PathStep[] = []): Generator<[readonly PathStep[], unknown]> {
  yield [steps, value];
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* listPaths(item, [...steps, index]);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* listPaths(item, [...steps, key]);
}

describe("a path", () => {
  test("of any JSON text leads to its value, however the text arrives and is indented", async () => {
    const anyJson = fc.json({ maxDepth: 4 }).map((text): unknown => JSON.parse(text));
    await fc.assert(
      fc.asyncProperty(
        anyJson,
        fc.nat(),
        fc.nat(2),
        fc.integer({ min: 1, max: 9 }),
        async (json, pick, indent, size) => {
          const text = JSON.stringify(json, null, indent);
          const paths = [...listPaths(json)].filter(([steps]) => steps.every((step) => step !== ""));
          const [steps, value] = paths[pick % paths.length] ?? [[], json];
          assert.deepEqual(JSON.parse(await readPath(text, "application/json", formatPath(steps), size)), value);
        },
      ),
    );
  });

  const yaml = [
    "# settings",
    "name: harbour",
    "script: |",
    "  open: gate",
    "  - not a list",
    "berths:",
    "- id: 1",
    "  ship: {name: Heron}",
    "- id: 2",
    "  ship:",
    '    "full name": Tern',
    "deep:",
    "  list:",
    "    - a",
    "    - b # the second",
    "none:",
    "last: 'end'",
    "",
  ].join("\n");
  const xml =
    '<?xml version="1.0"?><!-- <a> --><feed><entry id="1"><title>One &amp; all</title></entry>' +
    '<entry id="2"><title><![CDATA[<b>]]></title><x:empty/></entry></feed>';
  const cases = [
    ["application/yaml", yaml, "$.name", "harbour"],
    ["application/yaml", yaml, "$.script", "|\n  open: gate\n  - not a list\n"],
    ["application/yaml", yaml, "$.berths[1].ship", '    "full name": Tern\n'],
    ["application/yaml", yaml, '$.berths[1].ship["full name"]', "Tern"],
    ["application/yaml", yaml, "$.berths[0].ship", "{name: Heron}"],
    ["application/yaml", yaml, "$.deep.list[1]", "b # the second"],
    ["application/yaml", yaml, "$.last", "'end'"],
    ["application/yaml", "a: 1\n---\na: 2\n", "$[1].a", "2"],
    ["application/xml", xml, "$.feed.entry[1].title", "<title><![CDATA[<b>]]></title>"],
    ["application/xml", xml, "$.feed.entry.title", "<title>One &amp; all</title>"],
    ["application/xml", xml, "$.feed.entry[1].@id", '<entry id="2">'],
    ["application/xml", xml, "$.feed.entry[1].empty", "<x:empty/>"],
    ["application/x-ndjson", '{"a":1}\n{"a":[2]}\n', "$[1].a[0]", "2"],
    ["application/json", '// a comment\n{"a": /* b */ [1, 2,], "c": "d"}', "$.c", '"d"'],
    ["application/json", '{"a":1}', "$", '{"a":1}'],
    ["application/json", '{"odd \\"key\\"": 5}', '$["odd \\"key\\""]', "5"],
  ] as const;
  for (const [type, text, path, says] of cases) {
    test(`${path} of ${type} leads to ${JSON.stringify(says)}`, async () => {
      for (const segmentChars of [1, 7, text.length])
        assert.equal(await readPath(text, type, path, segmentChars), says);
    });
  }

  const misses = [
    ['{"a":{"b":1,"c":2}}', "$.a.x", "Try one of: $.a.b, $.a.c."],
    ['{"a":[1,2,3]}', "$.a[3]", "$.a is an array: use $.a[0] to $.a[2]."],
    ['{"a":[]}', "$.a[0]", "$.a is an empty array."],
    ['{"a":1}', "$.a.b", "$.a is a single value; read that path."],
    ["", "$.a", "The text has no values; read it by lines."],
  ] as const;
  for (const [text, path, hint] of misses) {
    test(`${path} of ${text} says how far it leads`, async () => {
      await assert.rejects(readPath(text, "application/json", path), { code: "place_not_found", hint });
    });
  }

  test("of XML that leads nowhere names each element once", async () => {
    await assert.rejects(readPath(xml, "application/xml", "$.feed.entri"), {
      hint: "Try one of: $.feed.entry and more.",
    });
  });

  for (const path of ["$.a[", "a b", "$..a", "$.a[x]", "$[-1]"]) {
    test(`${path} is not a path, and the hint shows one`, () => {
      assert.throws(() => parsePath(path), { code: "selector_invalid", hint: /\$\.items\[3\]\.name/ });
    });
  }

  test("in a text that nests without end is an error, not a crash", async () => {
    await assert.rejects(readPath("[".repeat(100_000), "application/json", "$.a"), isPlaceError(/nests deeper/));
    await assert.rejects(readPath("<a>".repeat(100_000), "application/xml", "$.b"), isPlaceError(/nests deeper/));
    await assert.rejects(readPath("- ".repeat(5_000), "application/yaml", "$.a"), isPlaceError(/nests deeper|nothing/));
  });
});
