/**
 * Runs inside a network namespace: a scripted provider with a small window, and a real client whose tool prints more than that.
 * The client runs alone or under `spillway with`. Prints what happened.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { RequestBody } from "../../src/overflow/dialects/dialect.ts";
import { countTokens, serveProvider } from "../provider.ts";
import { findResults, type Script } from "../scripted.ts";
import { recoveryRuns } from "./recovery-runs.ts";

const [name = "", packages = "", folder = "", mode = "with"] = process.argv.slice(2);
spawnSync("ip", ["link", "set", "lo", "up"]);

const MAX_RUN_MS = 120_000;
const run = recoveryRuns.find((each) => each.name === name) ?? process.exit(2);
const [home, work] = [join(folder, "home"), join(folder, "work")];
await Promise.all([mkdir(home), mkdir(work)]);

const COMMANDS = 8;
const LINES = 3_000;
/** Some clients show the end of a long output only. */
const WANTED = 102_500;
const START = 100_001;

/**
 * The model runs commands that print 21,000 characters each, and is then asked for a line of the first output. If that was set
 * aside, it reads the line by the command that the stub names. Where a client asks for a summary, it gets one.
 */
let runs = 0;
let hasRead = false;
let end: "found" | "lost" = "lost";
const script: Script = (request, dialect) => {
  const call = (command: string) => ({ calls: [{ tool: run.shell, input: run.input(command) }] });
  if (isSummaryAsked(request)) return { text: `<summary>${runs} lists of numbers were printed.</summary>` };
  if (runs < COMMANDS) return call(`seq ${START + runs * LINES} ${START + ++runs * LINES - 1}`);
  const shown = findResults(request, dialect).join("\n");
  const isThere = shown.includes(String(WANTED));
  const [, read] = /To read it: (spillway read af_[0-9a-f]{32})/.exec(shown) ?? [];
  if (isThere || !read || hasRead) {
    end = isThere ? "found" : "lost";
    return { text: `The line is ${end}.` };
  }
  hasRead = true;
  return call(`${read} --query ${WANTED}`);
};

/** Whether a summary is asked for, as clients do that make room by themselves. */
function isSummaryAsked({ messages, contents, input, tools }: RequestBody): boolean {
  if (tools === undefined) return true;
  const last = [messages, contents, input].find(Array.isArray)?.at(-1);
  return /detailed summary of the conversation|state_snapshot/i.test(JSON.stringify(last ?? ""));
}

await using provider = await serveProvider({ windowTokens: run.windowTokens, wording: run.wording, script });
const place = { packages, home, modelUrl: provider.url, server: "none" };
await run.prepare?.(place);
const program = join(packages, "node_modules", run.program);
const entry = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "entry.ts");
const own = mode === "with" ? [process.execPath, entry, "with"] : [];
const [command = "", ...args] = [...own, program, ...run.args(place)];
const child = spawn(command, args, {
  cwd: work,
  env: {
    HOME: home,
    USER: "user",
    TERM: "dumb",
    PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
    SPILLWAY_HOME: join(home, "store"),
    ...run.env(place),
  },
  stdio: ["ignore", "pipe", "pipe"],
  timeout: MAX_RUN_MS,
});
const texts = { out: "", err: "" };
child.stdout.on("data", (chunk) => {
  texts.out += chunk;
});
child.stderr.on("data", (chunk) => {
  texts.err += chunk;
});
const [status] = await once(child, "close");
const exchanges = provider.exchanges.map((exchange) => ({
  status: exchange.status,
  tokens: countTokens(JSON.parse(exchange.json)),
  refusal: exchange.refusal,
}));
process.stdout.write(JSON.stringify({ program: basename(program), status, end, ...texts, exchanges }), () =>
  process.exit(0),
);
