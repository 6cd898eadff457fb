/** What a command is: a name, its options with their help, and a function that does the work. */
import type { ParseArgsOptionDescriptor } from "node:util";
import type { LoadedConfig } from "../../config/load.ts";
import type { Session } from "../../session/session.ts";

export type OptionRow = ParseArgsOptionDescriptor & {
  readonly about: string;
  /** What stands for the value in the help: `--lines A-B`. */
  readonly value?: string;
  /** The value it has where none follows it. */
  readonly bare?: string;
};

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** What a command may use of the world. Data goes out on stdout, everything else on stderr. */
export type Terminal = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  out(text: string | Uint8Array): Promise<void>;
  /** The last thing on stdout: it goes out even after the user has asked to stop, and is not waited for. */
  lastOut(text: string): void;
  note(text: string): void;
  /** Draws a line over the one drawn before; only where a person watches. An empty one clears it. */
  progress?(line: string): void;
  /** Whether stdout is a terminal that shows colours. */
  readonly color?: boolean;
};

export type Call = {
  readonly args: readonly string[];
  readonly values: Values;
  readonly json: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  readonly config: LoadedConfig;
  /** The session, opened when a command first asks for it. */
  session(): Promise<Session>;
};

export type ExitCode = 0 | 1 | 2;

export type Command = {
  /** `fetch <file|-|data:>...` */
  readonly usage: string;
  readonly about: string;
  /** Lines for the command's own help, below its options. */
  readonly details?: string;
  readonly options: Readonly<Record<string, OptionRow>>;
  /** Runs even when the configuration has problems: it is there to show them. */
  readonly toleratesBadConfig?: true;
  run(call: Call): Promise<ExitCode>;
};
