/** Runs inside a network namespace: a scripted model and Claude Code with our plugin. Prints what the model saw. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type SeenRequest, serveModel } from "./client-model.ts";

const [program = "", plugin = "", folder = ""] = process.argv.slice(2);
spawnSync("ip", ["link", "set", "lo", "up"]);

const MAX_RUN_MS = 120_000;
const root = join(import.meta.dirname, "..", "..");
const [home, work, bin] = [join(folder, "home"), join(folder, "work"), join(folder, "bin")];
await Promise.all([home, work, bin].map((path) => mkdir(path)));
await symlink(join(root, "dist", "cli.js"), join(bin, "spillway"));
const flood = { command: process.execPath, args: [join(root, "test", "flooding-server.ts")] };
await writeFile(join(work, "mcp.json"), JSON.stringify({ mcpServers: { flood } }));

/** A result that Claude Code moves to a file, one that it passes, a command with much output, one with little, and the fact. */
const calls = [
  { tool: "mcp__flood__text", input: { chars: 250_000 } },
  { tool: "mcp__flood__text", input: { chars: 20_000 } },
  { tool: "Bash", input: { command: "seq 1 20000", description: "Count" } },
  { tool: "Bash", input: { command: "seq 1 3", description: "Count" } },
];

function choose({ results }: SeenRequest) {
  const call = calls[results.length];
  if (call !== undefined) return { calls: [call] };
  if (results.length > calls.length) return { text: "All is read." };
  const [, tool = "", ref = ""] = /Read on: (\S+) artifact_ref=(af_[0-9a-f]{32})/.exec(results[0] ?? "") ?? [];
  return tool === "" ? { text: "No page." } : { calls: [{ tool, input: { artifact_ref: ref, query: "NEEDLE" } }] };
}

await using model = await serveModel(choose);
const env = {
  HOME: home,
  USER: "user",
  TERM: "dumb",
  PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "k",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
};
const validation = spawnSync(program, ["plugin", "validate", plugin], { env, cwd: work, encoding: "utf8" });
const allowed = ["--allowedTools", "Bash", "mcp__flood", "mcp__plugin_spillway_spillway"];
const args = ["-p", "Count.", "--model", "claude-sonnet-4-5", "--plugin-dir", plugin, "--mcp-config", "mcp.json"];
const child = spawn(program, [...args, ...allowed], {
  cwd: work,
  env,
  stdio: ["ignore", "pipe", "pipe"],
  timeout: MAX_RUN_MS,
});
let output = "";
for (const stream of [child.stdout, child.stderr])
  stream.on("data", (chunk) => {
    output += chunk;
  });
const [status] = await once(child, "close");
const { results } = model.requests.at(-1) ?? { results: [] };
const report = { validation: { status: validation.status, output: validation.stdout }, status, output, results };
process.stdout.write(JSON.stringify(report), () => process.exit(0));
