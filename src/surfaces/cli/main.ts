/** The main function of the CLI: finds the command, parses its options, runs it, and reports errors. */
import { parseArgs } from "node:util";
import { type ErrorCode, SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { version } from "../../version.ts";
import type { Command, ExitCode, Terminal, Values } from "./command.ts";
import { commands } from "./commands.ts";
import { commonOptions, renderCommandHelp, renderOverview } from "./help.ts";
import { toErrorFields, toErrorLines, toJsonLine } from "./output.ts";

/** The exit status of the process; 130 after an interrupt. */
export type ExitStatus = ExitCode | 130;

const usageCodes: readonly ErrorCode[] = ["usage", "selector_invalid", "search_invalid"];

/** Runs one command line and returns the exit status. Never throws; an interrupt is 130. */
export async function runCli(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<ExitStatus> {
  try {
    return await dispatch(argv, terminal, signal);
  } catch (error) {
    if (signal.aborted) return 130;
    if (argv.includes("--json")) await terminal.out(toJsonLine(toErrorFields(error)));
    terminal.note(toErrorLines(error));
    return error instanceof SpillwayError && usageCodes.includes(error.code) ? 2 : 1;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  const [name = "help", ...rest] = argv;
  if (["--version", "-v"].includes(name))
    return print(terminal, rest.includes("--json") ? toJsonLine({ version }) : `${version}\n`);
  if (["help", "--help", "-h"].includes(name)) return showHelp(rest, terminal);
  const command = await findCommand(name);
  const { values, positionals } = parseOptions(name, command, rest);
  if (values.help === true) return print(terminal, renderCommandHelp(command));
  return execute(command, positionals, values, terminal, signal);
}

async function execute(
  command: Command,
  args: readonly string[],
  values: Values,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const [{ loadConfig, requireValid }, { openSession }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../session/session.ts"),
  ]);
  const { cwd, env, stdin } = terminal;
  const config = await loadConfig({ cwd, env, flags: settingFlags(values.set) });
  const settings = command.toleratesBadConfig ? config.settings : requireValid(config);
  await using lazySession = makeLazy(() => openSession({ settings, cwd, env, stdin, signal }));
  const session = lazySession.get;
  return await command.run({ args, values, json: values.json === true, signal, terminal, config, session });
}

/** Opens the value on first use, and disposes it only if it was opened. */
function makeLazy<T extends AsyncDisposable>(open: () => Promise<T>): { get(): Promise<T> } & AsyncDisposable {
  let value: Promise<T> | undefined;
  return {
    get: () => (value ??= open()),
    [Symbol.asyncDispose]: async () => (await value)?.[Symbol.asyncDispose](),
  };
}

async function showHelp(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const text = await helpText(args.find((arg) => arg !== "--json"));
  return print(terminal, args.includes("--json") ? toJsonLine({ help: text }) : text);
}

async function helpText(topic: string | undefined): Promise<string> {
  if (topic === undefined) return renderOverview();
  if (topic !== "settings") return renderCommandHelp(await findCommand(topic));
  const { settingsHelp } = await import("../../config/settings-docs.ts");
  return `${settingsHelp().join("\n")}\n`;
}

async function print(terminal: Terminal, text: string): Promise<ExitCode> {
  await terminal.out(text);
  return 0;
}

async function findCommand(name: string): Promise<Command> {
  const entry = commands.find((command) => command.name === name);
  if (entry) return entry.load();
  throw usageError(`There is no command ${JSON.stringify(clip(name))}.`, "spillway help lists the commands.");
}

function parseOptions(name: string, command: Command, argv: readonly string[]) {
  try {
    const options = { ...command.options, ...commonOptions };
    return parseArgs({ args: withBareValues(argv, command), options, allowPositionals: true, strict: true });
  } catch (cause) {
    const sentence = cause instanceof Error ? (cause.message.split(". ")[0] ?? cause.message) : String(cause);
    throw usageError(`${sentence}.`, `spillway help ${name} shows the options.`, cause);
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
    if (!name || value.length === 0) throw usageError(`--set ${pair} has no value.`, "Write it as --set name=value.");
    flags[name] = value.join("=");
  }
  return flags;
}

function usageError(sentence: string, hint: string, cause?: unknown): SpillwayError {
  return new SpillwayError("usage", sentence, { hint, cause });
}
