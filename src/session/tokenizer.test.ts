import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { patientSearch } from "../../test/waiting.ts";
import { defaultSettings } from "../config/settings.ts";
import { searchCode } from "../search/search.ts";
import { callTool } from "../tools/call-tool.ts";
import { readArtifactTool } from "../tools/read-artifact.ts";
import { searchCodeTool } from "../tools/search-code.ts";
import { webFetchTool } from "../tools/web-fetch.ts";
import { openSession } from "./session.ts";

async function openWith(plugin: string | null, model: string | null = "water-1") {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "tokenizer.mjs");
  if (plugin !== null) writeFileSync(path, plugin);
  const root = join(folder.path, "work");
  mkdirSync(root);
  const log: string[] = [];
  const tokens = { "tokens.model": model, "tokens.module": path };
  const settings = { ...defaultSettings, ...patientSearch, ...tokens, "search.context_lines": 20 };
  const session = await openSession({ settings, cwd: root, inMemory: true, log: (line) => void log.push(line) });
  return { root, log, session, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

function writeCode(root: string): void {
  for (let file = 0; file < 40; file++) {
    writeFileSync(
      join(root, `f${file}.ts`),
      `function needle${file}() {\n${"  return spill(needle);\n".repeat(40)}}\n`,
    );
  }
}

const perCharacter = "export const countTokens = (text, model) => (model === 'water-1' ? text.length : 1);";

describe("a tokenizer that the settings name", () => {
  test("counts search replies, in the library and in tools, and is named as the limit", async () => {
    await using work = await openWith(perCharacter);
    writeCode(work.root);
    const reply = await searchCode({ query: "needle", limit: 40 }, work.session);
    const { reason, limit_tokens, estimated_tokens } = reply.truncation_info;
    assert.deepEqual([reason, limit_tokens], ["token_estimate", 20_000]);
    assert.ok(estimated_tokens <= 20_000 && reply.returned_count < 40 && reply.returned_count > 3);
    const client = { name: "any", form: "both" as const, limit: { tokens: 5_000 } };
    const called = await callTool(searchCodeTool, { query: "needle", limit: 40 }, { ...work.session, client });
    assert.ok(JSON.stringify(called.structured).length <= 5_000 && called.text.length <= 5_000);
    assert.equal((called.structured as typeof reply).truncation_info.reason, "token_estimate");
  });

  test("counts the replies of other tools for a client that counts tokens", async () => {
    await using work = await openWith(perCharacter);
    writeFileSync(join(work.root, "a.txt"), "water ".repeat(5_000));
    const client = { name: "any", form: "both" as const, limit: { tokens: 4_000 } };
    const { text, structured } = await callTool(webFetchTool, { url: "a.txt" }, { ...work.session, client });
    assert.ok(text.length <= 4_000 && JSON.stringify(structured).length <= 4_000 && text.length > 1_500);
    const read = await callTool(
      readArtifactTool,
      { artifact_ref: structured.artifact_ref },
      { ...work.session, client },
    );
    assert.ok(read.text.length <= 4_000);
  });

  for (const { name, plugin } of [
    { name: "that is not there", plugin: null },
    { name: "that does not load", plugin: "throw new Error('broken');" },
    { name: "without its function", plugin: "export const count = 1;" },
    { name: "that throws", plugin: "export function countTokens() { throw new Error('no'); }" },
    { name: "that gives no number", plugin: "export const countTokens = () => 'many';" },
    { name: "that gives less than nothing", plugin: "export const countTokens = () => -1;" },
  ]) {
    test(`${name} falls back to the estimate and logs it`, async () => {
      await using work = await openWith(plugin);
      writeCode(work.root);
      const reply = await searchCode({ query: "needle", limit: 10 }, work.session);
      assert.deepEqual([reply.returned_count, reply.truncated], [10, false]);
      assert.equal(work.log.filter((line) => /tokenizer .*estimated/.test(line)).length, 1);
    });
  }

  test("is not even loaded where no model is named", async () => {
    await using work = await openWith("throw new Error('loaded');", null);
    assert.equal(await work.session.tokenizer(), undefined);
    assert.deepEqual(work.log, []);
  });
});
