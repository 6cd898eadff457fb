import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  researchAnswer,
  researchScript,
  researchSources,
  researchTask,
  researchWindowTokens,
  researchWordings,
} from "../research.ts";
import { openRunner, type RunnerDialect, runnerEnvironment, runnerModels } from "../runner.ts";

const kills = 50;
const command = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "process.ts");

/** The dialects take turns, so that the signatures of each go through the transcript. */
const lanes: readonly RunnerDialect[] = ["anthropic-messages", "gemini", "openai-responses", "openai-chat"];

test(`${kills} kills at random moments: --resume goes on, nothing is lost, nothing is sent twice`, {
  timeout: 900_000,
}, async (t) => {
  let killed = 0;
  for (let lane = 0; killed < kills; lane++)
    killed += await killedRun(lanes[lane % lanes.length] ?? "gemini", kills - killed);
  t.diagnostic(`${killed} kills`);
  assert.equal(killed, kills);
});

/** One research run, killed again and again until it has answered; gives how often it was. */
async function killedRun(dialect: RunnerDialect, mostKills: number): Promise<number> {
  const provider = { script: researchScript, windowTokens: researchWindowTokens, wording: researchWordings[dialect] };
  await using runner = await openRunner(provider);
  for (const { file, bytes } of researchSources) await runner.write(file, bytes);
  const env = {
    PATH: process.env.PATH,
    HOME: runner.home,
    SPILLWAY_HOME: runner.home,
    SPILLWAY_RUN: "killed",
    ...runnerEnvironment(runner.provider.url),
  };
  const { seen } = runner.provider;
  const marks: number[] = [];
  let stored = "";

  async function life(
    argv: readonly string[],
    killAfterMs: number | undefined,
  ): Promise<{ out: string; code: number | null }> {
    const child = spawn(process.execPath, [command, "run", ...argv], {
      cwd: runner.work,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const ready = once(child.stderr, "data");
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const closed = once(child, "close");
    await Promise.race([ready, closed]);
    if (killAfterMs !== undefined) {
      await Promise.race([wait(killAfterMs), closed]);
      child.kill("SIGKILL");
    }
    const [code] = await closed;
    assert.ok(code === null || code === 0, err);
    return { out, code };
  }

  for (;;) {
    const argv = marks.length === 0 ? [researchTask, "--model", runnerModels[dialect]] : ["--resume", "killed"];
    const { out, code } = await life(argv, marks.length < mostKills ? randomInt(700) : undefined);
    const [before, now] = [stored, wholeLines(await readFile(await transcriptOf(runner), "utf8"))];
    assert.ok(now.startsWith(before), "what was stored stays as it was");
    stored = now;
    if (code === 0) {
      assert.equal(out.trim().split("\n").at(-1), researchAnswer);
      break;
    }
    marks.push(seen.length);
  }
  nothingTwice(
    seen.map(({ json }) => json),
    marks,
  );
  return marks.length;
}

const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf("\n") + 1);

const transcriptOf = async (runner: Awaited<ReturnType<typeof openRunner>>): Promise<string> =>
  (await runner.transcriptPath()) ?? assert.fail("there is no transcript");

/** Only the step that a kill broke off is asked again: at most the two requests before that kill. */
function nothingTwice(bodies: readonly string[], marks: readonly number[]): void {
  const first = new Map<string, number>();
  for (const [index, body] of bodies.entries()) {
    const before = first.get(body);
    if (before !== undefined) {
      const brokenOff = marks.some((mark) => before < mark && before >= mark - 2 && mark <= index);
      assert.ok(brokenOff, `request ${index} is the same as ${before}, whose answer was stored`);
    }
    first.set(body, index);
  }
}
