/** Draws docs/images/terminal.svg: two commands on a log of 200,000 lines, run by the CLI, with what they printed. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../src/surfaces/cli/main.ts";

const LOG_LINES = 200_000;
const FAULT_LINE = 131_072;
const COLUMNS = 100;

/** A command line and what it printed. */
export type RecordedCommand = { readonly line: string; readonly printed: string };

/** Runs the commands of the picture on a log in a temporary folder. */
export async function recordCommands(): Promise<readonly RecordedCommand[]> {
  const folder = await mkdtemp(join(tmpdir(), "spillway-picture-"));
  try {
    await writeFile(join(folder, "server.log"), writeLog());
    const run = (...argv: string[]) => recordCommand(folder, argv);
    const fetched = await run("fetch", "server.log", "--max-chars", "200");
    const ref = /af_[0-9a-f]{32}/.exec(fetched.printed)?.[0] ?? "";
    return [fetched, await run("read", ref, "--query", "disk quota exceeded")];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The picture of recorded commands. */
export function drawTerminal(commands: readonly RecordedCommand[]): string {
  const rows = commands.flatMap(({ line, printed }) => [
    ...wrapLine(`$ ${line}`).map((text) => ({ text, style: "command" })),
    ...printed
      .trimEnd()
      .split("\n")
      .filter((text) => text !== "")
      .flatMap((text) => wrapLine(text).map((part) => ({ text: part, style: styleOf(text) }))),
    { text: "", style: "data" },
  ]);
  const height = TOP + rows.length * LINE_HEIGHT;
  const texts = rows.map(
    ({ text, style }, index) =>
      `<text class="${style}" x="${LEFT}" y="${TOP + index * LINE_HEIGHT}" xml:space="preserve">${escapeText(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${Math.round(WIDTH * SHOWN)}" height="${Math.round(height * SHOWN)}" role="img" aria-label="${label}">
<style>${style}</style>
<rect class="window" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
${[24, 44, 64].map((x) => `<circle class="button" cx="${x}" cy="22" r="6"/>`).join("")}
${texts.join("\n")}
</svg>
`;
}

const label =
  "spillway fetch answers a log of 19 MB with 200 characters and a ref; spillway read finds the error in it";
const [LEFT, TOP, LINE_HEIGHT, CHAR_WIDTH] = [20, 58, 19, 7.85];
/** The picture is shown a little smaller, so that the table below it is on the same screen. */
const SHOWN = 0.85;
const WIDTH = Math.ceil(LEFT * 2 + COLUMNS * CHAR_WIDTH);

/** Readable on a light and on a dark page; the colours follow the reader's choice. */
const style = `
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #24292f; }
.window { fill: #f6f8fa; stroke: #d0d7de; }
.button { fill: #c4cbd3; }
.command { font-weight: 700; }
.note { fill: #0a5bb5; }
.fault { fill: #b3261e; font-weight: 700; }
@media (prefers-color-scheme: dark) {
text { fill: #d7dde4; }
.window { fill: #10151c; stroke: #3a434e; }
.button { fill: #4a545f; }
.note { fill: #7ab7ff; }
.fault { fill: #ff9d94; }
}
`;

function writeLog(): string {
  const lines = Array.from({ length: LOG_LINES }, (_, index) => {
    const time = new Date(Date.UTC(2026, 2, 9) + index * 1_000).toISOString().slice(0, 19);
    if (index === FAULT_LINE)
      return `${time} ERROR gauge-writer volume=7 "disk quota exceeded" paused=true retry=never`;
    const level = (2 + Math.sin(index / 500)).toFixed(2);
    return `${time} INFO  gauge-reader station=${index % 40} level=${level}m battery=ok signal=good queue=0`;
  });
  return `${lines.join("\n")}\n`;
}

async function recordCommand(folder: string, argv: readonly string[]): Promise<RecordedCommand> {
  let printed = "";
  const status = await runCli(
    argv,
    {
      cwd: folder,
      env: { HOME: folder, SPILLWAY_HOME: join(folder, "home") },
      stdin: process.stdin,
      async out(text) {
        printed += text;
      },
      lastOut: () => undefined,
      note: (text) => process.stderr.write(text),
    },
    new AbortController().signal,
  );
  const line = `spillway ${argv.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ")}`;
  if (status !== 0) throw new Error(`${line} ended with ${status}`);
  return { line, printed };
}

const styleOf = (text: string): string =>
  text.startsWith("[") || text.startsWith("Read on:") ? "note" : text.includes("ERROR") ? "fault" : "data";

/** Breaks a line where a terminal would. */
function wrapLine(text: string): string[] {
  return text.match(new RegExp(`.{1,${COLUMNS}}`, "gu")) ?? [""];
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

if (import.meta.main) {
  const folder = join(import.meta.dirname, "..", "docs", "images");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "terminal.svg"), drawTerminal(await recordCommands()));
}
