import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makePdfWithLines } from "./pdf.ts";
import { type ProviderOptions, refuseMessageSize, wordings } from "./provider.ts";
import { openRunner, type RunnerDialect, runnerDialects, runnerModels } from "./runner.ts";
import { findResults, type Script } from "./scripted.ts";

const pages = (name: string, secret: string): string[][] =>
  Array.from({ length: 40 }, (_, index) => {
    const line = `${name} page ${index + 1}: the level at the weir was read and written down by the keeper.`;
    const lines = Array.from({ length: 20 }, (_, reading) => `${line} Reading ${reading}.`);
    return index === 32 ? [`The number of ${name} is ${secret}.`, ...lines] : lines;
  });

/** Reads both documents as a careless agent does, then looks up what it needs, and answers. */
const script: Script = (request, dialect) => {
  const results = findResults(request, dialect);
  const names = ["first", "second"];
  if (results.length < 2) {
    return { calls: [{ tool: "fetch_content", input: { url: `${names[results.length]}.pdf`, maxChars: 30_000 } }] };
  }
  const refs = results.slice(0, 2).map((text) => /af_[0-9a-f]{32}/.exec(text)?.[0]);
  if (results.length === 2) {
    return { calls: refs.map((artifact_ref) => ({ tool: "read_artifact", input: { artifact_ref, pages: "33" } })) };
  }
  const numbers = results.slice(2).map((text) => /The number of \w+ is (\d+)/.exec(text)?.[1]);
  return { text: `The numbers are ${numbers.join(" and ")}.` };
};

const proxyPage =
  "<html><head><title>413 Request Entity Too Large</title></head><body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center></body></html>";

/** The three refusals of providers, with the numbers of the actual request. */
const refusals: Readonly<Record<string, ProviderOptions>> = {
  "total message size ... exceeds limit": { bodyBytes: 50_000, bytesWording: refuseMessageSize },
  "exceeded model token limit": { windowTokens: 14_000, wording: wordings.moonshot },
  "HTTP 413 with a proxy's page": { bodyBytes: 50_000, bytesWording: () => ({ status: 413, body: proxyPage }) },
};

const task = "What are the numbers of the two documents?";

async function openAccident(options: ProviderOptions) {
  const runner = await openRunner({ script, ...options });
  await runner.write("first.pdf", makePdfWithLines(pages("first", "4711")));
  await runner.write("second.pdf", makePdfWithLines(pages("second", "1999")));
  return {
    ...runner,
    start: (dialect: RunnerDialect, env: Record<string, string> = {}) =>
      runner.run(["run", task, "--model", runnerModels[dialect]], { SPILLWAY_RUN: "accident", ...env }),
    bodies: () => runner.provider.exchanges.map(({ json }) => json),
    statuses: () => runner.provider.exchanges.map(({ status }) => status),
  };
}

describe("the founding accident", () => {
  for (const [words, options] of Object.entries(refusals)) {
    for (const dialect of runnerDialects) {
      test(`${words}: one retry, and the task is finished (${dialect})`, async () => {
        await using runner = await openAccident(options);
        const ran = await runner.start(dialect);
        assert.equal(ran.out, "The numbers are 4711 and 1999.\n", ran.err);
        assert.equal(ran.status, 0);
        const statuses = runner.statuses();
        assert.deepEqual(statuses.filter((status) => status !== 200).length, 1, statuses.join());
        assert.equal(statuses.length, 5);
        assert.equal(new Set(runner.bodies()).size, 5, "no request was sent twice");
        assert.match(ran.err, /5 requests: 0 retried, 1 made smaller/);
        await bothReadable(runner);
        await storyTold(runner);
      });
    }
  }

  test("a refusal with its own wording and numbers, although the request is far smaller", async () => {
    await using runner = await openAccident({
      instead: (index) => (index === 2 ? refuseMessageSize(4_300_000, 4_194_304) : undefined),
    });
    const ran = await runner.start("openai-chat");
    assert.deepEqual(runner.statuses(), [200, 200, 400, 200, 200], ran.err);
    const [, , refused = "", retried = ""] = runner.bodies();
    assert.ok(retried.length < refused.length);
    assert.equal(ran.out, "The numbers are 4711 and 1999.\n");
  });

  for (const dialect of runnerDialects) {
    test(`the smaller request meets a busy provider: it is retried, the large one is not (${dialect})`, async () => {
      const busy = { status: 503, body: '{"error":{"message":"busy"}}' };
      await using runner = await openAccident({
        ...refusals["exceeded model token limit"],
        instead: (index) => (index === 3 || index === 4 ? busy : undefined),
      });
      const ran = await runner.start(dialect, { SPILLWAY_RUNNER_RETRY_WAIT: "1ms" });
      assert.equal(ran.out, "The numbers are 4711 and 1999.\n", ran.err);
      assert.deepEqual(runner.statuses(), [200, 200, 400, 503, 503, 200, 200]);
      const [, , refused, ...smaller] = runner.bodies();
      assert.ok(!smaller.includes(refused ?? ""), "what was refused for its size is not sent again");
      assert.deepEqual([smaller[1], smaller[2]], [smaller[0], smaller[0]]);
      assert.match(ran.err, /7 requests: 2 retried, 1 made smaller/);
    });
  }

  test("stubs persist in the next process, although the provider stayed busy", async () => {
    const busy = { status: 503, body: '{"error":{"message":"busy"}}' };
    await using runner = await openAccident({
      ...refusals["exceeded model token limit"],
      instead: (index) => (index === 3 ? busy : undefined),
    });
    const failed = await runner.start("openai-chat", { SPILLWAY_RUNNER_RETRIES: "0" });
    assert.equal(failed.status, 1, failed.err);
    const resumed = await runner.run(["run", "--resume", "accident"]);
    assert.equal(resumed.out, "The numbers are 4711 and 1999.\n", resumed.err);
    assert.deepEqual(runner.statuses(), [200, 200, 400, 503, 200, 200]);
    const [, , , before, after] = runner.bodies();
    assert.equal(after, before, "the next process sends what the last one made smaller");
  });

  for (const dialect of runnerDialects) {
    test(`an HTML error page for both requests: fails with the report, and continues smaller (${dialect})`, async () => {
      const page = { status: 413, body: proxyPage };
      await using runner = await openAccident({ instead: (index) => (index === 2 || index === 3 ? page : undefined) });
      const ran = await runner.start(dialect);
      assert.equal(ran.status, 1);
      assert.match(
        ran.err,
        /spillway: .* for its size, and refused it again after it was made smaller\.\n {2}Start a new/,
      );
      const resumed = await runner.run(["run", "--resume", "accident"]);
      assert.equal(resumed.out, "The numbers are 4711 and 1999.\n", resumed.err);
      const bodies = runner.bodies();
      assert.equal(new Set(bodies).size, bodies.length, "nothing was sent twice");
    });
  }

  for (const [words, dialect] of Object.keys(refusals).flatMap((each) =>
    runnerDialects.map((dialect) => [each, dialect] as const),
  )) {
    test(`${words}, with the fallback off: fails once, cleanly, without a second request (${dialect})`, async () => {
      await using runner = await openAccident(refusals[words] ?? {});
      const ran = await runner.start(dialect, { SPILLWAY_RUNNER_ENABLE_MODEL_OVERFLOW_FALLBACK: "off" });
      assert.equal(ran.status, 1);
      assert.match(
        ran.err,
        /spillway: The model's provider refused the request for its size: .*\n {2}Set runner\.enable/,
      );
      assert.deepEqual(runner.statuses().slice(0, -1), [200, 200]);
      assert.equal(new Set(runner.bodies()).size, 3);
      await bothReadable(runner);
    });
  }

  for (const [flag, dialect] of ["shadow", "off"].flatMap((each) =>
    runnerDialects.map((dialect) => [each, dialect] as const),
  )) {
    test(`with the ingest router in ${flag} the documents never enter as bytes (${dialect})`, async () => {
      await using runner = await openAccident({});
      const ran = await runner.start(dialect, { SPILLWAY_RUNNER_ENABLE_FILETYPE_INGEST_ROUTER: flag });
      for (const body of runner.bodies()) assert.doesNotMatch(body, /%PDF|endobj|endstream|JVBER|\/Type/);
      assert.match(runner.bodies().at(-1) ?? "", /Fetched PDF artifact: first\.pdf/);
      assert.equal(ran.status, 0, ran.err);
    });
  }
});

type Accident = Awaited<ReturnType<typeof openAccident>>;

async function bothReadable(runner: Accident): Promise<void> {
  const { out: manifest } = await runner.run(["artifacts", "manifest", "accident"]);
  const records = manifest
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const refs: string[] = records.flatMap(({ artifact_ref, content_kind }) =>
    content_kind === "pdf" ? [artifact_ref] : [],
  );
  assert.equal(refs.length, 2);
  for (const ref of refs) {
    for (const page of [1, 17, 33, 40]) {
      const { out } = await runner.run(["read", ref, "--pages", String(page)]);
      assert.match(out, new RegExp(`page ${page}: the level`));
    }
  }
}

async function storyTold(runner: Accident): Promise<void> {
  const { out } = await runner.run(["events", "accident", "--json"]);
  const names = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).event);
  for (const name of ["ingest.completed", "overflow.classified", "overflow.recovered", "run.step", "run.ended"]) {
    assert.ok(names.includes(name), `${name} in ${names.join()}`);
  }
}
