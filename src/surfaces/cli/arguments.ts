/** The arguments of a command: many inputs answered in order, folders that must exist, and too many refused. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SpillwayError } from "../../errors.ts";
import { PATH_CHARS, STORED_URL_CHARS } from "../../system/clip-lengths.ts";
import { redactUrl } from "../../system/redact-url.ts";
import { clip } from "../../system/safe-names.ts";
import type { Call, ExitCode } from "./command.ts";
import { toErrorFields, toErrorLines, toJsonLine } from "./output.ts";

/** Answers each argument in turn. A failure is reported and the others continue; the exit status is then 1. */
export async function forEachInput(call: Call, answer: (input: string) => Promise<void>): Promise<ExitCode> {
  const { name, args, json, terminal } = call;
  if (args.length === 0) {
    throw new SpillwayError("usage", "No input was given.", {
      hint: `Add a URL, a file, a ref or - for stdin; spillway help ${name} shows what it takes.`,
    });
  }
  let hasFailed = false;
  for (const input of args) {
    try {
      await answer(input);
    } catch (error) {
      if (call.signal.aborted) throw error;
      hasFailed = true;
      if (json)
        await terminal.out(
          toJsonLine({ source_url: clip(redactUrl(input), STORED_URL_CHARS), ...toErrorFields(error) }),
        );
      terminal.note(toErrorLines(error));
    }
  }
  return hasFailed ? 1 : 0;
}

/** Throws for an argument that would otherwise be ignored silently. */
export function rejectExtraArguments(maxCount: number, { name, args }: Call): void {
  const extra = args[maxCount];
  if (extra === undefined) return;
  throw new SpillwayError("usage", `${JSON.stringify(clip(extra))} is one argument too many.`, {
    hint: `spillway help ${name} shows the usage. Put a text of several words in quotes.`,
  });
}

/** The folders that an option names. One that does not exist would allow nothing, so it is refused. */
export async function readFolders({ values, terminal }: Call, name: string): Promise<string[]> {
  const given = values[name];
  const folders = (Array.isArray(given) ? given : []).map((folder) => resolve(terminal.cwd, String(folder)));
  for (const folder of folders) {
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (isFolder) continue;
    throw new SpillwayError("usage", `${clip(folder, PATH_CHARS)} is not a folder of this machine.`, {
      hint: `Create it first, or name another one with --${name}.`,
    });
  }
  return folders;
}
