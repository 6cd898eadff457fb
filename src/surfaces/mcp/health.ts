/** `health://status`: whether the settings and the store work, and what is wrong if not. */
import { access, constants } from "node:fs/promises";
import { describeProblems } from "../../config/config-problem.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { describeWriteFailure } from "../../errors.ts";
import { handlers } from "../../extract/handlers.ts";
import type { Session } from "../../session/session.ts";
import { makeFolders } from "../../system/folders.ts";
import { builtInTools, listOffered } from "../../tools/tools.ts";
import { version } from "../../version.ts";

/** The status as the resource returns it. */
type Health = {
  readonly status: "ok" | "degraded";
  readonly version: string;
  readonly node: string;
  readonly run: string;
  readonly client: string | null;
  readonly tools: readonly string[];
  readonly handlers: readonly string[];
  readonly settings: { readonly files: readonly string[]; readonly problems: readonly string[] };
  readonly store: { readonly folder: string; readonly problem: string | null };
};

/** Checks the settings and the store now. */
export async function checkHealth(session: Session, config: LoadedConfig, client: string | null): Promise<Health> {
  const problems = describeProblems(config.problems);
  const [folder = ""] = session.spoolFolders;
  const problem = await findWriteProblem(folder);
  return {
    status: problems.length === 0 && problem === null ? "ok" : "degraded",
    version,
    node: process.versions.node,
    run: session.store.run,
    client,
    tools: listOffered(builtInTools, session).map(({ name }) => name),
    handlers: handlers.map(({ name }) => name),
    settings: { files: config.files.filter(({ exists }) => exists).map(({ path }) => path), problems },
    store: { folder, problem },
  };
}

async function findWriteProblem(folder: string): Promise<string | null> {
  try {
    await makeFolders(folder);
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    return `It ${describeWriteFailure(error)}: replies have no artifact_ref. Free space, or set SPILLWAY_HOME to a folder that can be written.`;
  }
}
