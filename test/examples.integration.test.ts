import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { work } from "../examples/ai-sdk.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { serveProvider, wordings } from "./provider.ts";
import { findResults } from "./scripted.ts";

test("the AI SDK example reads, overflows, recovers and answers", async () => {
  await using folder = await makeTemporaryFolder();
  process.env.SPILLWAY_HOME = folder.path;
  await using provider = await serveProvider({
    windowTokens: 3_200,
    wording: wordings.openai,
    script: (request, dialect) => {
      const results = findResults(request, dialect);
      const files = ["handbook.md", "levels.csv", "handbook.md", "handbook.md"];
      const next = files[results.length];
      if (next !== undefined) return { calls: [{ tool: "fetch_content", input: { url: next } }] };
      return { text: /power[^.]*\./i.exec(results.at(-1) ?? "")?.[0] ?? "nothing" };
    },
  });
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "sim" }).chat("sim-1");
  let answer = "";
  await work("What if the power fails?", model, (text) => {
    answer += text;
  });
  assert.match(answer, /^power/i);
  const statuses = provider.exchanges.map(({ status }) => status);
  assert.ok(statuses.includes(400) && statuses.at(-1) === 200, statuses.join());
});

test("the AI SDK example passes on a provider's error", async () => {
  await using folder = await makeTemporaryFolder();
  process.env.SPILLWAY_HOME = folder.path;
  await using provider = await serveProvider({ always: { status: 401, body: '{"error":{"message":"bad key"}}' } });
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "sim" }).chat("sim-1");
  await assert.rejects(
    work("What if the power fails?", model, () => undefined),
    /bad key/,
  );
});
