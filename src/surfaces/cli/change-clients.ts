/** Shows changes of clients' configs, asks, and writes them: what install, uninstall, wrap and unwrap have in common. */
import { join } from "node:path";
import { findDataHome } from "../../config/paths.ts";
import { SpillwayError } from "../../errors.ts";
import { redactSecrets } from "../../system/redact-secrets.ts";
import { clip } from "../../system/safe-names.ts";
import { withConfigLock } from "../clients/change-config.ts";
import { type Client, type ClientMachine, type Scope, scopes } from "../clients/client.ts";
import { clients } from "../clients/clients.ts";
import { findInstalledClients } from "../clients/find-clients.ts";
import type { PlannedChange } from "../clients/install-client.ts";
import type { Call, ExitCode, OptionRow } from "./command.ts";
import { readText } from "./options.ts";
import { toErrorFields, toErrorLines, toJsonLine } from "./output.ts";

/** The exit status if changes were shown and not written. */
const NOT_CONFIRMED = 3;

type Planned = { readonly client: Client; plan(): Promise<PlannedChange>; readonly change: PlannedChange };

export const yesRow: OptionRow = { type: "boolean", about: "Write without asking." };

export const scopeRow: OptionRow = {
  type: "string",
  value: scopes.join("|"),
  about: "Whose config: of the user (default), or of the project in this folder.",
};

/** Plans a change for each client, shows all of them, and makes them once they are confirmed. */
export async function changeClients(
  call: Call,
  chosen: readonly Client[],
  planFor: (client: Client) => Promise<PlannedChange>,
): Promise<ExitCode> {
  const { planned, hasFailed } = await planAll(call, chosen, planFor);
  for (const { change } of planned) await showChange(call, change);
  const pending = planned.filter(({ change }) => change.action !== "none");
  const failure = hasFailed ? 1 : 0;
  if (pending.length === 0) return failure;
  if (call.values.yes !== true && !(await isConfirmed(call, pending.length))) return hasFailed ? 1 : NOT_CONFIRMED;
  const folder = backupFolder(call);
  const results = await withConfigLock(folder, async () => {
    const statuses: boolean[] = [];
    for (const each of pending) statuses.push(await attempt(call, each.client, () => applyChange(call, each)));
    return statuses;
  });
  return results.every(Boolean) ? failure : 1;
}

/** Plans every client. One that cannot be changed is reported, and the others continue. */
async function planAll(
  call: Call,
  chosen: readonly Client[],
  planFor: (client: Client) => Promise<PlannedChange>,
): Promise<{ planned: Planned[]; hasFailed: boolean }> {
  const planned: Planned[] = [];
  let hasFailed = false;
  for (const client of chosen) {
    const plan = () => planFor(client);
    const isPlanned = await attempt(call, client, async () => {
      planned.push({ client, plan, change: await plan() });
    });
    hasFailed ||= !isPlanned;
  }
  return { planned, hasFailed };
}

/** Runs a step of one client and reports its error. Returns whether it succeeded. */
export async function attempt({ json, terminal }: Call, client: Client, step: () => Promise<void>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    if (json) await terminal.out(toJsonLine({ client: client.id, ...toErrorFields(error) }));
    terminal.note(toErrorLines(error));
    return false;
  }
}

/** What happens to a file, with its path. */
const headings = {
  add: (path: string) => `add an entry to ${path}`,
  update: (path: string) => `change ${path}`,
  remove: (path: string) => `remove the entry from ${path}`,
  restore: (path: string) => `restore ${path} as it was`,
  delete: (path: string) => `delete ${path}, which was made for the entry`,
  none: (path: string) => `nothing to change in ${path}`,
};

async function showChange(
  { json, terminal }: Call,
  { client, path, action, diff: whole, command, notes }: PlannedChange,
): Promise<void> {
  const diff = redactSecrets(whole);
  if (json) {
    const more = { ...(command && { command }), ...(notes.length > 0 && { notes }) };
    await terminal.out(toJsonLine({ client: client.id, path, action, diff, ...more }));
    return;
  }
  const how = command === undefined ? "" : `, by ${command.join(" ")}`;
  const lines = [`${client.title}: ${headings[action](path)}${how}`, ...notes];
  await terminal.out(`${lines.join("\n")}\n${diff}`);
}

async function isConfirmed({ terminal }: Call, count: number): Promise<boolean> {
  const files = count === 1 ? "this change" : `these ${count} changes`;
  if (terminal.ask === undefined) {
    terminal.note("Nothing was written. Run the command again with --yes to write it.\n");
    return false;
  }
  if (/^y(?:es)?$/i.test((await terminal.ask(`Write ${files}? [y/N] `)).trim())) return true;
  terminal.note("Nothing was written.\n");
  return false;
}

/** Plans again under the lock: another process may have changed the file since it was shown. */
async function applyChange({ json, terminal, values }: Call, { client, change, plan }: Planned): Promise<void> {
  const current = await plan();
  if (current.action === "none") return;
  if (current.diff !== change.diff && values.yes !== true) {
    throw new SpillwayError("client_config", `${change.path} has changed since the change was shown.`, {
      hint: "Run the command again.",
    });
  }
  await current.apply();
  if (json) await terminal.out(toJsonLine({ client: client.id, path: change.path, written: true }));
  else await terminal.out(`${client.title}: written. Restart it to use the change.\n`);
}

/** The value of --scope; the user's by default. */
export function readScope(call: Call): Scope {
  const given = readText(call, "scope") ?? "user";
  const scope = scopes.find((each) => each === given);
  if (scope) return scope;
  throw new SpillwayError("usage", `There is no scope ${JSON.stringify(clip(given))}.`, {
    hint: `Scopes: ${scopes.join(", ")}.`,
  });
}

/** Where backups of configs are. */
export function backupFolder({ config, terminal }: Call): string {
  return join(findDataHome(config.settings.home, terminal.env, process.platform), "clients");
}

/** The clients of this machine that have a config for a scope. If there are none, the error says how to name one. */
export async function findClientsFor(
  scope: Scope,
  machine: ClientMachine,
  advice = "Name one",
): Promise<readonly Client[]> {
  const found = (await findInstalledClients(machine)).filter(
    ({ projectFiles }) => scope === "user" || projectFiles.length > 0,
  );
  if (found.length > 0) return found;
  throw new SpillwayError("usage", "No client was found on this machine.", {
    hint: `${advice}: ${clients.map(({ id }) => id).join(", ")}.`,
  });
}
