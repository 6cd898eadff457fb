import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import {
  researchAnswer,
  researchScript,
  researchSources,
  researchSteps,
  researchTask,
  researchWindowTokens,
  researchWordings,
  runNaively,
} from "./research.ts";
import { openRunner, runnerDialects, runnerModels } from "./runner.ts";

const overflowError =
  /maximum context length|exceeds the context window|prompt is too long|exceed context limit|exceeds the maximum number of tokens/;

describe(`a research run of ${researchSteps} steps inside ${researchWindowTokens} tokens`, () => {
  for (const dialect of runnerDialects) {
    const provider = {
      script: researchScript,
      windowTokens: researchWindowTokens,
      wording: researchWordings[dialect],
    };

    test(`finds every fact, and sends no invalid request and none a third time (${dialect})`, async () => {
      await using runner = await openRunner(provider);
      for (const { file, bytes } of researchSources) await runner.write(file, bytes);
      const argv = ["run", researchTask, "--model", runnerModels[dialect]];
      const { events, status, err } = await runner.events(argv, { SPILLWAY_RUN: "research" });
      assert.equal(status, 0, err);
      const steps = events.filter(({ type }) => type === "step");
      assert.equal(steps.length, researchSteps);
      assert.ok(steps.every(({ requests }) => requests <= 2));
      const searches = events.filter(({ tool }) => tool === "search_code");
      assert.deepEqual([searches.length, searches.some(({ is_error }) => is_error)], [5, false]);
      const text = events.filter(({ type, step }) => type === "text" && step === researchSteps);
      assert.equal(text.map((event) => event.text).join(""), researchAnswer);
      for (const { status: code, refusal = "" } of runner.provider.exchanges)
        if (code !== 200) assert.match(refusal, overflowError);
      await assertRefsReadable(runner, events.at(-1).transcript);
    });

    test(`overflows without recovery (${dialect})`, async () => {
      await using runner = await openRunner(provider);
      const { failure, steps, answer } = await runNaively(dialect, runner.provider.url);
      assert.match(String(failure), overflowError);
      assert.ok(steps < 10 && answer !== researchAnswer);
    });
  }
});

async function assertRefsReadable(runner: Awaited<ReturnType<typeof openRunner>>, transcript: string): Promise<void> {
  const sent = runner.provider.exchanges.map(({ json }) => json).join("\n");
  const refs = new Set(`${await readFile(transcript, "utf8")}${sent}`.match(/\baf_[0-9a-f]{32}\b/g));
  assert.ok(refs.size >= researchSources.length);
  for (const ref of refs) {
    const { out, status } = await runner.run(["read", ref, "--max-chars", "1000"]);
    assert.ok(status === 0 && out.length > 100, ref);
  }
}
