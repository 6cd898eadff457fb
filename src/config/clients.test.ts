import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientRows, findClientProfile, findModel, noClient, UNKNOWN_CLIENT_CHARS, unknownClient } from "./clients.ts";

describe("client profiles", () => {
  const names = [
    { clientName: "claude-code", name: "Claude Code" },
    { clientName: "claude-ai", name: "Claude Desktop" },
    { clientName: "codex-mcp-client", name: "Codex" },
    { clientName: "cursor-vscode", name: "Cursor" },
    { clientName: "Visual Studio Code", name: "VS Code" },
    { clientName: "Visual-Studio-Code - Insiders", name: "VS Code" },
    { clientName: "github-copilot-developer", name: "Copilot CLI" },
    { clientName: "gemini-cli-mcp-client-spillway", name: "Gemini CLI" },
    { clientName: "opencode", name: "opencode" },
    { clientName: "pi", name: "pi" },
    { clientName: " Goose ", name: "Goose" },
    { clientName: "pi-mcp-adapter", name: "pi" },
    { clientName: "qwen-cli-mcp-client-spillway", name: "Qwen Code" },
    { clientName: "@cline/core", name: "Cline" },
    { clientName: "Cline", name: "Cline" },
    { clientName: "continue-cli-client", name: "Continue" },
    { clientName: "Zed", name: "Zed" },
    { clientName: "crush", name: "Crush" },
    { clientName: "windsurf-client", name: "Windsurf" },
    { clientName: "amp-mcp-client", name: "Amp" },
    { clientName: "ampere", name: undefined },
    { clientName: "pixie", name: undefined },
    { clientName: "", name: undefined },
    { clientName: undefined, name: undefined },
  ];
  for (const { clientName, name } of names) {
    test(`${clientName} is ${name}`, () => assert.equal(findClientProfile(clientName)?.name, name));
  }

  test("leave the client a share of its own limit", () => {
    assert.deepEqual(findClientProfile("opencode")?.limit, { bytes: 48_640, lines: 1_900 });
    assert.deepEqual(findClientProfile("cursor")?.limit, {});
  });

  test("say where each figure comes from, and leave room for an answer", () => {
    for (const { name, source, published } of clientRows) {
      assert.ok(source.length > 10, name);
      for (const max of Object.values(published ?? {})) assert.ok(max >= 1_000, name);
    }
  });

  test("give a client whose limit is not known a short reply unless it asks for more", () => {
    assert.equal(findClientProfile("cursor")?.unaskedChars, UNKNOWN_CLIENT_CHARS);
    assert.equal(findClientProfile("continue-cli-client")?.unaskedChars, undefined);
    assert.equal(unknownClient.unaskedChars, UNKNOWN_CLIENT_CHARS);
    assert.deepEqual(findClientProfile("none"), noClient);
  });

  test("send structured content to Codex alone", () => {
    const structured = clientRows.filter(({ form }) => form !== "text").map(({ name }) => name);
    assert.deepEqual(structured, ["Codex"]);
  });
});

describe("the limit of Codex", () => {
  const large = { tokens: 9_500, bytes: 38_000 };
  const small = { bytes: 9_500 };
  const models = [
    ...["gpt-5.5", "gpt-5.6-sol", "gpt-6", "gpt-6-sol", "gpt-6.1-codex", "gpt-daybreak-1", "codex-auto-review"].map(
      (model) => ({ model, limit: large }),
    ),
    ...["gpt-5.55", "my-gpt-6", "qwen3-coder", "llama3.1:8b", "", undefined].map((model) => ({ model, limit: small })),
  ];
  for (const { model, limit } of models) {
    test(`with the model ${JSON.stringify(model)} is ${JSON.stringify(limit)}`, () => {
      const meta = { "x-codex-turn-metadata": { model } };
      assert.deepEqual(findClientProfile("codex-mcp-client", findModel(meta))?.limit, limit);
    });
  }

  test("is found in metadata that is an object or JSON, and in nothing else", () => {
    const key = "x-codex-turn-metadata";
    assert.equal(findModel({ [key]: '{"model":"gpt-6"}' }), "gpt-6");
    for (const turn of [undefined, null, 7, "", "{", "7", { model: 7 }, []])
      assert.equal(findModel({ [key]: turn }), undefined);
    assert.equal(findModel(undefined), undefined);
  });
});
