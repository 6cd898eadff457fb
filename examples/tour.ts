/** A worked example on the sample files beside this one: what `npm start` shows when no command is given. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Terminal } from "../src/surfaces/cli/command.ts";
import { runCli } from "../src/surfaces/cli/main.ts";

// A store of its own, so that trying it out leaves nothing behind.
const home = await mkdtemp(join(tmpdir(), "spillway-tour-"));
let printed = "";
const terminal: Terminal = {
  cwd: join(import.meta.dirname, "samples"),
  env: { ...process.env, SPILLWAY_HOME: home, SPILLWAY_RUN: "tour" },
  stdin: process.stdin,
  async out(text) {
    printed += text;
    process.stdout.write(text);
  },
  lastOut: (text) => void process.stdout.write(text),
  note: (text) => process.stderr.write(text),
};

/** What to do after the tour. */
const nextSteps = `
# Next (the refs above end with this tour; those of your own sources stay)
npm start -- fetch <your file or URL>    your own source
npm start -- install                     the tools for the coding agents on this machine; it asks first
npm start -- help                        all commands
docs/README.md                           where to begin, by what you do
`;

async function show(purpose: string, ...argv: string[]): Promise<void> {
  const command = argv.map((word) => (/[^\w.:/=-]/.test(word) ? `'${word}'` : word)).join(" ");
  process.stdout.write(`\n# ${purpose}\n$ spillway ${command}\n`);
  printed = "";
  const status = await runCli(argv, terminal, new AbortController().signal);
  if (status !== 0) throw new Error(`spillway ${command} ended with ${status}`);
}

try {
  await show(
    "A text is answered within a budget; its ref reads the rest.",
    "fetch",
    "handbook.md",
    "--max-chars",
    "1000",
  );
  const ref = /artifact_ref=(af_[0-9a-f]{32})/.exec(printed)?.[1] ?? "";
  await show("Ask the kept text a question.", "read", ref, "--query", "what if the power fails");
  await show("Or read a section by its heading.", "read", ref, "--section", "Fees");
  await show("A picture named .dat is never shown as text.", "fetch", "gauge.dat");
  await show("Why? Every decision can be looked up.", "detect", "gauge.dat", "levels.csv", "handbook.md");
  await show("What was kept out of context.", "stats");
  process.stdout.write(nextSteps);
} finally {
  await rm(home, { recursive: true, force: true });
}
