/** The help texts, made from the tables of commands and options. */
import type { Command, CommandEntry, OptionRow } from "./command.ts";

/** The options of every command. */
export const commonOptions = {
  json: { type: "boolean", about: "Print JSON, one object per line." },
  set: { type: "string", multiple: true, value: "NAME=VALUE", about: "Override a setting for this call." },
  help: { type: "boolean", short: "h", about: "Show this help." },
} as const satisfies Record<string, OptionRow>;

/** What `spillway` alone prints: where to begin. */
export const firstSteps = `spillway: context-safe retrieval for AI agents. Replies fit; the complete source stays one call away.

Three things to try:

  spillway fetch report.pdf               read any file or URL: text that fits, and a ref for the rest
  spillway search "where is it parsed"    find the lines of code that answer, in the current folder
  spillway install                        give the tools to the agents on this machine, after asking

spillway help lists all commands; spillway doctor checks the installation.
`;

/** The help without a topic: all commands, a line each. */
export function renderOverview(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [
    "spillway: context-safe retrieval for AI agents. Replies fit; the complete source stays one call away.",
    "",
    "Usage: spillway <command> [options]",
    "",
    ...lines,
    "",
    "Run spillway help <command> for a command's options, spillway help settings for all settings.",
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 shown but not confirmed, 130 interrupted; `with` returns its client's.",
    "Data goes to stdout, everything else to stderr. NO_COLOR switches colours off.",
    "",
  ].join("\n");
}

/** The help of one command. */
export function renderCommandHelp({ usage, about, details, options, examples }: Command): string {
  const rows = Object.entries({ ...options, ...commonOptions }).map(([name, row]) => ({
    flag: flagOf(name, row),
    row,
  }));
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const lines = rows.map(({ flag, row }) => `  ${flag.padEnd(width)}  ${row.about}`);
  const detailLines = details === undefined ? [] : ["", details];
  return [`Usage: spillway ${usage}`, "", about, "", ...lines, ...detailLines, "", ...exampleLines(examples), ""].join(
    "\n",
  );
}

/** Breaks lines that are wider than the terminal at spaces. Examples stay whole, so that they can be copied. */
export function fitHelp(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  const [body = "", ...examples] = text.split(/(?=^Examples:$)/m);
  const lines = body.split("\n").map((line) => fitLine(line, columns));
  return [lines.join("\n"), ...examples].join("");
}

/** A description is broken below its own beginning, or below the option where there is too little room. */
function fitLine(line: string, columns: number): string {
  if (line.length <= columns) return line;
  const label = /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0] ?? "";
  const isBeside = label === "" || columns - label.length >= MIN_BESIDE_COLUMNS;
  const indent = isBeside ? label.length : NARROW_INDENT;
  const start = isBeside ? label : `${label.trimEnd()}\n${" ".repeat(indent)}`;
  return start + breakLines(line.slice(label.length), columns - indent).join(`\n${" ".repeat(indent)}`);
}

const MIN_BESIDE_COLUMNS = 32;
const NARROW_INDENT = 6;

function breakLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function exampleLines(examples: Command["examples"]): readonly string[] {
  const rows = examples.map(([line, about]) => ({
    line: line.includes("spillway ") ? line : `spillway ${line}`,
    about,
  }));
  const width = Math.max(...rows.map(({ line }) => line.length));
  return ["Examples:", ...rows.map(({ line, about }) => `  ${line.padEnd(width)}  # ${about}`)];
}

function flagOf(name: string, { short, type, value = "VALUE" }: OptionRow): string {
  const long = type === "string" ? `--${name} ${value}` : `--${name}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
