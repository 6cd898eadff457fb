/**
 * Runs after a tool call of Claude Code, with the call and its output on standard input. Output that is too large, or that
 * Claude Code has moved to a file, is kept by Spillway; the model gets a first page and the call that reads on.
 */
import { readFile, realpath } from "node:fs/promises";
import { delimiter, dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Less than this fits everywhere, so nothing is loaded. */
const MIN_CHARS = 8_000;

/** A file that is larger stays where Claude Code has put it. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** How the model calls the tool that reads on: Claude Code names the tools of a plugin's server like this. */
const READ_TOOL = "mcp__plugin_spillway_spillway__read_artifact";

/** Our own replies fit already. */
const OWN_TOOLS = /^mcp__(plugin_spillway_)?spillway__/;

/** Which field of a built-in tool's output has its text. */
const TEXT_FIELDS = { Bash: "stdout", PowerShell: "stdout", Grep: "content", WebFetch: "result" };

const chunks = await Array.fromAsync(process.stdin);
const updatedToolOutput = await boundOutput(JSON.parse(Buffer.concat(chunks).toString("utf8")));
if (updatedToolOutput !== undefined)
  process.stdout.write(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } }));

/** The output in its own shape, bounded; undefined if it stays as it is. */
async function boundOutput(call) {
  const { tool_name: tool, tool_response: response } = call;
  if (OWN_TOOLS.test(tool)) return undefined;
  if (tool.startsWith("mcp__")) return boundMcpOutput(call);
  const field = TEXT_FIELDS[tool];
  const text = response?.[field];
  if (typeof text !== "string" || response.isImage) return undefined;
  const saved = await readSaved(response.persistedOutputPath, call);
  const page = await boundText(saved ?? text, call, saved !== undefined);
  if (page === undefined) return undefined;
  // With these fields Claude Code would show the first 2 KB of the page, and its own file.
  const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = response;
  return { ...rest, [field]: page };
}

/** The output of an MCP tool: blocks, or a text, or a note that it was saved to a file. */
async function boundMcpOutput(call) {
  const { tool_response: response } = call;
  if (Array.isArray(response)) return boundBlocks(response, call);
  if (typeof response !== "string") return undefined;
  const saved = await readSaved(/Output has been saved to (.+?)\.\n/.exec(response)?.[1], call);
  return boundText(saved ?? response, call, saved !== undefined);
}

async function boundText(text, call, isSaved) {
  const blocks = await boundBlocks([{ type: "text", text }], call);
  // A file that turns out to fit is shown, in place of the note about it.
  return blocks?.map(({ text: page = "" }) => page).join("\n") ?? (isSaved ? text : undefined);
}

async function boundBlocks(content, { tool_name: tool, cwd }) {
  if (JSON.stringify(content).length < MIN_CHARS) return undefined;
  const { boundToolResult, openSession } = await loadSpillway();
  await using session = await openSession({ cwd, confined: true });
  const bounded = await boundToolResult({ content }, { session, tool, client: "Claude Code", readTool: READ_TOOL });
  return bounded?.content;
}

/**
 * The text of a file with saved output. Only files in the folder of this conversation are read: a server could write such a
 * note itself, to have another file shown to the model.
 */
async function readSaved(path, { transcript_path, session_id }) {
  if (path === undefined) return undefined;
  try {
    const folder = await realpath(join(dirname(transcript_path), session_id, "tool-results"));
    const file = await realpath(path);
    if (!file.startsWith(folder + sep)) return undefined;
    const bytes = await readFile(file);
    return bytes.length > MAX_FILE_BYTES ? undefined : bytes.toString("utf8");
  } catch {
    return undefined; // It is gone: what Claude Code says about it stays.
  }
}

/** The package beside the plugin, or the one whose command is on the PATH. */
async function loadSpillway() {
  try {
    return await import("spillway");
  } catch {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const command = await realpath(join(folder, "spillway")).catch(() => undefined);
      const files = [
        command && join(dirname(command), "index.js"),
        join(folder, "node_modules/spillway/dist/index.js"),
      ];
      for (const file of files) {
        const found = file && (await import(pathToFileURL(file).href).catch(() => undefined));
        if (found?.boundToolResult) return found;
      }
    }
    throw new Error(
      "Spillway was not found: install it so that its command is on the PATH, then start Claude Code again.",
    );
  }
}
