import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../../test/cpu-time.ts";
import { createRequestFinder } from "./find-requests.ts";

/** The ids found in a text that arrives in chunks of this size. */
function find(text: string, chunkBytes = text.length): readonly unknown[] {
  const finder = createRequestFinder();
  const bytes = Buffer.from(text, "utf8");
  for (let start = 0; start < bytes.length; start += chunkBytes) finder.push(bytes.subarray(start, start + chunkBytes));
  return finder.finish();
}

describe("finding requests in a line", () => {
  const cases: readonly { name: string; line: string; ids: readonly unknown[] }[] = [
    { name: "id first", line: '{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":[1,{"id":8}]}}', ids: [7] },
    { name: "id last", line: '{"jsonrpc":"2.0","method":"x","params":{"id":8,"b":"}"},"id" : 7}', ids: [7] },
    { name: "id as text", line: '{"id":"a\\"b","method":"x"}', ids: ['a"b'] },
    { name: "negative id", line: '{"method":"x","id":-3 }', ids: [-3] },
    { name: "id with a fraction", line: '{"method":"x","id":1.5,"params":{', ids: [1.5] },
    { name: "id in the arguments only", line: '{"method":"x","params":{"id":8}}', ids: [] },
    { name: "the word id as a value", line: '{"method":"id","params":"id","x":5}', ids: [] },
    { name: "response", line: '{"id":7,"result":{"method":"x"}}', ids: [] },
    {
      name: "batch",
      line: '[{"id":1,"method":"x"},{"method":"y"},{"params":[{}],"method":"z","id":"two"}]',
      ids: [1, "two"],
    },
    { name: "line that breaks off", line: '{"id":7,"method":"x","params":{"text":"and th', ids: [7] },
    { name: "broken JSON", line: '{"id":7,"method":"x","params":{oops]}', ids: [7] },
    { name: "id that is not allowed", line: '{"id":{"a":1},"method":"x"}', ids: [] },
    { name: "id without end", line: `{"id":"${"x".repeat(500)}","method":"x"}`, ids: [] },
    { name: "not an object", line: 'nonsense "id":7,"method"', ids: [] },
  ];
  for (const { name, line, ids } of cases) {
    test(name, () => {
      for (const chunkBytes of [1, 2, 7, line.length]) assert.deepEqual(find(line, chunkBytes), ids);
    });
  }

  test("costs no more than its length", async () => {
    await assertLinearTime(40_000, (count) =>
      find(`{"a":[${'"a\\\\","b",'.repeat(count)}],"method":"x","id":7}`, 65_536),
    );
  });

  test("deep nesting and many requests need no more memory than their ids", () => {
    assert.deepEqual(find(`{"method":"x","params":${"[".repeat(100_000)}${"]".repeat(100_000)},"id":7}`), [7]);
    assert.equal(find(`[${'{"id":1,"method":"x"},'.repeat(5_000)}]`).length, 1_000);
  });
});
