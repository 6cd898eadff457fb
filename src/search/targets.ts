/** Which repositories a search covers: one folder, one repository by its id, or every repository of a project. */
import { resolve } from "node:path";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { type ChosenProject, findProject } from "./repository/choose-project.ts";
import { findFileProject, type Project } from "./repository/project.ts";
import { openRepository, type RepositoryHold } from "./repository/repository.ts";
import {
  checkListed,
  type ListedRepository,
  listProjects,
  listRepositories,
  openListed,
  parseRepositoryId,
} from "./repository/repository-list.ts";
import { inputNames, type ParameterNames, type SearchInput, searchInvalid } from "./search-input.ts";

/** The repositories of a search. Each is opened when it is needed, and as often as it is needed. */
export type SearchTargets = {
  readonly project: Project;
  /** Why the project that a project file names was not used; null where it was, or none is named. */
  readonly projectProblem: string | null;
  /** Whether a whole project is searched: then results say which repository they are of. */
  readonly isWide: boolean;
  readonly open: readonly (() => Promise<RepositoryHold>)[];
  /** Repositories of the project that may not be searched, or whose folder is gone: one sentence each. */
  readonly skipped: readonly string[];
};

type TargetInput = Pick<SearchInput, "dir" | "project_id" | "repository_id">;

/** Finds what to search. Only a folder that is named, or the current one without a project, is indexed for the first time. */
export async function findTargets(
  input: TargetInput,
  session: Session,
  names: ParameterNames = inputNames,
): Promise<SearchTargets> {
  const dir = resolve(session.cwd, input.dir || ".");
  const one = (project: Project, open: () => Promise<RepositoryHold>, projectProblem: string | null = null) => ({
    project,
    projectProblem,
    isWide: false,
    open: [open],
    skipped: [],
  });
  if (input.repository_id) {
    const listed = findListed(input.repository_id, input.project_id, dir, session, names);
    return one(listed.project, () => openListed(listed, session.roots));
  }
  const project = projectOf(input.project_id, dir, session, false, names);
  if (input.dir || !input.project_id)
    return one(project, () => openRepository(project, dir, session.roots), project.fileProblem);
  return openProject(project, session, names);
}

/** The project that is named, or that of the nearest project file, or the default. */
export function projectOf(
  explicit: string | undefined,
  startFolder: string,
  session: Session,
  create: boolean,
  names: ParameterNames = inputNames,
): ChosenProject {
  try {
    return findProject({ explicit, startFolder, home: session.searchFolder, scope: session.store, create, names });
  } catch (error) {
    if (!(error instanceof SpillwayError) || error.code !== "project_not_found") throw error;
    const projects = projectsOf(session);
    const listing = projects.length === 0 ? "" : `There are: ${quoteProjects(projects)}. `;
    throw new SpillwayError(error.code, error.message, { hint: `${listing}${error.hint}`, cause: error });
  }
}

/** The projects of this owner that have a repository. */
export const projectsOf = ({ searchFolder, store }: Session): Project[] => listProjects(searchFolder, store);

function findListed(
  given: string,
  projectId: string | undefined,
  dir: string,
  session: Session,
  names: ParameterNames,
): ListedRepository {
  const id = parseRepositoryId(given, names.repository);
  const holders = projectsOf(session).flatMap((project) => listRepositories(project).filter((each) => each.id === id));
  if (projectId) return findHolder(id, projectOf(projectId, dir, session, false, names), holders, names);
  // Any file may choose between projects that hold the repository: nothing is added to them.
  const fileProject = findFileProject(dir);
  const [only, ...others] = fileProject === undefined ? holders : preferProject(holders, fileProject.id);
  if (only === undefined) throw makeRepositoryError(`No repository ${id} in any project.`, indexHint(names));
  if (others.length === 0) return only;
  throw searchInvalid(
    `Repository ${id} is in ${holders.length} projects: ${quoteProjects(holders.map(({ project }) => project))}.`,
    `Name one of them, for example ${names.project}=${only.project.id}.`,
  );
}

function findHolder(
  id: string,
  project: Project,
  holders: readonly ListedRepository[],
  names: ParameterNames,
): ListedRepository {
  const ofProject = holders.find((each) => each.project.id === project.id && each.project.folder === project.folder);
  if (ofProject !== undefined) return ofProject;
  const sentence = `No repository ${id} in project ${JSON.stringify(clip(project.id))}`;
  const [other] = holders;
  if (other === undefined) throw makeRepositoryError(`${sentence}.`, indexHint(names));
  throw makeRepositoryError(
    `${sentence}; it is in ${quoteProjects(holders.map(({ project }) => project))}.`,
    `Send ${names.project}=${other.project.id}, or omit ${names.project}.`,
  );
}

/** The repository in the project of the nearest project file, if it is there; else all. */
function preferProject(holders: readonly ListedRepository[], id: string): readonly ListedRepository[] {
  const own = holders.filter(({ project }) => project.id === id);
  return own.length > 0 ? own : holders;
}

const indexHint = ({ repository }: ParameterNames): string =>
  `Index its folder first, or omit ${repository} to search the current folder.`;

function makeRepositoryError(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("repository_not_found", sentence, { hint });
}

const MAX_NAMED_PROJECTS = 10;

function quoteProjects(projects: readonly Project[]): string {
  const names = projects.slice(0, MAX_NAMED_PROJECTS).map(({ id }) => JSON.stringify(clip(id)));
  const others = projects.length - names.length;
  return [...names, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}

/** All repositories of a project that can be searched now. */
async function openProject(project: Project, { roots }: Session, names: ParameterNames): Promise<SearchTargets> {
  const listed = listRepositories(project);
  const open: (() => Promise<RepositoryHold>)[] = [];
  const failures: SpillwayError[] = [];
  for (const repository of listed) {
    try {
      await checkListed(repository, roots);
      open.push(() => openListed(repository, roots));
    } catch (error) {
      if (!(error instanceof SpillwayError)) throw error;
      failures.push(error);
    }
  }
  const [failure] = failures;
  if (open.length === 0 && failure !== undefined) throw failure;
  if (open.length === 0) {
    throw makeRepositoryError(
      `Project ${JSON.stringify(clip(project.id))} has no repository.`,
      `Index a folder into it first, with its ${names.project}.`,
    );
  }
  return { project, projectProblem: null, isWide: true, open, skipped: failures.map(({ message }) => message) };
}
