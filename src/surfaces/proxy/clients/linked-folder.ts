/** A temporary stand-in for a client's config folder: links to everything in it but one file, which is changed. */
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../errors.ts";

/** Makes `copy` look like `home`. The client writes through the links; only the changed file is a copy. */
export async function linkFolder(
  home: string,
  copy: string,
  changedFile: string,
  change: (text: string | undefined) => string,
): Promise<void> {
  await linkAround(home, copy, changedFile.split("/"));
  await writeFile(join(copy, changedFile), change(await readIfPresent(join(home, changedFile))), { mode: 0o600 });
}

/** Links every entry but the first step of the path, which becomes a folder of links itself. */
async function linkAround(home: string, copy: string, [step = "", ...rest]: readonly string[]): Promise<void> {
  await mkdir(copy, { recursive: true });
  for (const name of await listNames(home)) {
    if (name !== step) await symlink(join(home, name), join(copy, name));
  }
  if (rest.length > 0) await linkAround(join(home, step), join(copy, step), rest);
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return []; // The client has not been used yet.
    throw error;
  });
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
}
