/** `spillway doctor --client X`: starts what the config of a client says, and uses it as that client does. */
import { formatCount, formatNumber } from "../../../answer/phrases.ts";
import { clientRows, findClientProfile, type ResultLimit } from "../../../config/clients.ts";
import { SpillwayError } from "../../../errors.ts";
import { countBytes, countLines, estimateTokens } from "../../../fit/measure.ts";
import type { Client, ClientMachine, ServerCommand } from "../../clients/client.ts";
import { listServers, openClientConfig, type ServerEntry } from "../../clients/client-config.ts";
import { ServerFault } from "../../clients/mcp-connection.ts";
import { runsSpillway } from "../../clients/own-command.ts";
import { type ProbeReport, probeServer, SAMPLE_CHARS } from "../../clients/probe-server.ts";
import type { Check } from "./check.ts";

/** Checks one client: its config, the start, the tools, the limit of a reply, and the call that reads on. */
export async function checkClient(client: Client, machine: ClientMachine, signal: AbortSignal): Promise<Check[]> {
  try {
    const { entry, path } = await findEntry(client, machine);
    const { command, args } = entry.server;
    const config = {
      name: "config",
      ok: true,
      detail: `${path}: ${entry.name} starts ${[command, ...args].join(" ")}`,
    };
    return [config, ...(await checkServer(client, entry.server, machine, signal))];
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [{ name: "config", ok: false, detail: error.advice }];
  }
}

/** Our entry: of this folder or of the project, which count first in every client, else of the user. */
async function findEntry(client: Client, machine: ClientMachine) {
  const scopes = client.projectFiles.length === 0 ? (["user"] as const) : (["project", "user"] as const);
  const paths: string[] = [];
  for (const scope of scopes) {
    const config = await openClientConfig(client, scope, machine);
    const isHere = ({ folder }: ServerEntry) => folder === undefined || folder === machine.cwd;
    const entry = listServers(config).filter(isHere).find(isOurs);
    if (entry) return { entry, path: config.file.path };
    paths.push(config.file.path);
  }
  throw new SpillwayError("client_config", `${client.title} does not have Spillway in ${paths.join(" or ")}.`, {
    hint: `Run spillway install ${client.id}.`,
  });
}

const isOurs = (entry: ServerEntry): entry is ServerEntry & { server: ServerCommand } => runsSpillway(entry.server);

async function checkServer(
  client: Client,
  server: ServerCommand,
  machine: ClientMachine,
  signal: AbortSignal,
): Promise<Check[]> {
  try {
    const named = Object.fromEntries((server.envNames ?? []).map((name) => [name, machine.env[name]]));
    const env = { ...passedEnv(client, machine), ...named, ...server.env };
    const report = await probeServer(client, { server, cwd: machine.cwd, env, signal });
    return [describeStart(report), describeTools(report), describeLimit(client, report), describeReadOn(report)];
  } catch (error) {
    if (!(error instanceof ServerFault)) throw error;
    const hint = `Run spillway install ${client.id} to write its command again.`;
    return [{ name: "server", ok: false, detail: `${error.message} ${hint}` }];
  }
}

/** What clients pass on to a server: a few variables. One that is started from a desktop has the system's PATH only. */
function passedEnv({ isDesktop }: Client, { env, platform }: ClientMachine): Record<string, string | undefined> {
  if (platform === "win32") return { ...env };
  const names = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
  const passed = Object.fromEntries(names.map((name) => [name, env[name]]));
  return isDesktop ? { ...passed, PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" } : passed;
}

function describeStart({ serverName, revision }: ProbeReport): Check {
  return { name: "server", ok: true, detail: `${serverName} speaks MCP revision ${revision}` };
}

function describeTools({ tools, definitionChars }: ProbeReport): Check {
  const needed = ["fetch_content", "read_artifact"];
  const missing = needed.filter((name) => !tools.includes(name));
  const tokens = `about ${formatNumber(estimateTokens(definitionChars))} tokens of definitions`;
  if (missing.length > 0) return { name: "tools", ok: false, detail: `${missing.join(", ")} is missing in the list.` };
  return { name: "tools", ok: true, detail: `${formatCount(tools.length, "tool")}, ${tokens}: ${tools.join(", ")}` };
}

/** Each form is measured by itself: which of them a client shows differs. */
function describeLimit(client: Client, { first }: ProbeReport): Check {
  const limit = findClientProfile(client.introducesAs)?.limit ?? {};
  const forms = Object.entries({ text: first.text, "structured content": first.structured }).filter(
    ([, form]) => form !== "",
  );
  const exceeded = forms.flatMap(([form, content]) => listExceeded(content, limit).map((unit) => `${form}: ${unit}`));
  const sizes = forms.map(([form, content]) => `${form} ${formatNumber(content.length)} characters`).join(", ");
  const models = clientRows.find(({ name }) => name === findClientProfile(client.introducesAs)?.name)?.models;
  const others = models === undefined ? "" : ", for a model that is not in its catalogue; others get more";
  const holds =
    Object.keys(limit).length === 0 ? `${client.title} publishes no limit` : `limit ${writeLimit(limit)}${others}`;
  if (exceeded.length === 0) return { name: "reply", ok: true, detail: `${sizes}; ${holds}` };
  return { name: "reply", ok: false, detail: `${sizes}; over the limit of ${client.title} (${exceeded.join(", ")}).` };
}

function listExceeded(content: string, limit: ResultLimit): string[] {
  const { length: chars } = content;
  const size = { chars, bytes: countBytes(content), lines: countLines(content), tokens: estimateTokens(chars) };
  const units = ["chars", "bytes", "lines", "tokens"] as const;
  return units
    .filter((unit) => size[unit] > (limit[unit] ?? Infinity))
    .map((unit) => `${formatNumber(size[unit])} ${unit}`);
}

const writeLimit = (limit: ResultLimit): string =>
  Object.entries(limit)
    .map(([unit, max]) => `${formatNumber(max)} ${unit}`)
    .join(", ");

/** What was cut, and whether the next call continues exactly there. */
function describeReadOn({ first, next, readOn }: ProbeReport): Check {
  const name = "cut";
  const shown = first.lines?.[1] ?? 0;
  const cut = `a sample of ${formatNumber(SAMPLE_CHARS)} characters was cut after line ${formatNumber(shown)}`;
  if (next?.lines === undefined) return { name, ok: false, detail: `${cut}, and no reply says how to read on.` };
  const [start, end] = next.lines;
  const continues = start === shown + 1 || start === shown + 2; // A line may be cut in two.
  if (!continues) return { name, ok: false, detail: `${cut}, but ${readOn} continues at line ${formatNumber(start)}.` };
  return { name, ok: true, detail: `${cut}; ${readOn} reads on to line ${formatNumber(end)}` };
}
