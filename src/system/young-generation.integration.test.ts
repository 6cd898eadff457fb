import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeTemporaryFolder } from "../../test/bodies.ts";

/** What the young generation takes in a process after these statements, in which `grow` keeps many objects alive. */
function measureYoung(statements: string, flags: readonly string[] = []): number {
  const program = `
    import { setImmediate as nextTurn } from "node:timers/promises";
    import { getHeapSpaceStatistics } from "node:v8";
    import { boundYoungGeneration } from ${JSON.stringify(new URL("young-generation.ts", import.meta.url).href)};
    const measure = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
    async function grow() {
      const kept = [];
      for (let round = 0; round < 300; round++) {
        kept.push(Array.from({ length: 10_000 }, (_, index) => ({ round, index })));
        if (kept.length > 30) kept.shift();
        await nextTurn();
      }
    }
    ${statements}
    console.log(measure());`;
  const args = [...flags, "--input-type=module", "--eval", program];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

const MAX_BOUNDED_BYTES = 36_000_000;
/** V8 takes its time. */
const growUntilUnbounded = `for (let turn = 0; turn < 30 && measure() <= ${MAX_BOUNDED_BYTES}; turn++) await grow();`;

test("the young generation of a process stays small however many objects live on", () => {
  const [free, bounded] = [measureYoung("await grow();"), measureYoung("boundYoungGeneration(); await grow();")];
  assert.ok(bounded <= MAX_BOUNDED_BYTES, `${bounded} bytes`);
  assert.ok(free > bounded, `${free} bytes`);
});

test("it grows as before once the bound is lifted", () => {
  const lifted = "{ using bound = boundYoungGeneration(); await grow(); }";
  const grown = measureYoung(`${lifted} ${growUntilUnbounded}`);
  assert.ok(grown > MAX_BOUNDED_BYTES, `${grown} bytes`);
});

test("a size that the user has set is not changed", () => {
  const grown = measureYoung(`boundYoungGeneration(); ${growUntilUnbounded}`, ["--max-semi-space-size=64"]);
  assert.ok(grown > MAX_BOUNDED_BYTES, `${grown} bytes`);
});

for (const command of ["mcp", "serve"]) {
  test(`spillway ${command} bounds it`, async () => {
    await using folder = await makeTemporaryFolder();
    // The bound depends on reports of the garbage collector: nothing else asks for them.
    const recorder = join(folder.path, "recorder.mjs");
    writeFileSync(
      recorder,
      `import { PerformanceObserver } from "node:perf_hooks";
       const { observe } = PerformanceObserver.prototype;
       PerformanceObserver.prototype.observe = function (options) {
         if (options.entryTypes?.includes("gc")) process.stderr.write("observes gc\\n");
         return observe.call(this, options);
       };`,
    );
    const program = join(import.meta.dirname, "../surfaces/cli/process.ts");
    const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") };
    const args = ["--import", pathToFileURL(recorder).href, program, command];
    const child = spawn(process.execPath, [...args, ...(command === "serve" ? ["--set", "serve.port=0"] : [])], {
      env,
      cwd: folder.path,
    });
    let notes = "";
    child.stderr.on("data", (text) => {
      notes += text;
      if (notes.includes("observes gc")) child.kill();
    });
    child.stdout.resume();
    if (command === "mcp") child.stdin.end();
    else child.stdout.once("data", () => setImmediate(() => child.kill()));
    await once(child, "close");
    assert.match(notes, /observes gc/);
  });
}
