/** Runs inside a network namespace: a scripted provider, and a real client under `spillway with`. Prints what happened. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { serveProvider, wordings } from "../provider.ts";
import { findResults, type Script } from "../scripted.ts";

const [client = "", home = "", work = ""] = process.argv.slice(2);
spawnSync("ip", ["link", "set", "lo", "up"]);

/** The model lists numbers, is shown a stub of them, reads two lines by the command in the stub, and answers with these. */
const script: Script = (request, dialect) => {
  const results = findResults(request, dialect);
  const shown = results.at(-1) ?? "";
  if (results.length === 0) return { calls: [{ tool: "bash", input: { command: "seq 100001 106000" } }] };
  const [, command] = /To read it: (spillway read af_[0-9a-f]{32})/.exec(shown) ?? [];
  if (command) return { calls: [{ tool: "bash", input: { command: `${command} --lines 500-501` } }] };
  return { text: `The lines are ${/104501\s+104502/.test(shown) ? "found" : "lost"}.` };
};

await using provider = await serveProvider({ windowTokens: 6_000, wording: wordings.anthropic, script });
const entry = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "entry.ts");
const args = [entry, "with", client, "--provider", "anthropic", "--model", "claude-sonnet-4-5", "-p", "List numbers."];
const child = spawn(process.execPath, args, {
  cwd: work,
  env: {
    ...process.env,
    HOME: home,
    SPILLWAY_HOME: join(home, "store"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: provider.url,
  },
  stdio: ["ignore", "pipe", "pipe"],
});
const texts = { out: "", err: "" };
child.stdout.on("data", (chunk) => {
  texts.out += chunk;
});
child.stderr.on("data", (chunk) => {
  texts.err += chunk;
});
const [status] = await once(child, "close");
const statuses = provider.exchanges.map((exchange) => exchange.status);
console.log(JSON.stringify({ status, ...texts, statuses }));
