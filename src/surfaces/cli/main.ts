/** The command line: finds the command, reads its options, runs it, and turns errors into sentences and exit codes. */
import { parseArgs } from "node:util";
import { type ErrorCode, SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { version } from "../../version.ts";
import type { Command, ExitCode, Terminal, Values } from "./command.ts";
import { commands } from "./commands.ts";
import { commandHelp, commonOptions, overview } from "./help.ts";
import { errorFields, errorLines, jsonLine } from "./output.ts";

export type Outcome = ExitCode | 130;

const usageCodes: readonly ErrorCode[] = ["usage", "selector_invalid", "search_invalid"];

/** Runs one command line to its end. */
export async function runCli(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<Outcome> {
  try {
    return await dispatch(argv, terminal, signal);
  } catch (error) {
    if (signal.aborted) return 130;
    if (argv.includes("--json")) await terminal.out(jsonLine(errorFields(error)));
    terminal.note(errorLines(error));
    return error instanceof SpillwayError && usageCodes.includes(error.code) ? 2 : 1;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  const [name = "help", ...rest] = argv;
  if (["--version", "-v"].includes(name))
    return say(terminal, rest.includes("--json") ? jsonLine({ version }) : `${version}\n`);
  if (["help", "--help", "-h"].includes(name)) return help(rest, terminal);
  const command = await findCommand(name);
  const { values, positionals } = parseOptions(name, command, rest);
  if (values.help === true) return say(terminal, commandHelp(command));
  return call(command, positionals, values, terminal, signal);
}

async function call(
  command: Command,
  args: readonly string[],
  values: Values,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const [{ loadConfig, requireValid }, { openSession }] = await Promise.all([
    import("../../config/load.ts"),
    import("../../session/session.ts"),
  ]);
  const { cwd, env, stdin } = terminal;
  const config = await loadConfig({ cwd, env, flags: settingFlags(values.set) });
  const settings = command.toleratesBadConfig ? config.settings : requireValid(config);
  await using opened = lazily(() => openSession({ settings, cwd, env, stdin, signal }));
  const session = opened.get;
  return await command.run({ args, values, json: values.json === true, signal, terminal, config, session });
}

/** Opens at the first use, and closes only what was opened. */
function lazily<T extends AsyncDisposable>(open: () => Promise<T>): { get(): Promise<T> } & AsyncDisposable {
  let opened: Promise<T> | undefined;
  return {
    get: () => (opened ??= open()),
    [Symbol.asyncDispose]: async () => (await opened)?.[Symbol.asyncDispose](),
  };
}

async function help(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const text = await helpText(args.find((arg) => arg !== "--json"));
  return say(terminal, args.includes("--json") ? jsonLine({ help: text }) : text);
}

async function helpText(topic: string | undefined): Promise<string> {
  if (topic === undefined) return overview();
  if (topic !== "settings") return commandHelp(await findCommand(topic));
  const { settingsHelp } = await import("../../config/settings-docs.ts");
  return `${settingsHelp().join("\n")}\n`;
}

async function say(terminal: Terminal, text: string): Promise<ExitCode> {
  await terminal.out(text);
  return 0;
}

async function findCommand(name: string): Promise<Command> {
  const entry = commands.find((command) => command.name === name);
  if (entry) return entry.load();
  throw usage(`There is no command ${JSON.stringify(clip(name))}.`, "spillway help lists the commands.");
}

function parseOptions(name: string, command: Command, argv: readonly string[]) {
  try {
    const options = { ...command.options, ...commonOptions };
    return parseArgs({ args: withBareValues(argv, command), options, allowPositionals: true, strict: true });
  } catch (cause) {
    const sentence = cause instanceof Error ? (cause.message.split(". ")[0] ?? cause.message) : String(cause);
    throw usage(`${sentence}.`, `spillway help ${name} shows the options.`, cause);
  }
}

/** `--resume` at the end or before another option is `--resume=last`. */
function withBareValues(argv: readonly string[], { options }: Command): string[] {
  return argv.map((arg, index) => {
    const bare = arg.startsWith("--") ? options[arg.slice(2)]?.bare : undefined;
    return bare !== undefined && (argv[index + 1] ?? "--").startsWith("--") ? `${arg}=${bare}` : arg;
  });
}

function settingFlags(pairs: Values[string]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const pair of Array.isArray(pairs) ? pairs : []) {
    const [name, ...value] = String(pair).split("=");
    if (!name || value.length === 0) throw usage(`--set ${pair} has no value.`, "Write it as --set name=value.");
    flags[name] = value.join("=");
  }
  return flags;
}

function usage(sentence: string, hint: string, cause?: unknown): SpillwayError {
  return new SpillwayError("usage", sentence, { hint, cause });
}
