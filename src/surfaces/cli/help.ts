/** The help texts, made from the tables of commands and options. */
import type { Command, OptionRow } from "./command.ts";
import { commands } from "./commands.ts";

/** The options of every command. */
export const commonOptions = {
  json: { type: "boolean", about: "Print JSON, one object per line." },
  set: { type: "string", multiple: true, value: "NAME=VALUE", about: "Override a setting for this call." },
  help: { type: "boolean", short: "h", about: "Show this help." },
} as const satisfies Record<string, OptionRow>;

/** The help without a topic: all commands, a line each. */
export function renderOverview(): string {
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
    "Exit status: 0 done, 1 failed, 2 wrong usage. Data goes to stdout, everything else to stderr.",
    "",
  ].join("\n");
}

/** The help of one command. */
export function renderCommandHelp({ usage, about, details, options }: Command): string {
  const rows = Object.entries({ ...options, ...commonOptions }).map(([name, row]) => ({
    flag: flagOf(name, row),
    row,
  }));
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const lines = rows.map(({ flag, row }) => `  ${flag.padEnd(width)}  ${row.about}`);
  const detailLines = details === undefined ? [] : ["", details];
  return [`Usage: spillway ${usage}`, "", about, "", ...lines, ...detailLines, ""].join("\n");
}

function flagOf(name: string, { short, type, value = "VALUE" }: OptionRow): string {
  const long = type === "string" ? `--${name} ${value}` : `--${name}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
