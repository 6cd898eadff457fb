import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { stepCountIs, streamText } from "ai";
import { serveProvider } from "../../../test/provider.ts";
import { findResults, type Script } from "../../../test/scripted.ts";
import { openTools } from "../../../test/tools.ts";
import { inputSchema } from "../../tools/parameters.ts";
import { builtInTools as allTools } from "../../tools/tools.ts";
import { tools } from "./ai-sdk-tools.ts";

/** The text of a result; the SDK puts errors into an object of the provider's format. */
const resultText = (text: string): string => (text.startsWith('{"error":') ? String(JSON.parse(text).error) : text);

/** Calls the tools once, then answers with the lengths of the results. */
const callOnce =
  (calls: ReturnType<Script>["calls"]): Script =>
  (request, dialect) => {
    const results = findResults(request, dialect);
    return results.length === 0
      ? { calls: calls ?? [] }
      : { text: JSON.stringify(results.map((text) => resultText(text).length)) };
  };

async function loop(script: Script, options: Parameters<typeof tools>[0]) {
  await using provider = await serveProvider({ script });
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "sim" }).chat("sim-1");
  const run = streamText({ model, tools: tools(options), prompt: "Go.", stopWhen: stepCountIs(5), maxRetries: 0 });
  return { text: await run.text, seen: provider.exchanges.map(({ json }) => JSON.parse(json)) };
}

describe("the tools of the AI SDK surface", () => {
  test("have our own schemas and return only their text", async () => {
    await using bench = await openTools();
    await bench.write("a.txt", "hello from a file");
    const calls = [{ tool: "fetch_content", input: { url: "a.txt", max_chars: "5000" } }];
    const { seen } = await loop(callOnce(calls), { session: bench.session });
    assert.deepEqual(
      seen[0].tools.map(({ function: { name, parameters } }: never) => [name, parameters]),
      allTools.map(({ name, input }) => [name, { ...inputSchema(input), additionalProperties: false }]),
    );
    const { content } = seen[1].messages.at(-1);
    assert.match(content, /^\[Fetched .*artifact_ref=af_[\s\S]*hello from a file\n\n\[End untrusted content \w+\.\]$/);
  });

  for (const [count, minChars] of [
    [4, 3_000],
    [10, 1_000],
    [30, 40],
  ] as const) {
    test(`share one budget in a step: ${count} calls`, async () => {
      await using bench = await openTools();
      const names = Array.from({ length: count }, (_, index) => `${index}.txt`);
      for (const name of names) await bench.write(name, `${name} `.repeat(20_000));
      const calls = names.map((url) => ({ tool: "fetch_content", input: { url } }));
      const { text } = await loop(callOnce(calls), { session: bench.session, turnChars: 20_000 });
      const lengths: number[] = JSON.parse(text);
      assert.equal(lengths.length, count);
      assert.ok(lengths.reduce((sum, length) => sum + length) <= 20_000, text);
      assert.ok(Math.min(...lengths) > minChars, text);
    });
  }

  test("mark a failure as an error", async () => {
    await using bench = await openTools();
    const set = tools({ session: bench.session });
    const reply = await set.read_artifact?.execute({ artifact_ref: "af_0" }, {});
    assert.ok(reply?.isError);
    assert.equal(set.read_artifact?.toModelOutput({ output: reply }).type, "error-text");
  });

  test("stop when the loop's signal is aborted", async () => {
    await using bench = await openTools();
    const call = tools({ session: bench.session }).fetch_content?.execute(
      { url: "a.txt" },
      { abortSignal: AbortSignal.abort() },
    );
    await assert.rejects(async () => call, { name: "AbortError" });
  });
});
