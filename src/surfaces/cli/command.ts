/** The contract of a command: its usage, its options with their help, and a function that does the work. */
import type { ParseArgsOptionDescriptor } from "node:util";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Session } from "../../session/session.ts";

/** An option of a command, with its help. */
export type OptionRow = ParseArgsOptionDescriptor & {
  readonly about: string;
  /** The placeholder for the value in the help: `--lines A-B`. */
  readonly value?: string;
  /** The value used when none follows the option. */
  readonly bare?: string;
};

/** The parsed options by name. */
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** The streams and environment of a command. Data goes to stdout, everything else to stderr. */
export type Terminal = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** The same for `fetch -`: each chunk is valid until the next one is asked for. */
  readonly sourceStdin?: AsyncIterable<Uint8Array>;
  out(text: string | Uint8Array): Promise<void>;
  /** Writes the last output. Works even after Ctrl-C, and does not wait for the reader. */
  lastOut(text: string): void;
  /** Lets the process end although its last output was not read. */
  dropOutput?(): void;
  note(text: string): void;
  /** Draws a line over the previous one, on a terminal only. An empty line clears it. */
  readonly progress?: ((line: string) => void) | undefined;
  /** Asks a person for one line. Missing where there is no person: stdin or stderr is not a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Whether stdout is a terminal that shows colours. */
  readonly color?: boolean;
  /** The width of stdout; undefined where it is not a terminal. */
  readonly columns?: number | undefined;
};

/** One call of a command: its arguments, its options and what it runs on. */
export type Call = {
  /** The command's name. */
  readonly name: string;
  readonly args: readonly string[];
  readonly values: Values;
  readonly json: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  readonly config: LoadedConfig;
  /** The session, opened on first use. */
  session(): Promise<Session>;
  /** All commands, for those that describe them. */
  readonly commands: readonly CommandEntry[];
};

/** 0 done, 1 failed, 2 wrong usage, 3 not confirmed; a command that runs another program returns that program's. */
export type ExitCode = number;

/** A command, as listed in commands.ts. */
export type Command = {
  /** `fetch <file|-|data:>...` */
  readonly usage: string;
  readonly about: string;
  /** Command lines without `spillway`, and what each is for. Those that pipe into it are written in full. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** What its first argument may be, for completion in shells. */
  readonly words?: readonly string[];
  /** Text below the options in the command's help. */
  readonly details?: string;
  readonly options: Readonly<Record<string, OptionRow>>;
  /** Its first argument is another program's command line: options after it are not ours. */
  readonly takesCommandLine?: true;
  /** The command runs even when the configuration has problems, because it reports them. */
  readonly toleratesBadConfig?: true;
  run(call: Call): Promise<ExitCode>;
};

/** A command in the table: its code is loaded when it is called. */
export type CommandEntry = { readonly name: string; readonly about: string; load(): Promise<Command> };
