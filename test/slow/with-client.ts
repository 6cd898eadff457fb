/** Runs inside a network namespace: a scripted provider, and a real client under `spillway with`. Prints what happened. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { serveProvider, wordings } from "../provider.ts";
import { findResults, type Script } from "../scripted.ts";

const [command = "", name = "", home = "", work = ""] = process.argv.slice(2);
spawnSync("ip", ["link", "set", "lo", "up"]);

/** How each client is asked, and what its tool for commands is called. */
const clients = {
  pi: {
    args: ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "-p", "List numbers."],
    env: (url: string) => ({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url }),
    wording: wordings.anthropic,
    tool: "bash",
    windowTokens: 6_000,
  },
  gemini: {
    args: ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", "List numbers."],
    env: (url: string) => ({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: url }),
    wording: wordings.gemini,
    tool: "run_shell_command",
    windowTokens: 18_000,
  },
};

const { args, env, wording, tool, windowTokens } = clients[name === "gemini" ? "gemini" : "pi"];

/** The model lists numbers, is shown a stub of them, reads two lines by the command in the stub, and answers with these. */
let hasRead = false;
const script: Script = (request, dialect) => {
  const results = findResults(request, dialect);
  const shown = results.at(-1) ?? "";
  const run = (text: string) => ({ calls: [{ tool, input: { command: text } }] });
  if (results.length === 0) return run("seq 100001 112000");
  const [, read] = /To read it: (spillway read af_[0-9a-f]{32})/.exec(shown) ?? [];
  if (read) {
    hasRead = true;
    return run(`${read} --lines 500-501`);
  }
  return { text: `The lines are ${hasRead && /\b1\d{5}\s+1\d{5}\b/.test(shown) ? "found" : "lost"}.` };
};

await using provider = await serveProvider({ windowTokens, wording, script });
const entry = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "entry.ts");
const child = spawn(process.execPath, [entry, "with", command, ...args], {
  cwd: work,
  env: { ...process.env, HOME: home, SPILLWAY_HOME: join(home, "store"), ...env(provider.url) },
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
