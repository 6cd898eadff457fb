/**
 * Chooses the project of a call. A project file may come with a stranger's repository, so it cannot add its folder to a
 * project that holds other folders: their searches would show the stranger's files.
 */
import { existsSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { SpillwayError } from "../../errors.ts";
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import { inputNames, type ParameterNames } from "../search-input.ts";
import { type FileProject, findFileProject, makeProject, type Project, requireProjectId } from "./project.ts";
import { listRepositories } from "./repository-list.ts";

/** A project, and why the one that a project file names was not used. */
export type ChosenProject = Project & { readonly fileProblem: string | null };

type ProjectPlace = {
  /** Folder of all this owner's projects, or null. */
  readonly home: string | null;
  /** The object that indexes in memory belong to. */
  readonly scope: object;
};

type ProjectOptions = ProjectPlace & {
  /** The project id that the client sent. */
  readonly explicit: string | undefined;
  /** Where the search for a project file begins, upwards. */
  readonly startFolder: string;
  /** Whether the named project may be a new one. */
  readonly create: boolean;
  /** What errors call the parameters. */
  readonly names?: ParameterNames;
};

const defaultProject = "default";

/** The project that the client named, or that of the nearest project file, or the default. */
export function findProject({
  explicit,
  startFolder,
  create,
  names = inputNames,
  ...place
}: ProjectOptions): ChosenProject {
  if (explicit !== undefined && explicit !== "") {
    const project = makeProject(requireProjectId(explicit, names.project), place.home, place.scope);
    if (!create && !exists(project)) throw makeUnknownProjectError(project.id, names.project);
    return { ...project, fileProblem: null };
  }
  const chosen = chooseFileProject(startFolder, place);
  return chosen ?? { ...makeProject(defaultProject, place.home, place.scope), fileProblem: null };
}

/** The project of the nearest project file, or the default one and the reason; undefined where there is no file. */
export function chooseFileProject(startFolder: string, { home, scope }: ProjectPlace): ChosenProject | undefined {
  const file = findFileProject(startFolder);
  if (file === undefined) return undefined;
  const project = makeProject(file.id, home, scope);
  if (mayJoin(file, project)) return { ...project, fileProblem: null };
  return { ...makeProject(defaultProject, home, scope), fileProblem: describeRefusal(file) };
}

/** A file can make a new project, or name one that already holds its folder: then the user has put it there. */
function mayJoin({ folder }: FileProject, project: Project): boolean {
  const repositories = project.id === defaultProject ? [] : listRepositories(project);
  const ownFolder = realpathSync(folder);
  return repositories.length === 0 || repositories.some(({ root }) => isAtOrBelow(root, ownFolder));
}

const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** No advice to the reader: a model would follow it, and only the user may decide. */
function describeRefusal({ id, path }: FileProject): string {
  return `The project file ${clip(path, PATH_CHARS)} names ${JSON.stringify(clip(id))}, a project of other folders, so the project ${JSON.stringify(defaultProject)} is used. Only the user can add this folder to it.`;
}

function exists(project: Project): boolean {
  return (project.folder !== null && existsSync(project.folder)) || listRepositories(project).length > 0;
}

function makeUnknownProjectError(id: string, label: string): SpillwayError {
  return new SpillwayError("project_not_found", `There is no project ${JSON.stringify(clip(id))}.`, {
    hint: `Index a repository into it first, or omit ${label}.`,
  });
}
