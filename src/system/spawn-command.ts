/** How a program is started without a shell; on Windows also npm's `.cmd` scripts, which only its command processor runs. */
import { existsSync } from "node:fs";
import { win32 } from "node:path";

/** The arguments of `spawn`. */
export type SpawnCommand = {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments are quoted already. */
  readonly windowsVerbatimArguments?: true;
};

type Machine = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  exists?(path: string): boolean;
};

/** A command as `spawn` takes it. */
export function toSpawnCommand(command: string, args: readonly string[], machine: Machine): SpawnCommand {
  const script = machine.platform === "win32" ? findScript(command, machine) : undefined;
  if (script === undefined) return { file: command, args };
  // The script hands its arguments to a program, and that line is read a second time.
  const line = [escapeMeta(script), ...args.map((each) => escapeMeta(escapeMeta(quote(each))))].join(" ");
  const file = readVariable(machine.env, "COMSPEC") ?? "cmd.exe";
  return { file, args: ["/d", "/s", "/c", `"${line}"`], windowsVerbatimArguments: true };
}

/** The batch file that a command means; undefined if it is a program, or nothing is found. */
function findScript(command: string, { env, exists = existsSync }: Machine): string | undefined {
  const hasFolder = /[\\/]/.test(command);
  const folders = hasFolder ? [""] : (readVariable(env, "PATH") ?? "").split(";").filter(Boolean);
  const given = win32.extname(command).toLowerCase();
  const endings = [".com", ".exe", ".bat", ".cmd"].includes(given) ? [""] : [".com", ".exe", ".bat", ".cmd"];
  const paths = folders.flatMap((folder) => endings.map((ending) => win32.join(folder, command + ending)));
  const found = paths.find((path) => exists(path));
  return found !== undefined && /\.(?:bat|cmd)$/i.test(found) ? found : undefined;
}

/** Names of variables have no case on Windows. */
function readVariable(env: Machine["env"], name: string): string | undefined {
  return Object.entries(env).find(([key, value]) => key.toUpperCase() === name && value)?.[1];
}

/** An argument as programs of Windows take their line apart: backslashes before a quote are doubled. */
const quote = (arg: string): string => `"${arg.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, "$&$&")}"`;

/** Characters that the command processor acts on. A line end would end the command, so it becomes a space. */
const escapeMeta = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[()[\]%!^"`<>&|;, *?]/g, "^$&");
