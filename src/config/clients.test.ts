import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientProfile, clientRows } from "./clients.ts";

describe("client profiles", () => {
  const names = [
    { calledItself: "claude-code", name: "Claude Code" },
    { calledItself: "claude-ai", name: "Claude Desktop" },
    { calledItself: "codex-mcp-client", name: "Codex" },
    { calledItself: "cursor-vscode", name: "Cursor" },
    { calledItself: "Visual Studio Code", name: "VS Code" },
    { calledItself: "Visual-Studio-Code - Insiders", name: "VS Code" },
    { calledItself: "github-copilot-developer", name: "Copilot CLI" },
    { calledItself: "gemini-cli-mcp-client-spillway", name: "Gemini CLI" },
    { calledItself: "opencode", name: "opencode" },
    { calledItself: "pi", name: "pi" },
    { calledItself: " Goose ", name: "Goose" },
    { calledItself: "pixie", name: undefined },
    { calledItself: "", name: undefined },
    { calledItself: undefined, name: undefined },
  ];
  for (const { calledItself, name } of names) {
    test(`${calledItself} is ${name}`, () => assert.equal(clientProfile(calledItself)?.name, name));
  }

  test("leave the client a share of its own limit", () => {
    assert.deepEqual(clientProfile("opencode")?.limit, { bytes: 48_640, lines: 1_900 });
    assert.deepEqual(clientProfile("cursor")?.limit, {});
  });

  test("say where each figure comes from, and leave room for an answer", () => {
    for (const { name, source, published } of clientRows) {
      assert.ok(source.length > 10, name);
      for (const max of Object.values(published)) assert.ok(max >= 2_000, name);
    }
  });
});
