/** Writes the README's table of real clients, from what test/slow/recovery-clients.test.ts has recorded. */
import { readFile } from "node:fs/promises";
import type { MeasuredRecovery, RecoveryOutcome } from "../test/slow/measured-recovery.ts";

const recordFile = new URL("../test/slow/measured-recovery.json", import.meta.url);
const [begin, end] = ["<!-- measured clients -->", "<!-- /measured clients -->"];

/** The README with the current table. */
export async function renderReadme(): Promise<string> {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const rows: readonly MeasuredRecovery[] = JSON.parse(await readFile(recordFile, "utf8"));
  const [before = "", rest = ""] = readme.split(begin);
  return `${before}${begin}\n${renderTable(rows)}\n${rest.slice(rest.indexOf(end))}`;
}

function renderTable(rows: readonly MeasuredRecovery[]): string {
  const lines = rows.map(
    ({ client, version, without, with: with_ }) =>
      `| ${client} ${version} | ${describe(without)} | ${describe(with_)} |`,
  );
  return [
    "One task in six real clients: run eight commands that print 21,000 characters each, then answer with a line of the first",
    "([how it was measured](docs/overflow.md#real-clients-alone-and-with-spillway)).",
    "",
    "| client | alone | under `spillway with` |",
    "| --- | --- | --- |",
    ...lines,
    "",
    "Tokens are those of accepted requests. The model is scripted, and its window is smaller than the client knows.",
  ].join("\n");
}

const words = { found: "finished, line found", lost: "finished, **line lost**", error: "**died**" };

const describe = ({ end, tokens }: RecoveryOutcome): string =>
  `${words[end]}, ${tokens.toLocaleString("en-US")} tokens`;
