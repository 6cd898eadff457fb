/** The judge of the runs with real clients: every way in which a client could spoil our replies is seen. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decide, type SeenRequest } from "./slow/client-model.ts";
import { findFaults, measureRun, sampleLine } from "./slow/client-report.ts";

const lines = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => sampleLine(first + index)).join("\n");

const LINE_CHARS = sampleLine(1).length + 1;
const ref = `af_${"0".repeat(32)}`;
const short = `artifact_ref=${ref}\nA weir is a barrier.`;
const long = `Read on: read_artifact artifact_ref=${ref} offset=${10 * LINE_CHARS}\n${lines(1, 10)}`;
const next = lines(11, 20);

const requests = (...results: string[]): SeenRequest[] => [{ tools: [], results }];

describe("a run is judged", () => {
  for (const [name, results, faults] of [
    ["as it should be", [short, long, next], []],
    ["with a line cut in two", [short, long, next.replace("sample 00011", "11")], []],
    ["with a reply that is missing", [short], ["the model did not get both files"]],
    ["with both forms", [short + short, long, next], ["content arrives twice"]],
    ["with a long reply in both forms", [short, long + lines(1, 10), next], ["content arrives twice"]],
    [
      "without its middle",
      [short, long.replace(sampleLine(5), "..."), next],
      ["the client removed the middle of a reply"],
    ],
    ["over the limit", [short, long + " ".repeat(900), next], ["a reply is over the client's limit"]],
    [
      "with text lost before the offset",
      [short, long.replace(lines(7, 10), ""), next],
      ["the next offset is not where the text ends", "the next call does not continue there"],
    ],
    ["with a next part from elsewhere", [short, long, lines(14, 20)], ["the next call does not continue there"]],
    ["without a next part", [short, long], ["the next call does not continue there"]],
  ] as const) {
    test(name, () => {
      assert.deepEqual(findFaults(requests(...results), { chars: 1_000 }), faults);
    });
  }

  test("and measured up to the first line that is missing", () => {
    const measures = measureRun(requests(short, long.replace(sampleLine(5), ""), next));
    assert.equal(measures.lines, 4);
    assert.ok(measures.long > measures.short && measures.short > 0);
  });
});

describe("the scripted model", () => {
  const tools = ["x__spillway__fetch_content", "x__spillway__read_artifact"].map((name) => ({ name, definition: "" }));
  const ask = (results: string[], offered = tools) => decide({ tools: offered, results });

  test("reads both files, and then on where the long one was cut", () => {
    assert.deepEqual(ask([]).calls?.[0]?.input, { url: "short.txt" });
    assert.equal(ask([short]).calls?.[0]?.input.url, "long.txt");
    const readOn = { tool: "x__spillway__read_artifact", input: { artifact_ref: ref, offset: 10 * LINE_CHARS } };
    assert.deepEqual(ask([short, long]).calls, [readOn]);
    assert.deepEqual(ask([short, long, next]), { text: "All is read." });
  });

  test("searches for tools that are not listed, uses what a result describes, and ends in time", () => {
    const search = [{ name: "ToolSearch", definition: "" }];
    assert.equal(ask([], search).calls?.[0]?.tool, "ToolSearch");
    assert.equal(
      ask(['{"name":"mcp__spillway__fetch_content"}'], search).calls?.[0]?.tool,
      "mcp__spillway__fetch_content",
    );
    assert.equal(ask(Array(9).fill("nothing"), search).calls, undefined);
    assert.equal(ask([], []).calls, undefined);
  });
});
