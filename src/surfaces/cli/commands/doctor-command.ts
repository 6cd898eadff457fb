/** `spillway doctor`: checks everything Spillway depends on, and says how to fix what is wrong. */
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { formatCount, formatSize } from "../../../answer/phrases.ts";
import { describeProblems } from "../../../config/config-problem.ts";
import { isUnwritable, SpillwayError, systemCode } from "../../../errors.ts";
import { handlers } from "../../../extract/handlers.ts";
import type { Session } from "../../../session/session.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { makeFolders } from "../../../system/folders.ts";
import { clip, escapePath } from "../../../system/safe-names.ts";
import { version } from "../../../version.ts";
import { rejectExtraArguments } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import type { Check } from "../doctor/check.ts";
import { checkEngines } from "../doctor/engine-checks.ts";
import { checkLeftovers } from "../doctor/leftovers-check.ts";
import { checkWebSearch } from "../doctor/web-check.ts";
import { toJsonLine } from "../output.ts";

export const doctorCommand: Command = {
  usage: "doctor",
  about:
    "Checks the settings, the store, the event log and every record, and reads a sample with every engine. The exit status is 1 if something is wrong.",
  options: {},
  toleratesBadConfig: true,
  async run(call) {
    rejectExtraArguments(0, call);
    const checks = [checkSettings(call), ...(await storeChecks(call))];
    const ok = checks.every((check) => check.ok);
    const facts = { version, node: process.versions.node, handlers: handlers.map(({ name }) => name) };
    const heading = `spillway ${version} on Node ${facts.node}; handlers: ${facts.handlers.join(", ")}\n`;
    await call.terminal.out(call.json ? toJsonLine({ ok, ...facts, checks }) : heading + checks.map(textLine).join(""));
    return ok ? 0 : 1;
  },
};

function checkSettings({ config }: Call): Check {
  const paths = config.files.filter((file) => file.exists).map(({ path }) => path);
  const detail = paths.length === 0 ? "no config file, using defaults" : `read from ${paths.join(", ")}`;
  const problems = describeProblems(config.problems);
  return { name: "settings", ok: problems.length === 0, detail: problems.length === 0 ? detail : problems.join(" | ") };
}

const storeAdvice = "Set SPILLWAY_HOME to a writable folder.";

async function storeChecks(call: Call): Promise<Check[]> {
  try {
    const session = await call.session();
    const [spoolFolder = ""] = session.spoolFolders;
    return [
      await checkWritable("store", spoolFolder, `Replies will have no artifact_ref. ${storeAdvice}`),
      await checkWritable("events", session.eventFolder, "Events will not be logged."),
      await checkArtifacts(session),
      await checkLeftovers(session),
      ...(await checkEngines(session)),
      await checkWebSearch(session),
    ];
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [{ name: "store", ok: false, detail: error.advice }];
  }
}

async function checkWritable(name: string, folder: string, consequence: string): Promise<Check> {
  const probe = join(folder, `doctor-${process.pid}`);
  try {
    await makeFolders(folder);
    await writeFile(probe, "probe", { mode: 0o600 });
    await rm(probe);
    return { name, ok: true, detail: `${dirname(probe)} is writable` };
  } catch (error) {
    const place = clip(escapePath(folder), PATH_CHARS);
    return { name, ok: false, detail: `${place} is not writable (${systemCode(error) ?? error}). ${consequence}` };
  }
}

async function checkArtifacts({ store }: Session): Promise<Check> {
  let [count, bytes] = [0, 0];
  const damaged: string[] = [];
  try {
    for await (const listed of store.list()) {
      if ("record" in listed) [count, bytes] = [count + 1, bytes + listed.record.size_bytes];
      else damaged.push(listed.ref);
    }
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return { name: "artifacts", ok: false, detail: `They cannot be listed (${systemCode(error)}). ${storeAdvice}` };
  }
  const summary = `${formatCount(count, "artifact")}, ${formatSize(bytes)}`;
  if (damaged.length === 0) return { name: "artifacts", ok: true, detail: summary };
  const hint = "spillway artifacts rm <ref> removes them.";
  return {
    name: "artifacts",
    ok: false,
    detail: `${summary}; damaged records: ${damaged.slice(0, 20).join(", ")}${damaged.length > 20 ? ", ..." : ""}. ${hint}`,
  };
}

function textLine({ name, ok, detail }: Check): string {
  return `${ok ? "ok  " : "FAIL"}  ${name}: ${detail}\n`;
}
