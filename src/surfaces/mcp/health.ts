/** `health://status`: whether the settings and the store work, and what is wrong if not. */
import { access, constants, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { toStoreError } from "../../artifacts/store-errors.ts";
import { describeProblems } from "../../config/config-problem.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { describeWriteFailure, SpillwayError } from "../../errors.ts";
import { handlers } from "../../extract/handlers.ts";
import type { Session } from "../../session/session.ts";
import { makeFolders } from "../../system/folders.ts";
import { builtInTools, listShown } from "../../tools/tools.ts";
import { version } from "../../version.ts";

/** The status as the resource returns it. */
type Health = {
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly node: string;
  readonly run: string;
  readonly client: string;
  readonly tools: readonly string[];
  readonly handlers: readonly string[];
  readonly settings: { readonly files: readonly string[]; readonly problems: readonly string[] };
  readonly store: { readonly folder: string; readonly problem: string | null };
};

/** Checks the settings and the store now. */
export async function checkHealth(session: Session, config: LoadedConfig, client: string): Promise<Health> {
  const problems = describeProblems(config.problems);
  const [spoolFolder = ""] = session.spoolFolders;
  const folder = session.homeProblem === null ? dirname(spoolFolder) : spoolFolder;
  const problem =
    (await findWriteProblem(spoolFolder)) ?? (await findReadProblem(session)) ?? (await findPartProblem(session));
  return {
    status: problems.length === 0 && problem === null ? "ok" : "degraded",
    version,
    node: process.versions.node,
    run: session.store.run,
    client,
    tools: listShown(builtInTools, session).map(({ name }) => name),
    handlers: handlers.map(({ name }) => name),
    settings: { files: config.files.filter(({ exists }) => exists).map(({ path }) => path), problems },
    store: { folder, problem },
  };
}

/** The same for a client on another machine: the files and folders of this one are not its business. */
export function hidePaths({ settings: _, store, ...health }: Health) {
  return {
    ...health,
    store: { problem: store.problem === null ? null : "The store does not work; the server's log says why." },
  };
}

async function findWriteProblem(folder: string): Promise<string | null> {
  try {
    await makeFolders(folder);
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < MIN_FREE_BYTES
      ? "The disk is full: replies have no artifact_ref. Free space, or set SPILLWAY_HOME to a folder on another disk."
      : null;
  } catch (error) {
    return `It ${describeWriteFailure(error)}: replies have no artifact_ref. Free space, or set SPILLWAY_HOME to a folder that can be written.`;
  }
}

/** The catalogue writes its log in pages; with less room than a few of them nothing can be kept. */
const MIN_FREE_BYTES = 128 * 1024;

/** The part of a team store that is down; null if both work or the store is not a team's. */
async function findPartProblem({ store }: Session): Promise<string | null> {
  if (store.parts === undefined) return null;
  const { checkParts } = await import("../../artifacts/check-parts.ts");
  return (await checkParts(store)).find(({ ok }) => !ok)?.detail ?? null;
}

/** A catalogue that is damaged or of a newer version; null if it can be read. */
async function findReadProblem({ store }: Session): Promise<string | null> {
  try {
    await store.totals();
    return null;
  } catch (error) {
    const problem = toStoreError("read", error);
    return problem instanceof SpillwayError ? problem.advice : String(problem);
  }
}
