/** The main function of the CLI: finds the command, parses its options, runs it, and reports errors. */
import type { LoadedConfig } from "../../config/load-config.ts";
import { type ErrorCode, SpillwayError, systemCode } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { version } from "../../version.ts";
import type { Call, Command, ExitCode, OptionRow, Terminal, Values } from "./command.ts";
import { commands } from "./commands.ts";
import { commonOptions, firstSteps, fitHelp, renderCommandHelp, renderOverview } from "./help.ts";
import { toErrorFields, toErrorLines, toJsonLine } from "./output.ts";

/** The exit status of the process; 130 after an interrupt. */
type ExitStatus = ExitCode;

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
  const [name, ...rest] = moveOptions(argv);
  if (name === undefined) return print(terminal, firstSteps);
  if (["--version", "-v"].includes(name))
    return print(terminal, rest.includes("--json") ? toJsonLine({ version }) : `${version}\n`);
  if (["help", "--help", "-h"].includes(name)) return showHelp(rest, terminal);
  const command = await findCommand(name);
  const { values, positionals } = await parseOptions(name, command, rest);
  if (values.help === true) return print(terminal, fitHelp(renderCommandHelp(command), terminal.columns));
  return execute(command, { name, args: positionals, values, terminal, signal });
}

/** Options of every command may come before it: `spillway --set run=a fetch x`. */
function moveOptions(argv: readonly string[]): readonly string[] {
  let count = 0;
  while (/^--(?:json$|set(?:=|$))/.test(argv[count] ?? "")) count += argv[count] === "--set" ? 2 : 1;
  const [name, ...rest] = argv.slice(count);
  return name === undefined ? argv.slice(0, count) : [name, ...argv.slice(0, count), ...rest];
}

type ParsedCall = Pick<Call, "name" | "args" | "values" | "terminal" | "signal">;

async function execute(command: Command, parsed: ParsedCall): Promise<ExitCode> {
  const { values, terminal, signal } = parsed;
  const [{ loadConfig, requireValid, settingsDespiteProblems }, { openSession }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../session/session.ts"),
  ]);
  const { cwd, env, sourceStdin: stdin = terminal.stdin } = terminal;
  const config = await loadConfig({ cwd, env, flags: settingFlags(values.set) });
  const settings = command.toleratesBadConfig ? settingsDespiteProblems(config) : requireValid(config);
  if (!command.toleratesBadConfig) await noteProjectProblems(config, terminal);
  await using lazySession = makeLazy(() => openSession({ settings, cwd, env, stdin, signal }));
  const session = lazySession.get;
  return await command.run({ ...parsed, json: values.json === true, config, session, commands });
}

/** Says once what the project's file tried in vain. Commands that tolerate a bad configuration report it themselves. */
async function noteProjectProblems({ problems }: LoadedConfig, terminal: Terminal): Promise<void> {
  const projectProblems = problems.filter(({ owner }) => owner === "project");
  if (projectProblems.length === 0) return;
  const { summarizeProblems } = await import("../../config/config-problem.ts");
  terminal.note(`spillway: ${summarizeProblems(projectProblems, "spillway doctor lists them all")}\n`);
}

/** Opens the value on first use, and disposes it only if it was opened. */
function makeLazy<T extends AsyncDisposable>(open: () => Promise<T>): { get(): Promise<T> } & AsyncDisposable {
  let value: Promise<T> | undefined;
  return {
    get: () => (value ??= open()),
    // Whoever asked for a value that could not be opened has its error.
    [Symbol.asyncDispose]: async () => (await value?.catch(() => undefined))?.[Symbol.asyncDispose](),
  };
}

async function showHelp(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const text = await helpText(args.find((arg) => arg !== "--json"));
  return print(terminal, args.includes("--json") ? toJsonLine({ help: text }) : fitHelp(text, terminal.columns));
}

async function helpText(topic: string | undefined): Promise<string> {
  if (topic === undefined) return renderOverview(commands);
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
  const names = commands.map((command) => command.name);
  const seeAll = "spillway help lists the commands.";
  const longer = otherNames[name] ?? (await findAction(name));
  const hint = longer === undefined ? await suggest(name, names, seeAll) : `Did you mean spillway ${longer}? ${seeAll}`;
  throw usageError(`There is no command ${JSON.stringify(clip(name))}.`, hint);
}

/** What other programs call something that we have. */
const otherNames: Readonly<Record<string, string>> = {
  config: "help settings",
  settings: "help settings",
  find: "search",
  grep: "search",
};

/** `ls` is `artifacts ls`: the command whose first argument may be this word; undefined where none or several have it. */
async function findAction(word: string): Promise<string | undefined> {
  const loaded = await Promise.all(
    commands.map(async ({ name, load }) => ({ name, words: (await load()).words ?? [] })),
  );
  const [owner, ...others] = loaded.filter(({ words }) => words.includes(word));
  return owner === undefined || others.length > 0 ? undefined : `${owner.name} ${word}`;
}

async function parseOptions(name: string, command: Command, argv: readonly string[]) {
  const options = { ...command.options, ...commonOptions };
  const [own, commandLine] = command.takesCommandLine ? splitCommandLine(argv, options) : [argv, []];
  const { parseArgs } = await import("node:util");
  try {
    const parsed = parseArgs({ args: joinValues(own, options), options, allowPositionals: true, strict: true });
    rejectEmpty(parsed.values, options);
    return { values: parsed.values, positionals: [...parsed.positionals, ...commandLine] };
  } catch (cause) {
    if (cause instanceof SpillwayError) throw cause;
    throw await optionError(name, Object.keys(options), cause);
  }
}

/** An empty value is almost always a variable that is not set; without it the command would do something else. */
function rejectEmpty(values: Values, options: Readonly<Record<string, OptionRow>>): void {
  // A number says itself what it may be.
  const empty = Object.keys(values).find((option) => values[option] === "" && options[option]?.value !== "N");
  if (empty !== undefined)
    throw usageError(`The value of --${empty} is empty.`, `Give a value, or leave --${empty} out.`);
}

/** Our own options, and the command line that begins with the first word that is not one of them. */
function splitCommandLine(
  argv: readonly string[],
  options: Readonly<Record<string, OptionRow>>,
): [own: readonly string[], commandLine: readonly string[]] {
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index] ?? "";
    if (arg === "--") return [argv.slice(0, index), argv.slice(index + 1)];
    if (!arg.startsWith("-")) return [argv.slice(0, index), argv.slice(index)];
    if (options[arg.slice(2)]?.type === "string") index++;
  }
  return [argv, []];
}

/** The errors of Node's parser, whose sentences are not ours, with the option that was probably meant. */
async function optionError(name: string, options: readonly string[], cause: unknown): Promise<SpillwayError> {
  const message = cause instanceof Error ? cause.message : String(cause);
  const allOptions = `spillway help ${name} shows the options.`;
  const option = clip(/'(-[^'\s]*)/.exec(message)?.[1] ?? "");
  if (systemCode(cause) === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const flags = options.map((each) => `--${each}`);
    const ownHint = await suggest(option, flags, allOptions);
    const hint = ownHint === allOptions ? ((await suggestOther(option)) ?? allOptions) : ownHint;
    return usageError(`${name} has no option ${option}.`, hint, cause);
  }
  if (message.includes("does not take an argument"))
    return usageError(`${option} takes no value.`, `Write it as ${option}. ${allOptions}`, cause);
  return usageError(
    `${option} needs a value.`,
    `Write a value that begins with a dash as ${option}=-VALUE. ${allOptions}`,
    cause,
  );
}

/** The option of another command that was probably meant; undefined where no command or several have it. */
async function suggestOther(option: string): Promise<string | undefined> {
  const { nearestName } = await import("../../config/suggest-name.ts");
  const loaded = await Promise.all(commands.map(async ({ name, load }) => ({ name, command: await load() })));
  const flags = new Set(loaded.flatMap(({ command }) => Object.keys(command.options)));
  const flag = nearestName(option, [...flags]);
  const [owner, ...others] = loaded.filter(({ command }) => flag !== undefined && flag in command.options);
  if (owner === undefined || others.length > 0) return undefined;
  return `--${flag} is an option of spillway ${owner.name}; spillway help ${owner.name} shows it.`;
}

/** The name that was probably meant, and where to find the others. */
async function suggest(given: string, names: readonly string[], seeAll: string): Promise<string> {
  const { nearestName } = await import("../../config/suggest-name.ts");
  const nearest = nearestName(given, names);
  return nearest === undefined ? seeAll : `Did you mean ${nearest}? ${seeAll}`;
}

/** `--resume` at the end or before another option is `--resume=last`; `--offset -5` is `--offset=-5`. */
function joinValues(argv: readonly string[], options: Readonly<Record<string, OptionRow>>): string[] {
  const joinedArgv: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const [arg = "", next] = argv.slice(index, index + 2);
    if (arg === "--") return [...joinedArgv, ...argv.slice(index)];
    const row = arg.startsWith("--") ? options[arg.slice(2)] : undefined;
    if (row?.bare !== undefined && (next ?? "--").startsWith("--")) joinedArgv.push(`${arg}=${row.bare}`);
    else if (row?.type === "string" && /^-\d/.test(next ?? "")) joinedArgv.push(`${arg}=${argv[++index]}`);
    else joinedArgv.push(arg);
  }
  return joinedArgv;
}

function settingFlags(pairs: Values[string]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const pair of Array.isArray(pairs) ? pairs : []) {
    const [name, ...value] = String(pair).split("=");
    if (!name || value.length === 0)
      throw usageError(`--set ${clip(String(pair))} has no value.`, "Write it as --set name=value.");
    flags[name] = value.join("=");
  }
  return flags;
}

function usageError(sentence: string, hint: string, cause?: unknown): SpillwayError {
  return new SpillwayError("usage", sentence, { hint, cause });
}
