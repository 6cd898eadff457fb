/** The help, made from the tables of commands, options and settings. */
import type { Command, OptionRow } from "./command.ts";
import { commands } from "./commands.ts";

/** Options every command takes. */
export const commonOptions = {
  json: { type: "boolean", about: "Print JSON, one object per line." },
  set: { type: "string", multiple: true, value: "NAME=VALUE", about: "Use this value of a setting for this call." },
  help: { type: "boolean", short: "h", about: "Show this help." },
} as const satisfies Record<string, OptionRow>;

export function renderOverview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [
    "spillway: whatever an agent reads comes back small enough; the complete source stays one call away.",
    "",
    "Usage: spillway <command> [options]",
    "",
    ...lines,
    "",
    "spillway help <command> shows a command's options, spillway help settings every setting.",
    "Exit status: 0 done, 1 failed, 2 wrong usage. Data is on stdout, everything else on stderr.",
    "",
  ].join("\n");
}

export function renderCommandHelp({ usage, about, details, options }: Command): string {
  const rows = Object.entries({ ...options, ...commonOptions }).map(([name, row]) => ({
    flag: flagOf(name, row),
    row,
  }));
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const lines = rows.map(({ flag, row }) => `  ${flag.padEnd(width)}  ${row.about}`);
  const more = details === undefined ? [] : ["", details];
  return [`Usage: spillway ${usage}`, "", about, "", ...lines, ...more, ""].join("\n");
}

function flagOf(name: string, { short, type, value = "VALUE" }: OptionRow): string {
  const long = type === "string" ? `--${name} ${value}` : `--${name}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
