/** The hook of the Claude Code plugin as a process, where it needs no Spillway; the rest is in slow/claude-plugin.test.ts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "./bodies.ts";

const hook = join(import.meta.dirname, "..", "adapters", "claude-code", "hooks", "bound-output.js");

function runHook(folder: string, tool_name: string, tool_response: unknown) {
  const call = { session_id: "s", transcript_path: join(folder, "s.jsonl"), cwd: folder, tool_name, tool_response };
  return spawnSync(process.execPath, [hook], {
    input: JSON.stringify(call),
    env: { PATH: dirname(process.execPath), HOME: folder },
    encoding: "utf8",
  });
}

const long = "A weir.\n".repeat(5_000);

test("output that fits, and our own, is left as it is", async () => {
  await using folder = await makeTemporaryFolder();
  for (const [tool, response] of [
    ["Bash", { stdout: "A weir.", stderr: "", interrupted: false }],
    ["Bash", { stdout: long, stderr: "", isImage: true }],
    ["Read", { type: "text", file: { content: long } }],
    ["mcp__files__list", [{ type: "text", text: "A weir." }]],
    ["mcp__files__list", { structuredContent: {} }],
    ["mcp__plugin_spillway_spillway__read_artifact", [{ type: "text", text: long }]],
  ] as const) {
    const { status, stdout, stderr } = runHook(folder.path, tool, response);
    assert.deepEqual([status, stdout, stderr], [0, "", ""], tool);
  }
});

test("a file outside the folder of the conversation is not read, whatever a server says", async () => {
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "s", "tool-results"), { recursive: true });
  await writeFile(join(folder.path, "secret.txt"), "a secret");
  await writeFile(join(folder.path, "s", "tool-results", "saved.txt"), "A weir.");
  const note = (path: string) => `Error: result exceeds maximum allowed tokens. Output has been saved to ${path}.\n`;
  for (const path of ["secret.txt", "s/tool-results/../../secret.txt", "s/tool-results/none.txt"])
    assert.equal(runHook(folder.path, "mcp__x__y", note(join(folder.path, path))).stdout, "", path);
  const { stdout } = runHook(folder.path, "mcp__x__y", note(join(folder.path, "s", "tool-results", "saved.txt")));
  assert.equal(JSON.parse(stdout).hookSpecificOutput.updatedToolOutput, "A weir.");
});

test("without Spillway the output passes, and the error says how to install it", async () => {
  await using folder = await makeTemporaryFolder();
  const { status, stdout, stderr } = runHook(folder.path, "mcp__files__list", [{ type: "text", text: long }]);
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /install it so that its command is on the PATH/);
});
