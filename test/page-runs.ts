/**
 * Runs the blocks of a page that are marked as run (```console run) and compares what they print with what the page shows. In a
 * page, `...` matches anything, a ref for the ref that the run made, and a random word of a fence for any other.
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CliResult, openCli } from "./cli.ts";
import { makePdfWithLines } from "./pdf.ts";

const root = join(import.meta.dirname, "..");

/** One command line of a page, and the lines that the page shows below it. */
export type ShownCommand = { readonly line: string; readonly output: string };

/** The commands of all blocks of a page that are marked as run, in order. */
export function listShownCommands(markdown: string): ShownCommand[] {
  const blocks = [...markdown.matchAll(/^( *)```console run\n([\s\S]*?)^ *```$/gm)].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [line = "", ...output] = part.trimEnd().split("\n");
        return { line, output: output.join("\n") };
      }),
  );
}

/** Where the commands of a page run: a folder of sample files, a store and a home of its own. */
export async function openPageRuns(env: Readonly<Record<string, string>> = {}) {
  const cli = await openCli();
  await writeSamples(cli.work);
  await mkdir(join(cli.userHome, ".cursor"), { recursive: true });
  const servers = { files: { command: "npx", args: ["-y", "some-mcp-server"] } };
  await writeFile(join(cli.userHome, ".cursor", "mcp.json"), `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`);
  const refs = new Map<string, string>();

  /** Runs a command line; refs of the page are those that the run made before. */
  async function run(line: string): Promise<CliResult> {
    const { words, input } = parseLine(line.replaceAll(/af_[0-9a-f]{32}/g, (ref) => refs.get(ref) ?? ref));
    const stdin = input === undefined ? "" : await readFile(join(cli.work, input));
    const [program, ...argv] = words;
    if (program !== "spillway") throw new Error(`A block that is run shows spillway commands, not ${line}`);
    return cli.run(argv, { stdin, env: { PATH: "/usr/bin:/bin", ...env } });
  }

  return {
    work: cli.work,
    run,
    /** The difference between what a page shows and what the command prints; undefined if there is none. */
    async compare({ line, output }: ShownCommand): Promise<string | undefined> {
      const { out, err } = await run(line);
      const printed = joinOutput(out, err).replaceAll(cli.userHome, "~");
      const shownRefs = [...new Set(output.match(/af_[0-9a-f]{32}/g) ?? [])].filter((ref) => !refs.has(ref));
      const pattern = new RegExp(`^${patternOf(output, shownRefs, refs)}$`, "u");
      const match = pattern.exec(printed);
      if (match === null) return `$ ${line}\n--- the page shows\n${output}\n--- it prints\n${printed}`;
      for (const [index, ref] of shownRefs.entries()) refs.set(ref, match.groups?.[`ref${index}`] ?? ref);
      return undefined;
    },
    printed: (result: CliResult) => joinOutput(result.out, result.err).replaceAll(cli.userHome, "~"),
    [Symbol.asyncDispose]: cli[Symbol.asyncDispose],
  };
}

const joinOutput = (out: string, err: string): string => `${out}${err}`.replaceAll(/[ \t]+$/gm, "").trimEnd();

/** What a page shows as a regular expression. */
function patternOf(output: string, shownRefs: readonly string[], refs: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  return output
    .split(/(\.\.\.|af_[0-9a-f]{32}|(?<=untrusted content )[a-z0-9]{8})/)
    .map((part) => {
      if (part === "...") return "[^]*?";
      if (/^[a-z0-9]{8}$/.test(part)) return "[a-z0-9]{8}";
      const index = shownRefs.indexOf(part);
      if (index === -1) return escapePattern(refs.get(part) ?? part);
      if (seen.has(part)) return `\\k<ref${index}>`;
      seen.add(part);
      return `(?<ref${index}>af_[0-9a-f]{32})`;
    })
    .join("");
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** The words of a command line as a shell would pass them, and the file it reads as standard input. */
function parseLine(line: string): { readonly words: readonly string[]; readonly input: string | undefined } {
  const parts = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, ...groups]) => groups.find((group) => group !== undefined) ?? "",
  );
  const redirect = parts.indexOf("<");
  return redirect === -1
    ? { words: parts, input: undefined }
    : { words: parts.slice(0, redirect), input: parts[redirect + 1] };
}

/** Files of each kind that the pages talk about. */
async function writeSamples(folder: string): Promise<void> {
  const samples = join(root, "examples", "samples");
  for (const name of await readdir(samples)) await copyFile(join(samples, name), join(folder, name));
  for (const [path, name] of copies) await copyFile(join(root, "test", "fixtures", path), join(folder, name));
  await writeFile(join(folder, "report.pdf"), makePdfWithLines(reportPages));
  await writeFile(join(folder, "server.log"), writeLog());
  await writeFile(join(folder, "refusals.jsonl"), refusal);
  await writeFile(
    join(folder, "calls.jsonl"),
    calls.map((call) => `${JSON.stringify({ jsonrpc: "2.0", ...call })}\n`).join(""),
  );
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src", "levels.ts"), levelsCode);
  await writeFile(join(folder, "src", "alarm.ts"), alarmCode);
}

const copies: readonly (readonly [path: string, name: string])[] = [
  ["documents/archive.zip", "archive.zip"],
  ["documents/letter.eml", "letter.eml"],
  ["office/levels.xlsx", "levels.xlsx"],
  ["office/handbook.docx", "handbook.docx"],
  ["pdfs/encrypted.pdf", "encrypted.pdf"],
  ["pdfs/scanned-page.pdf", "scan.pdf"],
  ["pages/recipe/page.html", "recipe.html"],
];

const reportPages = [
  ["Annual report of the lock", "The chamber was used 4,112 times."],
  ["Leaks", "Valve 2 leaked in March and was replaced in April."],
  ["Outlook", "The lower gate is painted next year."],
];

function writeLog(): string {
  const lines = Array.from({ length: 5_000 }, (_, index) =>
    index === 3_210
      ? 'ERROR gauge-writer volume=7 "disk quota exceeded" paused=true retry=never queue=0 battery=ok signal=good'
      : `INFO  gauge-reader station=${index % 40} level=214.6 paused=false retry=often queue=0 battery=ok signal=good`,
  );
  return `${lines.join("\n")}\n`;
}

const refusal = `${JSON.stringify({
  status: 400,
  body: JSON.stringify({ error: { message: "prompt is too long: 215000 tokens > 200000 maximum" } }),
})}\n`;

/** What a client sends: it introduces itself, and its model calls a tool. */
const calls = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1" } },
  },
  { id: 2, method: "tools/call", params: { name: "fetch_content", arguments: { url: "handbook.md", maxChars: 100 } } },
];

const levelsCode = `/** The level above which the spillway opens, in metres. */
export const SPILLWAY_LEVEL_M = 214.85;

/** Reads the level from a line of the gauge's table. */
export function parseLevel(line: string): number {
  const [, , level = ""] = line.split(",");
  return Number(level);
}
`;

const alarmCode = `import { parseLevel, SPILLWAY_LEVEL_M } from "./levels.ts";

/** Rings if the water is too high. */
export function ringIfHigh(line: string, ring: () => void): void {
  if (parseLevel(line) > SPILLWAY_LEVEL_M) ring();
}
`;
