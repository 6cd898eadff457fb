/** `spillway doctor`: checks everything Spillway depends on, and says how to fix what is wrong. */
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeProblems } from "../../../config/config-problem.ts";
import type { LoadedConfig } from "../../../config/load-config.ts";
import { describeWriteFailure, SpillwayError } from "../../../errors.ts";
import { handlers } from "../../../extract/handlers.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { makeFolders } from "../../../system/folders.ts";
import { clip, escapePath } from "../../../system/safe-names.ts";
import { version } from "../../../version.ts";
import { rejectExtraArguments } from "../arguments.ts";
import { readMachine } from "../client-machine.ts";
import type { Call, Command } from "../command.ts";
import type { Check } from "../doctor/check.ts";
import { checkEngines } from "../doctor/engine-checks.ts";
import { checkLeftovers } from "../doctor/leftovers-check.ts";
import { checkOcr } from "../doctor/ocr-check.ts";
import { checkProjectFile } from "../doctor/project-check.ts";
import { checkBytes, checkCatalogue, checkTeamStore, describeExposedHome } from "../doctor/store-checks.ts";
import { checkWebSearch } from "../doctor/web-check.ts";
import { checkWrapped } from "../doctor/wrapped-check.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const doctorCommand: Command = {
  usage: "doctor [--client NAME]",
  examples: [
    ["doctor", "all checks"],
    ["doctor --client claude-code", "what one client gets"],
  ],
  about:
    "Checks the settings, the store, the event log and the artifacts used last, and reads a sample with every engine. The exit status is 1 if something is wrong.",
  options: {
    deep: { type: "boolean", about: "Also compare the bytes of all artifacts with their hashes." },
    client: {
      type: "string",
      value: "NAME",
      about: "Only start what this client's config says, use it as the client does, and say what fits and what is cut.",
    },
  },
  toleratesBadConfig: true,
  async run(call) {
    rejectExtraArguments(0, call);
    const client = readText(call, "client");
    const checks =
      client === undefined ? [checkSettings(call), ...(await storeChecks(call))] : await clientChecks(call, client);
    const ok = checks.every((check) => check.ok);
    const facts = { version, node: process.versions.node, handlers: handlers.map(({ name }) => name) };
    const handlersNote = client === undefined ? `; handlers: ${facts.handlers.join(", ")}` : "";
    const heading = `spillway ${version} on Node ${facts.node}${handlersNote}\n`;
    await call.terminal.out(call.json ? toJsonLine({ ok, ...facts, checks }) : heading + checks.map(textLine).join(""));
    return ok ? 0 : 1;
  },
};

async function clientChecks({ terminal, signal }: Call, name: string): Promise<Check[]> {
  const [{ findClient }, { checkClient }] = await Promise.all([
    import("../../clients/find-clients.ts"),
    import("../doctor/client-checks.ts"),
  ]);
  return checkClient(findClient(name), readMachine(terminal), signal);
}

function checkSettings({ config }: Call): Check {
  const paths = config.files.filter((file) => file.exists).map(({ path }) => path);
  const detail = paths.length === 0 ? describeMissing(config) : `read from ${paths.join(", ")}`;
  const problems = describeProblems(config.problems);
  return { name: "settings", ok: problems.length === 0, detail: problems.length === 0 ? detail : problems.join(" | ") };
}

/** Where the user's own file would be; nothing has to be in it. */
function describeMissing({ files }: LoadedConfig): string {
  const own = files.find(({ owner }) => owner === "user");
  return own === undefined ? "no config file, using defaults" : `no config file ${own.path}, using defaults`;
}

const storeAdvice = "Free space, or set SPILLWAY_HOME to a folder that can be written.";

async function storeChecks(call: Call): Promise<Check[]> {
  try {
    const session = await call.session();
    if (session.homeProblem !== null) return [describeExposedHome(session.homeProblem)];
    const [spoolFolder = ""] = session.spoolFolders;
    return [
      await checkWritable("store", spoolFolder, `Replies will have no artifact_ref. ${storeAdvice}`),
      await checkWritable("events", session.eventFolder, "Events will not be logged."),
      ...(await checkTeamStore(session)),
      ...(await checkCatalogue(session)),
      ...(call.values.deep === true ? [await checkBytes(call, session)] : []),
      await checkLeftovers(session),
      ...(await checkEngines(session)),
      checkOcr(session.settings),
      await checkWebSearch(session),
      await checkWrapped(readMachine(call.terminal)),
      ...checkProjectFile(session),
    ];
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [{ name: "store", ok: false, detail: error.advice }];
  }
}

/** Tries to write a file. The store is named by its own folder, not by the one for temporary files that is tried. */
async function checkWritable(name: "store" | "events", folder: string, consequence: string): Promise<Check> {
  const named = name === "store" ? dirname(folder) : folder;
  const probe = join(folder, `doctor-${process.pid}`);
  try {
    await makeFolders(folder);
    await writeFile(probe, "probe", { mode: 0o600 });
    await rm(probe);
    return { name, ok: true, detail: `${named} is writable` };
  } catch (error) {
    await rm(probe, { force: true }).catch(() => undefined); // A disk that takes no byte may keep the empty file.
    const place = clip(escapePath(named), PATH_CHARS);
    return { name, ok: false, detail: `${place} ${describeWriteFailure(error)}. ${consequence}` };
  }
}

function textLine({ name, ok, detail }: Check): string {
  return `${ok ? "ok  " : "FAIL"}  ${name}: ${detail}\n`;
}
