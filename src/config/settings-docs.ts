/** Renders the table of settings as a JSON Schema, as docs/settings.md and as help text. */

import type { SettingRow, SettingScope } from "./rows/setting-row.ts";
import { durationUnits, formatRange, formatValue, writtenForms } from "./setting-values.ts";
import { environmentName, otherVariables, rowOf, type SettingName, settingNames } from "./settings.ts";

export type ConfigSchema = { readonly [key: string]: unknown };

/** The JSON Schema of the config file, for editors. It has both forms of a key: nested and dotted. */
export function settingsSchema(): ConfigSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Spillway configuration",
    type: "object",
    additionalProperties: false,
    properties: { $schema: { type: "string" }, ...dottedProperties(settingNames), ...groupProperties() },
    $defs: Object.fromEntries(settingNames.map((name) => [name, settingSchema(rowOf(name))])),
  };
}

function dottedProperties(names: readonly SettingName[], prefix = ""): ConfigSchema {
  return Object.fromEntries(names.map((name) => [name.slice(prefix.length), { $ref: `#/$defs/${name}` }]));
}

function groupProperties(): ConfigSchema {
  const groups = [...groupedNames()].filter(([group]) => group !== "");
  return Object.fromEntries(groups.map(([group, names]) => [group, groupSchema(group, names)]));
}

function groupSchema(group: string, names: readonly SettingName[]): ConfigSchema {
  return { type: "object", additionalProperties: false, properties: dottedProperties(names, `${group}.`) };
}

/** Setting names grouped by what precedes their first dot; settings without a group are under the empty name. */
function groupedNames(): Map<string, SettingName[]> {
  return Map.groupBy(settingNames, (name) => (name.includes(".") ? name.slice(0, name.indexOf(".")) : ""));
}

function settingSchema(row: SettingRow): ConfigSchema {
  const description = `${row.about} ${remarks(row).join(" ")}`.trim();
  return { description, ...valueSchema(row), default: schemaDefault(row) };
}

function valueSchema(row: SettingRow): ConfigSchema {
  switch (row.type) {
    case "text":
    case "path":
      return {
        type: row.default === null ? ["string", "null"] : "string",
        minLength: 1,
        ...(row.isWebAddress && { pattern: writtenForms.webAddress }),
      };
    case "integer":
    case "bytes":
      return { type: ["integer", "string"], ...bounds(row), pattern: writtenForms[row.type] };
    case "duration":
      return { ...durationNumber(row), pattern: writtenForms.duration };
    case "choice":
      return { enum: [...(row.choices ?? []), ...(row.choices?.includes("on") ? [true, false] : [])] };
    case "list":
      return { type: "array", items: { type: "string", minLength: 1 } };
    case "headers":
      return {
        type: "object",
        additionalProperties: { type: "object", additionalProperties: { type: "string" } },
      };
  }
}

function bounds({ min, ceiling }: SettingRow): ConfigSchema {
  return { ...(min === undefined ? {} : { minimum: min }), ...(ceiling === undefined ? {} : { maximum: ceiling }) };
}

/** 0 is the only duration without a unit. */
function durationNumber({ min = 0 }: SettingRow): ConfigSchema {
  return min > 0 ? { type: "string" } : { type: ["string", "integer"], minimum: 0, maximum: 0 };
}

function schemaDefault(row: SettingRow): SettingRow["default"] {
  const isWrittenWithUnit = row.type === "bytes" || row.type === "duration";
  return isWrittenWithUnit && row.default !== null ? formatValue(row.type, row.default) : row.default;
}

/** docs/settings.md: where settings come from, how values are written, and a table for each group. */
export function settingsMarkdown(): string {
  const groups = [...groupedNames()].map(([group, names]) => groupMarkdown(group, names));
  return `${[introduction(), ...groups, variablesMarkdown()].join("\n\n")}\n`;
}

function introduction(): string {
  const timeUnits = durationUnits.map(([name]) => name).join(", ");
  return `# Settings

<!-- Made from src/config/rows/ by \`npm run docs\`; change it there. -->

The last of these sources that sets a value wins:

1. the default,
2. your own config file: \`$XDG_CONFIG_HOME/spillway/config.jsonc\` (without that variable \`~/.config\`; on macOS
   \`~/Library/Application Support\`, on Windows \`%APPDATA%\`), or the file that \`SPILLWAY_CONFIG\` names,
3. the project's file: \`.spillway/config.jsonc\` in the working directory or the nearest folder above it that has one, up
   to the root of the repository and not above your home,
4. the environment: \`SPILLWAY_\` and the name (an empty variable counts as unset),
5. flags: \`--set name=value\`.

\`\`\`console run
$ spillway read af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a --set fit.read_chars=many
spillway: --set fit.read_chars: fit.read_chars must be a whole number, not "many".
  Write it as 30000 or "30_000".
\`\`\`

The platform's data folder is \`$XDG_DATA_HOME/spillway\` (without that variable under \`~/.local/share\`; on macOS
\`~/Library/Application Support\`, on Windows \`%LOCALAPPDATA%\`).

## Scope

A project's file may be part of a repository that a stranger wrote, so each setting has a scope:

| scope | who may set it |
|---|---|
| user | only you: your own config file, the environment, flags. Everything that names places, programs and secrets, that deletes, or that leaves this machine |
| project may lower | you; a project's value counts only if it is below yours |
| project | you and the project |

What a project's file may not set, or sets wrongly, is ignored, and your own value counts. \`spillway doctor\`, a line on
standard error, and the first reply of the MCP server name it; no command fails because of it. A project's file is not read if
it is a symbolic link (or \`.spillway\` is one) or belongs to another user. \`.env\` files are never read. Your own file must
belong to you or to root, and not every user may write it, unless \`SPILLWAY_CONFIG\` names it.

While your own sources have a problem, \`spillway mcp\` deletes nothing: the part that could not be read may have asked to keep
more.

## Config files

A config file is JSON with comments. \`config.json\` is read if there is no \`config.jsonc\` beside it. A name may be nested or dotted:

\`\`\`jsonc
{
  "$schema": "./node_modules/spillway/docs/config.schema.json",
  "fit": { "inline_chars": 20000 },
  "artifacts.keep": "30d" // the same as { "artifacts": { "keep": "30d" } }
}
\`\`\`

A misspelt name, a value out of range or of the wrong type is reported with its place and ignored: the setting keeps the value
of the other sources. Out-of-range numbers are rejected, not clamped. \`0\` means zero, never "no limit".

| type | written as |
|---|---|
| integer | \`30000\`, \`"30_000"\`, \`"30,000"\` |
| size | bytes as a number, or with a unit: \`"64 MiB"\`, \`"1.5 GB"\`. KiB, MiB, GiB, TiB count in 1024s; KB, MB, GB, TB in 1000s |
| duration | with its unit: \`"14d"\`, \`"1h30m"\`, \`"500ms"\` (${timeUnits}). Only \`0\` needs no unit |
| choice | one of the words; \`true\` and \`false\` mean \`on\` and \`off\` |
| path | \`~\` is your home; a relative path starts at the config file's folder, in a variable or flag at the working directory |
| list | \`["one", "two"]\` in a file; \`one,two\` in a variable or flag, or the same JSON if an item contains a comma |
| headers | \`{"wiki.example.com": {"Cookie": "sid=$WIKI_SID"}}\`, also in a variable or flag |`;
}

function groupMarkdown(group: string, names: readonly SettingName[]): string {
  const heading = group === "" ? "General" : `\`${group}\``;
  return `## ${heading}\n\n${table(["name", "variable", "default", "range", "scope", "about"], names.map(settingCells))}`;
}

function settingCells(name: SettingName): string[] {
  const row = rowOf(name);
  return [`\`${name}\``, `\`${environmentName(name)}\``, defaultText(row), formatRange(row), row.scope, row.about];
}

function variablesMarkdown(): string {
  const rows = Object.entries(otherVariables).map(([variable, about]) => [`\`${variable}\``, about]);
  return `## Other variables\n\n${table(["variable", "about"], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  return lines.toSpliced(1, 0, `|${"---|".repeat(head.length)}`).join("\n");
}

function defaultText({ type, default: value }: SettingRow): string {
  const empty = value === null || (typeof value === "object" && Object.keys(value).length === 0);
  return empty ? "none" : formatValue(type, value);
}

/** Sentences on the range and on who may set a setting. */
function remarks(row: SettingRow): string[] {
  const range = row.choices === undefined ? formatRange(row) : "";
  return [...(range === "" ? [] : [`${range.charAt(0).toUpperCase()}${range.slice(1)}.`]), scopeSentences[row.scope]];
}

const scopeSentences: Readonly<Record<SettingScope, string>> = {
  user: "Not from a project's file.",
  project: "A project's file may set it.",
  "project may lower": "A project's file may only lower it.",
};

/** The lines of `spillway help settings`: each name with its variable, then its description on one line. */
export function settingsHelp(): string[] {
  return settingNames.flatMap((name) => {
    const row = rowOf(name);
    const facts = [`Default: ${defaultText(row)}.`, ...remarks(row)].filter((fact) => fact !== "Default: none.");
    return [`${name} (${environmentName(name)})`, `  ${[row.about, ...facts].join(" ")}`, ""];
  });
}
