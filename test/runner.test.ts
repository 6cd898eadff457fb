import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openRunner, runnerDialects, runnerModels } from "./runner.ts";
import { resultsIn } from "./scripted.ts";

describe("spillway run", () => {
  for (const dialect of runnerDialects) {
    test(`answers a task with its tools through ${dialect}`, async () => {
      await using runner = await openRunner({
        script: (request, of) => {
          const [result] = resultsIn(request, of);
          if (result === undefined) {
            const calls = [
              { tool: "fetch_content", input: { url: "one.txt" } },
              { tool: "fetch_content", input: { url: "two.txt" } },
            ];
            return { text: "I will look.", calls };
          }
          return { text: `It says: ${/heron \d+/.exec(result)?.[0]}` };
        },
      });
      await runner.write("one.txt", "the heron 41 stands there");
      await runner.write("two.txt", "nothing here");
      const ran = await runner.run(["run", "What does it say?", "--model", runnerModels[dialect]]);
      assert.equal(ran.err.includes("sk-sim"), false);
      assert.equal(ran.out, "I will look.\nIt says: heron 41\n");
      assert.equal(ran.status, 0);
      for (const name of ["one", "two"])
        assert.match(ran.err, new RegExp(`\\n {2}fetch_content ${name}\\.txt -> \\d+ chars\\n`));
      assert.match(ran.err, /Done\.\n2 steps, 2 tool calls, [\d,]+ tokens in, \d+ out, 2 requests/);
    });
  }
});
