/** How runs end and how they are resumed, in every dialect. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { continuePrompts } from "../src/answer/runner-texts.ts";
import { openRunner, type RunnerDialect, runnerDialects, runnerEnvironment, runnerModels } from "./runner.ts";
import { findResults, type Script, type ScriptedAnswer } from "./scripted.ts";
import { letEventsHappen } from "./waiting.ts";

/** Gives one answer after the other, whatever the request. */
function answerInTurn(...answers: readonly ScriptedAnswer[]): Script {
  let index = 0;
  return () => answers[index++] ?? { text: "Nothing more." };
}

const task = ["run", "What does it say?", "--model"] as const;
const quickRetries = { SPILLWAY_RUNNER_RETRY_WAIT: "1ms" };

/** The request as it was sent, without the backslashes of JSON. */
const requestText = ({ json }: { readonly json: string } = { json: "" }): string => json.replaceAll("\\", "");

function inEveryDialect(name: string, check: (dialect: RunnerDialect, model: string) => Promise<void>): void {
  for (const dialect of runnerDialects) test(`${name} (${dialect})`, () => check(dialect, runnerModels[dialect]));
}

describe("an incomplete answer", () => {
  inEveryDialect("that is cut at the model's limit is kept, and the model is asked to continue", async (_, model) => {
    await using runner = await openRunner({
      script: answerInTurn({ text: "The heron ", ends: "cut" }, { text: "stands." }),
    });
    const { events, status } = await runner.events([...task, model]);
    assert.deepEqual([status, events.at(-1).how], [1, "cut"]);
    const resumed = await runner.run(["run", "--resume", "last"]);
    assert.deepEqual([resumed.status, resumed.out], [0, "stands.\n"], resumed.err);
    const request = requestText(runner.provider.exchanges[1]);
    assert.ok(request.includes(continuePrompts.cut) && request.includes("The heron"), request);
    assert.equal((await runner.run(["run", "--resume", "last"])).status, 2, "the task is answered now");
  });

  inEveryDialect(
    "that ends in the middle is recorded apart from the conversation and requested again",
    async (_, model) => {
      await using runner = await openRunner({
        script: answerInTurn({ text: "The her", ends: "in the middle" }, { text: "The heron stands." }),
      });
      const result = await runner.run([...task, model]);
      assert.deepEqual([result.status, runner.provider.exchanges.length], [1, 1], result.err);
      assert.match(result.err, /spillway: \w+ broke off: .*without a finish/);
      const lines = (await runner.transcript()) ?? [];
      assert.deepEqual(
        lines.map((line) => (line.type === "message" ? line.message.role : line.type)),
        ["run", "user", "partial", "end"],
      );
      const resumed = await runner.run(["run", "--resume", "last"]);
      assert.deepEqual([resumed.status, resumed.out], [0, "The heron stands.\n"], resumed.err);
      assert.equal(runner.provider.exchanges[1]?.json, runner.provider.exchanges[0]?.json);
    },
  );

  inEveryDialect("that ends before its first word is retried at once", async (_, model) => {
    await using runner = await openRunner({
      script: answerInTurn({ ends: "in the middle" }, { text: "The heron stands." }),
    });
    const result = await runner.run([...task, model], quickRetries);
    assert.deepEqual([result.status, result.out], [0, "The heron stands.\n"], result.err);
    assert.match(result.err, /2 requests: 1 retried/);
  });

  inEveryDialect("without words does not count as an answer, and the run can be resumed", async (_, model) => {
    await using runner = await openRunner({ script: answerInTurn({ text: " " }, { text: "The heron stands." }) });
    const { events, status, err } = await runner.events([...task, model]);
    assert.deepEqual([status, events.at(-1).how], [1, "empty"], err);
    const resumed = await runner.run(["run", "--resume", "last"]);
    assert.deepEqual([resumed.status, resumed.out], [0, "The heron stands.\n"], resumed.err);
  });

  test("is named in the summary", async () => {
    await using runner = await openRunner({ script: answerInTurn({ text: "" }, { text: "The", ends: "cut" }) });
    assert.match((await runner.run([...task, "sim:sim-1"])).err, /\nThe model gave no answer\.\n[\s\S]*Continue: /);
    assert.match(
      (await runner.run(["run", "--resume", "last"])).err,
      /\nThe model stopped before its answer was complete\./,
    );
  });

  test("is recognised even if the process was killed before it recorded the ending", async () => {
    await using runner = await openRunner({ script: answerInTurn({ text: "The", ends: "cut" }, { text: "heron." }) });
    await runner.run([...task, "sim:sim-1"]);
    await withoutLastLine((await runner.transcriptPath()) ?? "");
    assert.equal((await runner.run(["run", "--resume", "last"])).out, "heron.\n");
    await withoutLastLine((await runner.transcriptPath()) ?? "");
    assert.match((await runner.run(["run", "--resume", "last"])).err, /This run has answered its task/);
  });
});

async function withoutLastLine(path: string): Promise<void> {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  assert.equal(JSON.parse(lines.at(-1) ?? "").type, "end");
  await writeFile(path, `${lines.slice(0, -1).join("\n")}\n`);
}

describe("a resumed run", () => {
  const busy = { status: 500, body: "{}" };

  test("uses its first model unless another is named", async () => {
    await using runner = await openRunner({ always: busy });
    const models = () => runner.provider.exchanges.map(({ json }) => JSON.parse(json).model);
    const env = { SPILLWAY_RUNNER_MODEL: "sim:other", SPILLWAY_RUNNER_RETRIES: "0" };
    await runner.run([...task, "sim:mine"], env);
    await runner.run(["run", "--resume", "last"], env);
    await runner.run(["run", "--resume", "last", "--model", "sim:third"], env);
    assert.deepEqual(models(), ["mine", "mine", "third"]);
  });

  test("ignores a blank task", async () => {
    await using runner = await openRunner({
      instead: (index) => (index === 0 ? error(401) : undefined),
      script: answerInTurn({ text: "Yes." }),
    });
    await runner.run([...task, "sim:sim-1"]);
    const resumed = await runner.run(["run", "--resume", "last", "  "]);
    assert.equal(resumed.out, "Yes.\n", resumed.err);
    assert.equal(runner.provider.exchanges[1]?.json, runner.provider.exchanges[0]?.json);
    assert.equal((await runner.run(["run", "--resume", "last", "  "])).status, 2);
  });

  test("reads only files of the folder it began in, wherever it is resumed", async () => {
    const outside = "../outside.txt";
    await using runner = await openRunner({
      instead: (index) => (index === 0 ? error(401) : undefined),
      script: (request, dialect) => {
        const results = findResults(request, dialect);
        const calls = ["a.txt", outside, "/etc/passwd"].map((url) => ({ tool: "fetch_content", input: { url } }));
        return results.length === 0 ? { calls } : { text: JSON.stringify(results) };
      },
    });
    await runner.write("a.txt", "the heron 41 stands there");
    await writeFile(join(runner.work, outside), "the secret");
    await runner.run([...task, "sim:sim-1"]);
    const elsewhere = join(runner.home, "elsewhere");
    await mkdir(elsewhere, { recursive: true });
    const { out, err } = await runner.run(["run", "--resume", "last"], {}, { cwd: elsewhere });
    const [inside = "", ...refused]: string[] = JSON.parse(out || "[]");
    assert.match(inside, /heron 41/, err);
    assert.equal(refused.length, 2);
    for (const result of refused) assert.doesNotMatch(result, /the secret|root:/);
    for (const result of refused) assert.match(result, /outside|not read|allow/i);
  });

  test("prints its summary last after Ctrl-C, as JSON", async () => {
    await using runner = await openRunner({
      script: answerInTurn({ text: "I will look. ".repeat(20) }),
      afterChunk: letEventsHappen,
    });
    const stop = new AbortController();
    const onOut = (text: string) => void (text.includes('"text"') && stop.abort());
    const { events, status, err } = await runner.events([...task, "sim:sim-1"], {}, { signal: stop.signal, onOut });
    assert.deepEqual([status, err], [130, ""]);
    assert.deepEqual([events.at(-1).type, events.at(-1).how], ["summary", "interrupted"]);
  });
});

const error = (status: number) => ({ status, body: '{"error":{"message":"no"}}' });

describe("a run as a process", { skip: process.platform === "win32" && "it needs a POSIX shell" }, () => {
  const command = join(import.meta.dirname, "..", "src", "surfaces", "cli", "process.ts");

  /** Runs the real command in a shell, with these redirections. */
  async function runInShell(redirections: string) {
    await using runner = await openRunner({
      script: answerInTurn(
        { text: "Look. ", calls: [{ tool: "fetch_content", input: { url: "a.txt" } }] },
        { text: "It stands. ".repeat(500) },
      ),
    });
    const env = {
      PATH: process.env.PATH,
      HOME: runner.home,
      SPILLWAY_HOME: runner.home,
      ...runnerEnvironment(runner.provider.url),
    };
    const commandLine = `"${process.execPath}" "${command}" run Hello? --model sim:sim-1 ${redirections}`;
    const shell = spawn("bash", ["-c", commandLine], { cwd: runner.work, env, stdio: ["ignore", "pipe", "pipe"] });
    let err = "";
    shell.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const [status] = await once(shell, "close");
    return { status, err, last: (await runner.transcript())?.at(-1) };
  }

  test("continues when standard error is closed", async () => {
    const { status, last } = await runInShell("2> >(head -c1 >/dev/null) >/dev/null");
    assert.deepEqual([status, last?.type === "end" && last.how], [0, "answered"]);
  });

  test("stops cleanly with an error when its answer cannot be written", async () => {
    const { status, err, last } = await runInShell(">/dev/full");
    assert.equal(status, 1);
    assert.match(err, /spillway: standard output cannot be written to \(ENOSPC\)\./);
    assert.deepEqual(last?.type === "end" && last.how, "interrupted");
  });
});

describe("the events of a run", () => {
  const readStory = async (runner: Awaited<ReturnType<typeof openRunner>>) => {
    const { out } = await runner.run(["events", "story", "--json"]);
    return out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };

  test("record each retry and why the run failed", async () => {
    await using runner = await openRunner({ always: error(503) });
    await runner.run([...task, "sim:sim-1"], { ...quickRetries, SPILLWAY_RUN: "story", SPILLWAY_RUNNER_RETRIES: "2" });
    const events = await readStory(runner);
    const retryEvents = events.filter(({ event }) => event === "run.retried");
    assert.deepEqual(
      retryEvents.map(({ step, attempt, reason }) => [step, attempt, reason]),
      [
        [1, 1, "503"],
        [1, 2, "503"],
      ],
    );
    const { how, error: code, retries } = events.find(({ event }) => event === "run.ended");
    assert.deepEqual([how, code, retries], ["failed", "provider_refused", 2]);
  });

  test("count a retry when it is sent, not when it is planned", async () => {
    await using runner = await openRunner({ always: { ...error(503), headers: { "retry-after": "30" } } });
    const stop = new AbortController();
    const onOut = (text: string) => void (text.includes('"retry"') && stop.abort());
    const { events } = await runner.events([...task, "sim:sim-1"], {}, { signal: stop.signal, onOut });
    const { how, requests, retries, error: code } = events.at(-1);
    assert.deepEqual([how, requests, retries, code], ["interrupted", 1, 0, null]);
  });
});

describe("the limits of a run", () => {
  test("apply also if the provider reports no token usage", async () => {
    let calls = 0;
    const script: Script = () => ({
      calls: [{ tool: "fetch_content", input: { url: `data:,${calls++}` } }],
      uncounted: true,
    });
    await using runner = await openRunner({ script });
    const { events } = await runner.events([...task, "sim:sim-1"], { SPILLWAY_RUNNER_TOKENS: "8000" });
    const { how, tokens_in, tokens_out, steps } = events.at(-1);
    assert.equal(how, "tokens");
    assert.ok(steps < 20 && tokens_in > 1_000 && tokens_out > 0, JSON.stringify(events.at(-1)));
  });

  test("give a turn at most a quarter of a known window", async () => {
    await using runner = await openRunner({
      script: (request, dialect) => {
        const results = findResults(request, dialect);
        return results.length === 0
          ? { calls: [{ tool: "fetch_content", input: { url: "a.txt" } }] }
          : { text: String(results[0]?.length) };
      },
    });
    await runner.write("a.txt", "heron ".repeat(10_000));
    const { out } = await runner.run([...task, "sim:sim-1"], { SPILLWAY_OVERFLOW_LIMITS: "sim-1=8000" });
    assert.ok(Number(out) > 4_000 && Number(out) <= 8_000, out);
  });

  test("and neither the model nor a limit can be set by a project", async () => {
    await using runner = await openRunner({});
    await runner.write(".spillway/config.jsonc", '{ "runner": { "model": "sim:theirs" } }');
    const result = await runner.run(task.slice(0, -1));
    assert.equal(result.status, 2);
    assert.match(result.err, /config\.jsonc.*runner\.model may not be set by a project[\s\S]*No model was named/);
    assert.equal(runner.provider.exchanges.length, 0);
  });
});
