/** `spillway store migrate`: copies the store to the one that another config file names. */
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { formatCount, formatSize } from "../../answer/phrases.ts";
import { type Migration, migrateStore } from "../../artifacts/migrate/migrate-store.ts";
import { diskStorage, type Storage } from "../../artifacts/storage.ts";
import { teamStorage } from "../../artifacts/team-storage.ts";
import { loadConfig, requireValid } from "../../config/load-config.ts";
import { findDataHome } from "../../config/paths.ts";
import { SpillwayError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import type { Call, ExitCode } from "./command.ts";
import { readText } from "./options.ts";
import { toJsonLine } from "./output.ts";

export async function migrate(call: Call, session: Session): Promise<ExitCode> {
  const file = readText(call, "to");
  if (file === undefined) {
    throw new SpillwayError("usage", "store migrate needs --to FILE.", {
      hint: "Write the settings of the new store (store.catalogue, store.objects, ... or home) into a config file and name it.",
    });
  }
  const { terminal, signal } = call;
  const target = await openTarget(file, call);
  try {
    const progress = (done: string) => terminal.progress?.(done);
    const result = await migrateStore(session.store, target, { signal, now: session.now, progress });
    terminal.progress?.("");
    await terminal.out(call.json ? toJsonLine(result) : toText(result));
    return result.damagedBlobs === 0 ? 0 : 1;
  } finally {
    await target.catalogue.close();
    await target.close?.();
  }
}

/** The store that the file alone names: no variable and no other file counts, because those name the present one. */
async function openTarget(file: string, { terminal }: Call): Promise<Storage> {
  const { cwd, env } = terminal;
  await requireFile(resolve(cwd, file));
  const ownEnv = { HOME: env.HOME ?? homedir(), XDG_DATA_HOME: env.XDG_DATA_HOME, SPILLWAY_CONFIG: resolve(cwd, file) };
  const settings = requireValid(await loadConfig({ cwd: ownEnv.HOME, env: ownEnv }));
  const home = findDataHome(settings.home, ownEnv, process.platform);
  const isTeams = settings["store.catalogue"] !== null || settings["store.objects"] !== null;
  return isTeams ? teamStorage(home, settings) : diskStorage(home);
}

/** Said here, because the loader would speak of the variable that we name the file with. */
async function requireFile(path: string): Promise<void> {
  await access(path).catch((cause: unknown) => {
    throw new SpillwayError("config_invalid", `There is no config file ${clip(path, PATH_CHARS)}.`, {
      hint: "Write the settings of the new store into it, as docs/scaling.md shows, or name another file with --to.",
      cause,
    });
  });
}

function toText(migration: Migration): string {
  const { blobs, bytes, presentBlobs, damagedBlobs, segments, leftInPlace, rows } = migration;
  const lines = [
    `${formatCount(blobs, "blob")} copied and compared (${formatSize(bytes)}), ${presentBlobs} were there already`,
    `${formatCount(rows.artifacts, "artifact")} added, ${formatCount(rows.tombstones, "tombstone")}, ${formatCount(rows.responses, "response")}`,
    ...(segments === 0 ? [] : [`${formatCount(segments, "index segment")} copied and compared`]),
    ...(leftInPlace === 0
      ? []
      : [
          `${formatCount(leftInPlace, "artifact")} of files that are read in place stayed behind: fetch those files again`,
        ]),
    ...(damagedBlobs === 0
      ? []
      : [
          `${formatCount(damagedBlobs, "blob")} damaged in the old store; their artifacts stayed behind. Run spillway store check --deep.`,
        ]),
    "Give every machine the settings of the new store. The old one is unchanged; run this again to add what was kept meanwhile.",
  ];
  return `${lines.join("\n")}\n`;
}
