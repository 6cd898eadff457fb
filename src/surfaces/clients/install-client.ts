/** Plans and makes the two changes of a client: our entry added, or taken out again. */
import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { SpillwayError } from "../../errors.ts";
import { DETAIL_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import { deleteBackup, saveBackup, sha256 } from "./backups.ts";
import { planRestoration, type Restoration, restoreConfig, writeConfig } from "./change-config.ts";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import {
  type ClientConfig,
  findServer,
  openClientConfig,
  removeServer,
  type ServerEntry,
  setServer,
} from "./client-config.ts";
import { findProgram } from "./find-clients.ts";
import { runsSpillway } from "./own-command.ts";
import { writeDiff } from "./text-diff.ts";

/** What is installed where. */
export type InstallOptions = {
  readonly scope: Scope;
  readonly name: string;
  readonly server: ServerCommand;
  readonly machine: ClientMachine;
  /** The folder of backups. */
  readonly folder: string;
};

/** A change that can be shown and made. */
export type PlannedChange = {
  readonly client: Client;
  readonly path: string;
  readonly action: "add" | "update" | "remove" | "restore" | "delete" | "none";
  /** Empty if nothing changes. */
  readonly diff: string;
  /** The client's own command that will make the change. */
  readonly command: readonly string[] | undefined;
  /** What to know before the change is made, as sentences. */
  readonly notes: readonly string[];
  apply(): Promise<void>;
};

/** Plans to add our entry, or to update the command of the one that is there. */
export async function planInstall(client: Client, options: InstallOptions): Promise<PlannedChange> {
  const { scope, name, server, machine } = options;
  const config = await openClientConfig(client, scope, machine);
  const entry = findServer(config, name);
  if (entry !== undefined && !runsSpillway(entry.server)) throw foreignEntry(config, name);
  const isSame = isDeepStrictEqual([entry?.server?.command, entry?.server?.args], [server.command, server.args]);
  if (isSame) return makePlan(config, { action: "none", text: config.text, apply: async () => undefined });
  const text = setServer(config, name, server);
  const command =
    entry === undefined ? await findOwnCommand(options, client, ({ add }) => add(name, server)) : undefined;
  return makePlan(config, {
    action: entry === undefined ? "add" : "update",
    text,
    command,
    notes: needsOwnProgram(scope),
    apply: () =>
      command === undefined
        ? writeConfig(config, text, { purpose: "install", folder: options.folder, hadChange: entry !== undefined })
        : addByCommand(config, command, options),
  });
}

/** Plans to take our entry out: byte for byte if the file has not changed since, else only the entry. */
export async function planUninstall(client: Client, options: InstallOptions): Promise<PlannedChange> {
  const { scope, name, machine, folder } = options;
  const config = await openClientConfig(client, scope, machine);
  const entry = findServer(config, name);
  if (entry === undefined) return makePlan(config, { action: "none", text: config.text, apply: async () => undefined });
  if (!runsSpillway(entry.server)) throw foreignEntry(config, name);
  const context = { purpose: "install", folder } as const;
  const restoration = await planRestoration(config, context, (before) => removeServer(config, name, before));
  const command =
    restoration.kind === "edit" ? await findOwnCommand(options, client, ({ remove }) => remove(name)) : undefined;
  return makePlan(config, {
    action: restoration.kind === "edit" ? "remove" : restoration.kind,
    text: readRestored(restoration),
    command,
    apply: async () => {
      if (command === undefined) return await restoreConfig(config, restoration, context);
      await runOwnCommand(config, command, { ...options, isExpected: (entry) => entry === undefined });
      await deleteBackup({ ...context, realPath: config.file.realPath });
    },
  });
}

function readRestored(restoration: Restoration): string | null {
  if (restoration.kind === "delete") return null;
  return restoration.kind === "edit" ? restoration.text : new TextDecoder().decode(restoration.bytes);
}

type Plan = Pick<PlannedChange, "action" | "apply"> &
  Partial<Pick<PlannedChange, "command" | "notes">> & { readonly text: string | null };

/** A plan with the diff of its change. */
export function makePlan(config: ClientConfig, { action, text, command, notes = [], apply }: Plan): PlannedChange {
  const { client, file } = config;
  const before = file.bytes === null ? null : config.text;
  const diff = action === "none" ? "" : writeDiff(file.path, before, text);
  const isAtRisk = client.rewritesConfig && config.scope === "user" && action !== "none" && command === undefined;
  const quit = `Quit ${client.title} first: it writes this file while it runs, and would take the change back.`;
  return { client, path: file.path, action, diff, command, notes: isAtRisk ? [quit, ...notes] : notes, apply };
}

/** What everyone who shares the config of a project needs. */
export const needsOwnProgram = (scope: Scope): readonly string[] =>
  scope === "project" ? ["Everyone who works on this project needs the command spillway on the PATH."] : [];

function foreignEntry({ file }: ClientConfig, name: string): SpillwayError {
  return new SpillwayError(
    "client_config",
    `${file.path} has a server ${JSON.stringify(clip(name))} that is not Spillway.`,
    {
      hint: "Choose another name with --name, or rename that server. The file was not changed.",
    },
  );
}

/** The client's own command, where it has one for the scope of the user and its program is on the PATH. */
async function findOwnCommand(
  { scope, machine }: InstallOptions,
  { ownCommand }: Client,
  make: (own: NonNullable<Client["ownCommand"]>) => readonly string[],
): Promise<readonly string[] | undefined> {
  // On Windows such a program is a script, which only a shell starts, and quoting for that is not safe.
  if (scope !== "user" || ownCommand === undefined || machine.platform === "win32") return undefined;
  const command = make(ownCommand);
  const program = await findProgram(command[0] ?? "", machine);
  return program === undefined ? undefined : command;
}

const OWN_COMMAND_MS = 60_000;

/** Lets the client add the entry; the backup is complete once the new bytes are known. */
async function addByCommand(config: ClientConfig, command: readonly string[], options: InstallOptions): Promise<void> {
  const { file } = config;
  const key = { folder: options.folder, realPath: file.realPath, purpose: "install" } as const;
  const backup = { before: file.bytes, afterSha256: [], isRestorable: true };
  await saveBackup(key, backup);
  const isExpected = (entry: ServerEntry | undefined) => runsSpillway(entry?.server);
  const changed = await runOwnCommand(config, command, { ...options, isExpected });
  const isRestorable = isOnlyChange(config, changed, options.name);
  await saveBackup(key, { ...backup, isRestorable, afterSha256: [sha256(changed.file.bytes ?? Buffer.alloc(0))] });
}

/** Whether the client wrote nothing but the entry: else the old bytes would take out what it wrote beside it. */
function isOnlyChange(before: ClientConfig, after: ClientConfig, name: string): boolean {
  const text = removeServer(after, name, before.value);
  return isDeepStrictEqual(after.format.parse(text) ?? {}, before.value ?? {});
}

type CommandOptions = InstallOptions & { isExpected(entry: ServerEntry | undefined): boolean };

/** Runs the client's own command, and checks what has become of the entry. */
async function runOwnCommand(
  { client }: ClientConfig,
  command: readonly string[],
  { scope, name, machine, isExpected }: CommandOptions,
): Promise<ClientConfig> {
  const [program = "", ...args] = command;
  const { stderr } = spawnSync(program, args, {
    cwd: machine.cwd,
    env: { ...machine.env },
    encoding: "utf8",
    timeout: OWN_COMMAND_MS,
  });
  const changed = await openClientConfig(client, scope, machine);
  if (isExpected(findServer(changed, name))) return changed;
  throw failedCommand(command, stderr ?? "");
}

function failedCommand(command: readonly string[], output: string): SpillwayError {
  const reason = clip(output.trim().split("\n").at(-1) ?? "", DETAIL_CHARS);
  return new SpillwayError("client_config", `${command.slice(0, 3).join(" ")} failed${reason && `: ${reason}`}.`, {
    hint: `Run it yourself to see why: ${command.join(" ")}`,
  });
}
