import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientRows, findClientProfile } from "./clients.ts";

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
      for (const max of Object.values(published)) assert.ok(max >= 2_000, name);
    }
  });
});
