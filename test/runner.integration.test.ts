import assert from "node:assert/strict";
import { appendFile, glob, readFile, stat, writeFile } from "node:fs/promises";
import * as http from "node:http";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { INTERRUPTED_CALL_RESULT, UNREADABLE_CALL_RESULT } from "../src/answer/runner-texts.ts";
import { takeLock } from "../src/system/lock.ts";
import { makeCertificate } from "./certificate.ts";
import { startProxy } from "./forward-proxy.ts";
import type { ServedProviderOptions } from "./provider.ts";
import { openRunner, runnerDialects, runnerModels } from "./runner.ts";
import { findResults, type Script, type ScriptedCall } from "./scripted.ts";
import { startServer } from "./server.ts";
import { controlTimeouts } from "./timeouts.ts";
import { letEventsHappen } from "./waiting.ts";

const sim = ["run", "What does it say?", "--model", "sim:sim-1"] as const;

/** Fetches one file, then answers with what it found there. */
const fetchOnce: Script = (request, dialect) => {
  const [result] = findResults(request, dialect).filter((text) => !text.includes(INTERRUPTED_CALL_RESULT));
  if (result === undefined)
    return { text: "I will look.", calls: [{ tool: "fetch_content", input: { url: "a.txt" } }] };
  return { text: `It says: ${/heron \d+/.exec(result)?.[0]}` };
};

async function openWithFile(options: ServedProviderOptions = {}) {
  const runner = await openRunner({ script: fetchOnce, ...options });
  await runner.write("a.txt", "the heron 41 stands there");
  return runner;
}

const error = (status: number, headers: Record<string, string> = {}) => ({
  status,
  body: '{"error":{"message":"busy"}}',
  headers,
});

/** An error as the first event of a stream, or after other events. */
const brokenStream = (before = "") => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: `${before}data: {"error":{"message":"The server is overloaded","type":"server_error","code":"overloaded"}}\n\n`,
});

const firstWord =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"sim-1","choices":[{"index":0,"delta":{"content":"Well"},"finish_reason":null}]}\n\n';

describe("spillway run", () => {
  for (const dialect of runnerDialects) {
    test(`answers a task with parallel tool calls, and can be resumed (${dialect})`, async () => {
      await using runner = await openRunner({
        script: (request, of) => {
          const results = findResults(request, of);
          const calls = ["a.txt", "b.txt"].map((url) => ({ tool: "fetch_content", input: { url } }));
          if (results.length === 0) return { text: "I will look.", calls };
          return { text: `It says: ${results.map((text) => /heron \d+/.exec(text)?.[0]).join(", ")}` };
        },
      });
      await runner.write("a.txt", "the heron 41 stands there");
      await runner.write("b.txt", "heron 42 too");
      const result = await runner.run(["run", "What does it say?", "--model", runnerModels[dialect]]);
      assert.deepEqual([result.out, result.status], ["I will look.\nIt says: heron 41, heron 42\n", 0], result.err);
      for (const name of ["a", "b"])
        assert.match(result.err, new RegExp(`\n {2}fetch_content ${name}\\.txt -> \\d+ chars\n`));
      assert.match(result.err, /Done\.\n2 steps, 2 tool calls, [\d,]+ tokens in, \d+ out\n2 requests: 0 retried/);
      const resumed = await runner.run(["run", "--resume", "last", "And now?"]);
      assert.deepEqual([resumed.out, resumed.status], ["It says: heron 41, heron 42\n", 0], resumed.err);
      assert.ok(runner.provider.exchanges.every(({ status }) => status === 200));
    });
  }

  test("prints each call on one line, also a failed one, and removes escape sequences", async () => {
    await using runner = await openRunner({
      script: (request, dialect) =>
        findResults(request, dialect).length > 0
          ? { text: "\u001b[2JDone\u0007.\u202e" }
          : {
              calls: [
                { tool: "fetch_content", input: { urls: ["a.txt", "b.txt"], maxChars: 2_000 } },
                { tool: "fetch_content", input: { url: "\u001b[31mnorth\nsouth" } },
                { tool: "open_\u001b[2Jgate", input: { gate: "north" } },
              ],
            },
    });
    const result = await runner.run(sim);
    assert.deepEqual([result.out, result.status], ["Done.\n", 0], result.err);
    assert.match(result.err, /\n {2}fetch_content a\.txt b\.txt maxChars=2000 -> failed\n/);
    assert.match(result.err, /\nDone\.\n2 steps, 3 tool calls,/);
    assert.match(result.err, /\n {2}fetch_content {2}\[31mnorth south -> failed\n/);
    assert.match(result.err, /\n {2}open_ \[2Jgate \(not stored\) -> failed\n/);
  });

  test("prints all events as JSON lines", async () => {
    await using runner = await openWithFile();
    const { events } = await runner.events(sim);
    assert.deepEqual([...new Set(events.map(({ type }) => type))], ["run", "text", "step", "tool", "summary"]);
    const tool = events.find(({ type }) => type === "tool");
    assert.deepEqual([tool.tool, tool.input, tool.is_error], ["fetch_content", { url: "a.txt" }, false]);
    assert.match(tool.artifact_refs[0], /^af_/);
    const { how, steps, tool_calls, requests, artifacts } = events.at(-1);
    assert.deepEqual([how, steps, tool_calls, requests, artifacts], ["answered", 2, 1, 2, 1]);
  });

  test("writes a transcript that only its owner can read, without keys or passwords", async () => {
    await using runner = await openRunner({
      script: (request, dialect) =>
        findResults(request, dialect).length === 0
          ? {
              calls: [
                { tool: "read_artifact", input: { artifact_ref: `af_${"0".repeat(32)}`, password: "open sesame" } },
              ],
            }
          : { text: "Done." },
    });
    const { events, err, out } = await runner.events(sim);
    const { transcript } = events.at(-1);
    assert.equal((await stat(transcript)).mode & 0o777, 0o600);
    assert.equal((await stat(join(transcript, ".."))).mode & 0o777, 0o700);
    for (const text of [await readFile(transcript, "utf8"), err, out]) assert.doesNotMatch(text, /sk-sim|sesame/);
    assert.match(runner.provider.exchanges[1]?.json ?? "", /sesame/, "the model gets its own call back unchanged");
    const logs = await Array.fromAsync(glob("events/*/*.jsonl", { cwd: runner.home }));
    for (const log of logs) assert.doesNotMatch(await readFile(join(runner.home, log), "utf8"), /sk-sim|sesame/);
  });

  for (const dialect of runnerDialects) {
    test(`answers calls that cannot be run, and stores nothing of them (${dialect})`, async () => {
      const secret = '{"artifact_ref":"af_0","password":"open sesame"';
      const calls: readonly ScriptedCall[] = [
        // Gemini's format cannot carry broken JSON.
        ...(dialect === "gemini"
          ? []
          : [{ tool: "read_artifact", input: {}, garbled: `${secret}${" ".repeat(100_000)}` }]),
        { tool: "open_pdf", input: { password: "open sesame" } },
        { tool: "read_artifact", input: { parameters: { password: "open sesame" } } },
      ];
      await using runner = await openRunner({
        script: (request, of) => {
          const results = findResults(request, of);
          return results.length === 0 ? { calls } : { text: results.join("\n") };
        },
      });
      const { events, err } = await runner.events(["run", "What does it say?", "--model", runnerModels[dialect]]);
      const { how, tool_calls, chars_given, transcript } = events.at(-1);
      assert.deepEqual([how, tool_calls], ["answered", calls.length], err);
      assert.equal(events.filter(({ type, is_error }) => type === "tool" && is_error).length, calls.length);
      const answerText = events
        .map(({ type, text }) => (type === "text" ? text : ""))
        .join("")
        .replaceAll("\\", "");
      assert.ok(
        answerText.includes('There is no tool "open_pdf". Available tools: fetch_content,') && chars_given < 1_500,
        answerText,
      );
      if (dialect !== "gemini") assert.ok(answerText.includes(UNREADABLE_CALL_RESULT), answerText);
      for (const text of [await readFile(transcript, "utf8"), JSON.stringify(events), err])
        assert.doesNotMatch(text, /sesame/);
      // The simulated Gemini signs the arguments of a call, and those were not stored.
      const resumed = dialect === "gemini" ? undefined : await runner.run(["run", "--resume", "last", "And now?"]);
      assert.equal(resumed?.status ?? 0, 0, resumed?.err);
    });
  }

  test("gives all results of a turn one budget, and says so to calls that have no room", async () => {
    await using runner = await openRunner({
      script: (request, dialect) => {
        const results = findResults(request, dialect);
        const calls = Array.from({ length: 5 }, (_, at) => ({
          tool: "fetch_content",
          input: { url: `${at % 3}.txt` },
        }));
        return results.length === 0 ? { calls } : { text: JSON.stringify(results) };
      },
    });
    for (const index of [0, 1, 2]) await runner.write(`${index}.txt`, `${index} `.repeat(50_000));
    const { out } = await runner.run(sim, { SPILLWAY_RUNNER_TURN_CHARS: "6500" });
    const results: string[] = JSON.parse(out);
    assert.ok(
      results.reduce((sum, { length }) => sum + length, 0) <= 6_500,
      String(results.map(({ length }) => length)),
    );
    for (const result of results.slice(3))
      assert.equal(result, "One turn has room for 3 results.\nRepeat this call alone.");
  });

  for (const [name, value, how] of [
    ["STEPS", "3", "steps"],
    ["TOKENS", "4000", "tokens"],
    ["TIME", "1s", "time"],
  ] as const) {
    test(`stops at the limit of ${how}, and can be resumed`, async (t) => {
      const timeouts = controlTimeouts(t);
      let calls = 0;
      const script: Script = () => {
        if (how === "time" && calls === 3) timeouts.expire(1_000);
        return { calls: [{ tool: "fetch_content", input: { url: `data:,${calls++}` } }] };
      };
      await using runner = await openRunner({ script });
      const { events, status } = await runner.events(sim, { [`SPILLWAY_RUNNER_${name}`]: value });
      assert.deepEqual([events.at(-1).how, status], [how, 1]);
      const before = runner.provider.exchanges.length;
      assert.ok(before >= 2 && before < 60, String(before));
      await runner.events(["run", "--resume", "last"], { SPILLWAY_RUNNER_STEPS: "1" });
      assert.equal(runner.provider.exchanges.length, before + 1);
    });
  }
});

describe("an interrupted spillway run", () => {
  test("records the text of a streaming answer apart from the conversation, and asks again", async () => {
    await using runner = await openWithFile({ afterChunk: letEventsHappen });
    const stop = new AbortController();
    const result = await runner.run(sim, {}, { signal: stop.signal, onOut: () => stop.abort() });
    assert.equal(result.status, 130);
    assert.match(result.err, /Interrupted\.\n[\s\S]*Continue: spillway run --resume \S+\n$/);
    const lines = (await runner.transcript()) ?? [];
    assert.deepEqual(
      lines.map(({ type }) => type),
      ["run", "message", "partial", "end"],
    );
    const resumed = await runner.run(["run", "--resume", "last"]);
    assert.deepEqual([resumed.out, resumed.status], ["I will look.\nIt says: heron 41\n", 0]);
  });

  test("sends a result for a running tool call, but does not store it", async () => {
    const hanging = Promise.withResolvers<void>();
    await using server = await startServer(() => hanging.resolve());
    await using runner = await openRunner({
      script: (request, dialect) => {
        const results = findResults(request, dialect);
        return results.length === 0
          ? { calls: [{ tool: "web_fetch", input: { url: server.origin } }] }
          : { text: `Heard: ${results[0]}` };
      },
    });
    const stop = new AbortController();
    void hanging.promise.then(() => stop.abort());
    const env = { SPILLWAY_NETWORK_ALLOW: "127.0.0.1" };
    assert.equal((await runner.run(sim, env, { signal: stop.signal })).status, 130);
    const { out } = await runner.run(["run", "--resume", "last"], env);
    assert.equal(out, `Heard: ${INTERRUPTED_CALL_RESULT}\n`);
    assert.ok(!JSON.stringify(((await runner.transcript()) ?? []).slice(0, 4)).includes(INTERRUPTED_CALL_RESULT));
  });
});

describe("spillway run --resume", () => {
  test("removes an incomplete last line, and never a complete one", async () => {
    await using runner = await openWithFile({ instead: (index) => (index === 1 ? error(400) : undefined) });
    const { events } = await runner.events(sim);
    const { transcript } = events.findLast(({ type }) => type === "summary");
    const before = await readFile(transcript, "utf8");
    await appendFile(transcript, '{"type":"message","message":{"role":"assis');
    const resumed = await runner.run(["run", "--resume", "--set", "runner.steps=5"]);
    assert.deepEqual([resumed.out, resumed.status], ["It says: heron 41\n", 0]);
    assert.ok((await readFile(transcript, "utf8")).startsWith(before));
  });

  test("refuses a run that is missing, answered, active or damaged, and says why", async () => {
    await using runner = await openWithFile();
    assert.match((await runner.run(["run", "--resume", "last"])).err, /There is no run to resume/);
    assert.match((await runner.run(["run", "More?", "--resume"])).err, /There is no run to resume/);
    assert.match(
      (await runner.run(["run", "--resume", "../../x"])).err,
      /There is no transcript of run "\.\.\/\.\.\/x"/,
    );
    const { events } = await runner.events(sim);
    const { transcript } = events.at(-1);
    const finished = await runner.run(["run", "--resume", "last"]);
    assert.deepEqual([finished.status, finished.err.split("\n")[0]], [2, "spillway: This run has answered its task."]);
    const resumeWithTask = ["run", "--resume", "last", "More?"];
    {
      using _writer = takeLock(`${transcript}.lock`);
      assert.match((await runner.run(resumeWithTask)).err, /Run .* is active in another process/);
    }
    assert.equal((await runner.run(resumeWithTask)).status, 0);
    const [head = ""] = (await readFile(transcript, "utf8")).split("\n");
    for (const damage of ["no JSON", "null", "{}", `${head}\n[1]`, `${head}\n{"type":"message","message":null}`, ""]) {
      await writeFile(transcript, `${damage}\n`);
      const result = await runner.run(resumeWithTask);
      assert.deepEqual(
        [result.status, /transcript .* is damaged/.test(result.err)],
        [1, true],
        `${damage}: ${result.err}`,
      );
      assert.equal(await readFile(transcript, "utf8"), `${damage}\n`);
    }
  });
});

test("new transcripts replace old ones, but not one that is in use", async () => {
  await using runner = await openWithFile();
  const names = async () =>
    (await Array.fromAsync(glob("transcripts/*/*.jsonl", { cwd: runner.home }))).map((path) => basename(path)).sort();
  for (const run of ["one", "two"]) await runner.run(sim, { SPILLWAY_RUN: run, SPILLWAY_RUNNER_TRANSCRIPTS: "2" });
  const folder = dirname((await runner.transcriptPath()) ?? "");
  using _writer = takeLock(join(folder, "one.jsonl.lock"));
  await runner.run(sim, { SPILLWAY_RUN: "three", SPILLWAY_RUNNER_TRANSCRIPTS: "1" });
  assert.deepEqual(await names(), ["one.jsonl", "three.jsonl"]);
});

describe("a busy provider", () => {
  test("is retried, and the summary counts retries apart from recoveries", async () => {
    for (const busy of [error(429, { "retry-after": "0" }), error(503), error(529), brokenStream()]) {
      await using runner = await openWithFile({ instead: (index) => (index < 2 ? busy : undefined) });
      const result = await runner.run(sim, { SPILLWAY_RUNNER_RETRY_WAIT: "10ms" });
      assert.equal(result.out, "I will look.\nIt says: heron 41\n", result.err);
      assert.match(result.err, /4 requests: 2 retried, 0 made smaller/);
    }
  });

  test("is retried at most as often as the setting allows", async () => {
    await using runner = await openWithFile({ always: error(503) });
    const result = await runner.run(sim, { SPILLWAY_RUNNER_RETRIES: "2", SPILLWAY_RUNNER_RETRY_WAIT: "1ms" });
    assert.deepEqual([result.status, runner.provider.exchanges.length], [1, 3]);
    assert.match(result.err, /spillway: sim answered 503: busy\n/);
  });

  test("is not retried after its first word, nor if it asks to wait too long", async () => {
    for (const always of [brokenStream(firstWord), error(429, { "retry-after": "3600" })]) {
      await using runner = await openWithFile({ always });
      const result = await runner.run(sim);
      assert.deepEqual([result.status, runner.provider.exchanges.length], [1, 1], result.err);
    }
  });
});

describe("a spillway run that cannot start", () => {
  const sentence = (err: string): string => err.split("\n").find((line) => line.startsWith("spillway: ")) ?? err;

  test("says in one sentence what is missing, and stores nothing", async () => {
    await using runner = await openWithFile();
    const cases = [
      [["run"], 2, /No task was given/],
      [["run", "Hello?"], 2, /No model was named/],
      [["run", "Hello?", "--model", "gpt-5"], 2, /"gpt-5" does not name a model of a known provider/],
      [["run", "Hello?", "more", "--model", "sim:x"], 2, /one argument too many/],
      [["run", "Hello?", "--model", "openai:gpt-5"], 1, /There is no key for openai: OPENAI_API_KEY is not set/],
    ] as const;
    for (const [argv, status, words] of cases) {
      const result = await runner.run(argv, { OPENAI_API_KEY: "" });
      assert.deepEqual([result.status, result.out], [status, ""]);
      assert.match(sentence(result.err), words);
    }
    assert.equal(await runner.transcript(), undefined);
  });

  test("says in one sentence that the model does not exist", async () => {
    const body =
      '{"error":{"message":"The model `sim-9` does not exist or you do not have access to it.","code":"model_not_found"}}';
    await using runner = await openWithFile({ always: { status: 404, body } });
    const result = await runner.run(["run", "Hello?", "--model", "openai:sim-9"]);
    assert.equal(result.status, 1);
    assert.match(sentence(result.err), /^spillway: openai has no model "sim-9" \(404: The model/);
    assert.equal(runner.provider.exchanges.length, 1);
  });

  test("says in one sentence that the provider cannot be reached", async () => {
    await using runner = await openWithFile();
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    const address = server.address();
    await new Promise((done) => server.close(done));
    const port = typeof address === "object" ? address?.port : 0;
    const result = await runner.run(sim, { SPILLWAY_RUNNER_ENDPOINTS: `sim=http://127.0.0.1:${port}/v1` });
    assert.equal(result.status, 1);
    assert.match(sentence(result.err), /^spillway: sim at 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)\.$/);
  });
});

describe("spillway run behind a proxy", () => {
  test("uses HTTPS_PROXY and trusts the certificates of network.ca_file", async () => {
    await using runner = await openWithFile();
    const certificate = makeCertificate(["model.example"]);
    await runner.write("ca.pem", certificate.cert);
    await using secure = await startServer((request, response) => {
      const upstream = http.request(`${runner.provider.url}${request.url}`, { method: "POST" }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(upstream);
    }, certificate);
    await using proxy = await startProxy(() => secure.port);
    const env = { SPILLWAY_RUNNER_ENDPOINTS: "sim=https://model.example/v1", HTTPS_PROXY: proxy.url };
    const trusted = await runner.run(sim, { ...env, SPILLWAY_NETWORK_CA_FILE: join(runner.work, "ca.pem") });
    assert.deepEqual([trusted.status, trusted.out], [0, "I will look.\nIt says: heron 41\n"], trusted.err);
    assert.ok(proxy.requests.length > 0 && proxy.requests.every((asked) => asked === "CONNECT model.example:443"));
    const untrusted = await runner.run(sim, { ...env, SPILLWAY_RUN: "wary" });
    assert.equal(untrusted.status, 1, untrusted.err);
    assert.match(untrusted.err, /spillway: sim at model\.example could not be reached \(\w*SELF_SIGNED\w*\)\.\n/);
    const closed = { ...env, SPILLWAY_RUN: "closed", SPILLWAY_RUNNER_ENDPOINTS: "sim=https://closed.example/v1" };
    assert.match((await runner.run(sim, closed)).err, /spillway: sim at closed\.example could not be reached/);
  });

  test("does not follow a redirect with its key", async () => {
    await using runner = await openWithFile();
    const keysSent: string[] = [];
    await using elsewhere = await startServer((request, response) => {
      keysSent.push(String(request.headers.authorization));
      response.writeHead(307, { location: `http://localhost:${elsewhere.port}/v1/chat/completions` }).end();
    });
    const result = await runner.run(sim, {
      SPILLWAY_RUNNER_ENDPOINTS: `sim=http://127.0.0.1:${elsewhere.port}/v1`,
      SIM_API_KEY: "sk-secret",
    });
    assert.deepEqual([result.status, keysSent], [1, ["Bearer sk-secret"]]);
    assert.match(result.err, /spillway: sim answered 307/);
  });
});
