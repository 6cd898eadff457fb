/** Completion scripts, made from the tables of commands and options. They start no process when Tab is pressed. */
import type { CommandEntry, OptionRow } from "./command.ts";
import { commonOptions } from "./help.ts";

export const shells = ["bash", "zsh", "fish"] as const;

type CompletedOption = { readonly flag: string; readonly about: string; readonly values: Values };

/** The values to offer; `any` where they cannot be listed, `none` for a switch. */
type Values = readonly string[] | "any" | "none";

type CompletedCommand = {
  readonly name: string;
  readonly about: string;
  readonly words: readonly string[];
  readonly options: readonly CompletedOption[];
};

/** The script of a shell for all commands. */
export async function completionScript(
  shell: (typeof shells)[number],
  commands: readonly CommandEntry[],
): Promise<string> {
  const rows = await Promise.all(commands.map(describe));
  const help = {
    name: "help",
    about: "Show the help of a command.",
    words: commands.map(({ name }) => name),
    options: [],
  };
  return `${writers[shell]([...rows, help]).join("\n")}\n`;
}

async function describe({ name, about, load }: CommandEntry): Promise<CompletedCommand> {
  const { options, words = [] } = await load();
  const rows = Object.entries<OptionRow>({ ...options, ...commonOptions });
  return {
    name,
    about,
    words,
    options: rows.map(([option, row]) => ({ flag: `--${option}`, about: row.about, values: valuesOf(row) })),
  };
}

/** The placeholder of an option lists its values if there are few: `markdown|text|raw`. */
function valuesOf({ type, value = "" }: OptionRow): Values {
  if (type === "boolean") return "none";
  return /^[a-z0-9-]+(?:\|[a-z0-9-]+)+$/.test(value) ? value.split("|") : "any";
}

const writers = { bash: writeBash, zsh: writeZsh, fish: writeFish };

/** Where nothing is offered, bash completes names of files. */
function writeBash(rows: readonly CompletedCommand[]): readonly string[] {
  const names = rows.map(({ name }) => name);
  const values = rows.flatMap(({ name, options }) =>
    options.flatMap((option) =>
      option.values === "none"
        ? []
        : [`    "${name} ${option.flag}") offer=${quote(option.values === "any" ? "" : option.values.join(" "))} ;;`],
    ),
  );
  const flags = rows.map(
    ({ name, options }) => `    ${name}) offer=${quote(options.map(({ flag }) => flag).join(" "))} ;;`,
  );
  const words = rows.flatMap(({ name, words }) =>
    words.length === 0 ? [] : [`    ${name}) offer=${quote(words.join(" "))} ;;`],
  );
  return [
    "# Completion of spillway for bash.",
    "_spillway() {",
    `  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" command="\${COMP_WORDS[1]}"`,
    '  local offer="" reply',
    "  COMPREPLY=()",
    `  if [ "$COMP_CWORD" -eq 1 ]; then offer=${quote(names.join(" "))}`,
    '  else case "$command $before" in',
    ...values,
    '  *) case "$word" in',
    '  -*) case "$command" in',
    ...flags,
    "  esac ;;",
    '  *) [ "$COMP_CWORD" -eq 2 ] && case "$command" in',
    ...words,
    "  esac ;;",
    "  esac ;;",
    "  esac; fi",
    '  while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -W "$offer" -- "$word")',
    "}",
    "complete -o default -F _spillway spillway",
  ];
}

function writeZsh(rows: readonly CompletedCommand[]): readonly string[] {
  const described = rows.map(({ name, about }) => `    ${quote(`${name}:${about}`)}`);
  const cases = rows.map(({ name, words, options }) => {
    const flags = options.map(({ flag, about, values }) => quote(`*${flag}${zshValue(about, values)}`));
    const first = words.length === 0 ? [] : [quote(`1:argument:(${words.join(" ")})`)];
    return `    ${name}) _arguments ${[...flags, ...first, quote("*:file:_files")].join(" ")} ;;`;
  });
  return [
    "#compdef spillway",
    "# Completion of spillway for zsh.",
    "_spillway() {",
    "  local -a commands=(",
    ...described,
    "  )",
    "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
    "  shift words; (( CURRENT-- ))",
    '  case "$words[1]" in',
    ...cases,
    "  esac",
    "}",
    'if [ "$funcstack[1]" = _spillway ]; then _spillway "$@"; else compdef _spillway spillway; fi',
  ];
}

function zshValue(about: string, values: Values): string {
  const text = `[${about.replaceAll(/[[\]\\:]/g, String.raw`\$&`)}]`;
  if (values === "none") return text;
  return values === "any" ? `=${text}:value:_files` : `=${text}:value:(${values.join(" ")})`;
}

function writeFish(rows: readonly CompletedCommand[]): readonly string[] {
  const lines = rows.flatMap(({ name, about, words, options }) => {
    const isChosen = quote(`__fish_seen_subcommand_from ${name}`);
    const isFirst = quote(`__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2`);
    return [
      `complete -c spillway -n __fish_use_subcommand -f -a ${name} -d ${fishQuote(about)}`,
      ...(words.length === 0 ? [] : [`complete -c spillway -n ${isFirst} -f -a ${quote(words.join(" "))}`]),
      ...options.map(
        ({ flag, about, values }) =>
          `complete -c spillway -n ${isChosen} -l ${flag.slice(2)}${fishValue(values)} -d ${fishQuote(about)}`,
      ),
    ];
  });
  return ["# Completion of spillway for fish.", ...lines];
}

function fishValue(values: Values): string {
  if (values === "none") return "";
  return values === "any" ? " -r" : ` -x -a ${quote(values.join(" "))}`;
}

/** A word in single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** In fish a backslash inside single quotes escapes. */
const fishQuote = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
