/** Checks that the project file of the current folder names a project that it may name. */
import { SpillwayError } from "../../../errors.ts";
import { chooseFileProject } from "../../../search/repository/choose-project.ts";
import type { Session } from "../../../session/session.ts";
import type { Check } from "./check.ts";

/** Nothing where there is no project file. */
export function checkProjectFile({ cwd, searchFolder, store }: Session): Check[] {
  const name = "project";
  try {
    const chosen = chooseFileProject(cwd, { home: searchFolder, scope: store });
    if (chosen === undefined) return [];
    if (chosen.fileProblem === null) return [{ name, ok: true, detail: `searches use ${JSON.stringify(chosen.id)}` }];
    return [{ name, ok: false, detail: `${chosen.fileProblem} ${JOIN_HINT}` }];
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [{ name, ok: false, detail: error.advice }];
  }
}

const JOIN_HINT = "If it belongs there, run spillway index --project ID in the folder; else change or remove the file.";
