import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

/** What the young generation takes in a process that has kept many objects alive. */
function measureYoung(statements: string): number {
  const program = `
    import { setImmediate as nextTurn } from "node:timers/promises";
    import { getHeapSpaceStatistics } from "node:v8";
    import { boundYoungGeneration } from ${JSON.stringify(new URL("young-generation.ts", import.meta.url).href)};
    ${statements}
    const kept = [];
    for (let round = 0; round < 300; round++) {
      kept.push(Array.from({ length: 10_000 }, (_, index) => ({ round, index })));
      if (kept.length > 30) kept.shift();
      await nextTurn();
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

test("the young generation of a process stays small however many objects live on", () => {
  const [free, bounded] = [measureYoung(""), measureYoung("boundYoungGeneration();")];
  assert.ok(bounded <= 36_000_000, `${bounded} bytes`);
  assert.ok(free > bounded, `${free} bytes`);
});

test("it grows as before once the bound is lifted", () => {
  const grown = measureYoung("boundYoungGeneration()[Symbol.dispose]();");
  assert.ok(grown > 36_000_000, `${grown} bytes`);
});
