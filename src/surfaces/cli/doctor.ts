/** `spillway doctor`: whether everything Spillway stands on is sound, and what to do where it is not. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sizeWords } from "../../answer/words.ts";
import { dataHome } from "../../config/places.ts";
import { describeProblem } from "../../config/problem.ts";
import { handlers } from "../../extract/handlers.ts";
import { version } from "../../version.ts";
import type { Call, Command } from "./command.ts";
import { jsonLine } from "./output.ts";

type Check = { readonly name: string; readonly ok: boolean; readonly detail: string };

export const doctorCommand: Command = {
  usage: "doctor",
  about: "Checks the runtime, the settings, the store and the handlers; exit status 1 when something is wrong.",
  options: {},
  toleratesBadConfig: true,
  async run(call) {
    const checks = [runtime(), settings(call), await storeFolder(call), await artifacts(call), handlersCheck()];
    const ok = checks.every((check) => check.ok);
    await call.terminal.out(call.json ? jsonLine({ ok, version, checks }) : checks.map(textLine).join(""));
    return ok ? 0 : 1;
  },
};

function runtime(): Check {
  return { name: "runtime", ok: true, detail: `spillway ${version} on Node ${process.versions.node}` };
}

function settings({ config }: Call): Check {
  const found = config.files.filter((file) => file.found).map(({ path }) => path);
  const detail = found.length === 0 ? "no config file, defaults hold" : `read from ${found.join(", ")}`;
  const problems = config.problems.map((problem) => `${describeProblem(problem)} ${problem.hint}`);
  return { name: "settings", ok: problems.length === 0, detail: problems.length === 0 ? detail : problems.join(" | ") };
}

async function storeFolder(call: Call): Promise<Check> {
  const home = dataHome(call.settings.home, call.terminal.env, process.platform);
  const probe = join(home, "tmp", `doctor-${process.pid}`);
  try {
    await mkdir(join(home, "tmp"), { recursive: true, mode: 0o700 });
    await writeFile(probe, "probe", { mode: 0o600 });
    await rm(probe);
    return { name: "store", ok: true, detail: `${home} can be written` };
  } catch (error) {
    const hint = "Replies will carry no artifact_ref. Set SPILLWAY_HOME to a folder that can be written.";
    return { name: "store", ok: false, detail: `${home} cannot be written (${String(error)}). ${hint}` };
  }
}

async function artifacts(call: Call): Promise<Check> {
  let [count, bytes] = [0, 0];
  const damaged: string[] = [];
  for await (const listed of call.session().store.list()) {
    if ("record" in listed) [count, bytes] = [count + 1, bytes + listed.record.size_bytes];
    else damaged.push(listed.ref);
  }
  const sound = `${count} artifacts, ${sizeWords(bytes)}`;
  if (damaged.length === 0) return { name: "artifacts", ok: true, detail: sound };
  const hint = `spillway artifacts rm <ref> removes them.`;
  return { name: "artifacts", ok: false, detail: `${sound}; damaged records: ${damaged.join(", ")}. ${hint}` };
}

function handlersCheck(): Check {
  return { name: "handlers", ok: true, detail: handlers.map(({ name }) => name).join(", ") };
}

function textLine({ name, ok, detail }: Check): string {
  return `${ok ? "ok  " : "FAIL"}  ${name}: ${detail}\n`;
}
