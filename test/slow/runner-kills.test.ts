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
import { soakCount } from "../soak.ts";

const KILLS = soakCount({ sample: 8, full: 50 });
const command = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "process.ts");

/** The dialects take turns, so that the transcript stores the signatures of each. */
const lanes: readonly RunnerDialect[] = ["anthropic-messages", "gemini", "openai-responses", "openai-chat"];

test(`--resume continues after ${KILLS} kills at random moments: nothing is lost, nothing is sent twice`, async (t) => {
  let killCount = 0;
  for (let lane = 0; killCount < KILLS; lane++)
    killCount += await killedRun(lanes[lane % lanes.length] ?? "gemini", KILLS - killCount);
  t.diagnostic(`${killCount} kills`);
  assert.equal(killCount, KILLS);
});

type Kill = { readonly starting: boolean };

/** Runs one research task, killed again and again until it has answered. Returns the number of kills. */
async function killedRun(dialect: RunnerDialect, maxKills: number): Promise<number> {
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
  const { exchanges } = runner.provider;
  const requestsAtKill: number[] = [];
  let storedText = "";
  let startMs = 1_000;

  /** Runs one process until it ends or is killed: at any moment after its first output, or while it starts. */
  async function runProcess(
    argv: readonly string[],
    kill: Kill | undefined,
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
    const startedAt = performance.now();
    if (kill?.starting) await Promise.race([wait(randomInt(Math.ceil(startMs))), closed]);
    else await Promise.race([ready, closed]);
    if (err !== "") startMs = performance.now() - startedAt;
    if (kill !== undefined) {
      if (!kill.starting) await Promise.race([wait(randomInt(700)), closed]);
      child.kill("SIGKILL");
    }
    const [code] = await closed;
    // After a kill between the answer and the exit, nothing is left to do.
    const isAnswered = code === 2 && /This run has answered its task/.test(err);
    assert.ok(code === null || code === 0 || isAnswered, err);
    return isAnswered ? { out: await lastAnswer(), code: 0 } : { out, code };
  }

  async function lastAnswer(): Promise<string> {
    const last = (await runner.transcript())?.findLast((line) => line.type === "message");
    const content = last?.type === "message" && last.message.role === "assistant" ? last.message.content : [];
    return typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  }

  for (;;) {
    const isBegun = (await runner.transcriptPath()) !== undefined;
    assert.ok(isBegun || storedText === "", "a transcript never disappears");
    const argv = isBegun ? ["--resume", "killed"] : [researchTask, "--model", runnerModels[dialect]];
    const starting = requestsAtKill.length % 3 === 0;
    const { out, code } = await runProcess(argv, requestsAtKill.length < maxKills ? { starting } : undefined);
    const path = await runner.transcriptPath();
    const [before, now] = [storedText, path === undefined ? "" : wholeLines(await readFile(path, "utf8"))];
    assert.ok(now.startsWith(before), "stored lines never change");
    storedText = now;
    if (code === 0) {
      assert.equal(out.trim().split("\n").at(-1), researchAnswer);
      break;
    }
    requestsAtKill.push(exchanges.length);
  }
  assertNothingTwice(
    exchanges.map(({ json }) => json),
    requestsAtKill,
  );
  return requestsAtKill.length;
}

const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf("\n") + 1);

/** Only the step that a kill interrupted is sent again: at most the two requests before that kill. */
function assertNothingTwice(bodies: readonly string[], requestsAtKill: readonly number[]): void {
  const first = new Map<string, number>();
  for (const [index, body] of bodies.entries()) {
    const before = first.get(body);
    if (before !== undefined) {
      const isInterrupted = requestsAtKill.some((mark) => before < mark && before >= mark - 2 && mark <= index);
      assert.ok(isInterrupted, `request ${index} is the same as ${before}, whose answer was stored`);
    }
    first.set(body, index);
  }
}
