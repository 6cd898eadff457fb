/** Removes unfinished files of a process that was killed. They hold a config, and so perhaps its keys. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Longer than any change takes: the file of a process that still runs stays. */
const MIN_AGE_MS = 60 * 60_000;

/** Removes the old files of a folder whose names match. One that cannot be removed does not stop a change. */
export async function removeLeftovers(folder: string, name: RegExp): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((each) => name.test(each));
  for (const path of names.map((each) => join(folder, each))) {
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > MIN_AGE_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}
