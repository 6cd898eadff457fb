/** Runs the benches named on the command line, or all of them: `npm run bench -- detect`. `--save` stores what they print. */
import { saveResult } from "./results.ts";

const benches: Readonly<Record<string, () => Promise<{ about: string; run(): Promise<void> }>>> = {
  ablate: () => import("./ablate.ts"),
  addresses: () => import("./addresses.ts"),
  corpus: () => import("./corpus.ts"),
  detect: () => import("./detect.ts"),
  fetch: () => import("./fetch.ts"),
  fit: () => import("./fit.ts"),
  mcp: () => import("./mcp.ts"),
  gateway: () => import("./gateway.ts"),
  html: () => import("./html.ts"),
  "html-tokens": () => import("./html-tokens.ts"),
  office: () => import("./office.ts"),
  overflow: () => import("./overflow.ts"),
  pdf: () => import("./pdf.ts"),
  runner: () => import("./runner.ts"),
  search: () => import("./search.ts"),
  "search-scale": () => import("./search-scale.ts"),
  serve: () => import("./serve.ts"),
  start: () => import("./start.ts"),
  store: () => import("./store.ts"),
  "team-store": () => import("./team-store.ts"),
  tasks: () => import("./tasks.ts"),
  usage: () => import("./usage.ts"),
};

/** Parts of another bench: they run alone where they are named. */
const parts = new Set(["search-scale"]);

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isSaved = process.argv.includes("--save");
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. Benches: ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}
for (const [name, load] of Object.entries(benches)) {
  if (asked.length > 0 ? !asked.includes(name) : parts.has(name)) continue;
  const { about, run } = await load();
  console.log(`\n## ${name}: ${about}\n`);
  const text = await recordOutput(run);
  if (isSaved) await saveResult({ name, about, text });
}

/** Runs a bench and returns what it printed; it is printed all the same. */
async function recordOutput(run: () => Promise<void>): Promise<string> {
  const { log } = console;
  const printed: string[] = [];
  console.log = (...values: unknown[]) => {
    printed.push(values.join(" "));
    log(...values);
  };
  try {
    await run();
  } finally {
    console.log = log;
  }
  return printed.join("\n").trim();
}
