/** Finds repositories and projects that were indexed before, on disk or in the memory of this process. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { clip } from "../../system/safe-names.ts";
import { searchInvalid } from "../search-input.ts";
import type { Project } from "./project.ts";
import { listOpen, openKnown, type RepositoryHold, type Roots, refuseRoot, requireFolder } from "./repository.ts";
import { readFacts } from "./repository-facts.ts";

/** A repository of a project that is not open. */
export type ListedRepository = { readonly id: string; readonly root: string; readonly project: Project };

/** Throws if a repository may not be searched, or if its folder is gone: its index must not be emptied because of that. */
export async function checkListed({ id, root }: ListedRepository, roots: Roots): Promise<void> {
  await refuseRoot(id, root, roots); // The error names the id: a path outside the roots is not for the caller.
  requireFolder(root);
}

/** Opens a listed repository. */
export async function openListed(listed: ListedRepository, roots: Roots): Promise<RepositoryHold> {
  await checkListed(listed, roots);
  return openKnown(listed.project, listed.root, listed.id);
}

const REPOSITORY_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id in the form that is stored. Throws for anything else, with `label` as what it is called. */
export function parseRepositoryId(id: string, label: string): string {
  if (REPOSITORY_ID.test(id.toLowerCase())) return id.toLowerCase();
  throw searchInvalid(`Invalid ${label} format: ${clip(id)}`, "Give the repository_id of an indexing reply unchanged.");
}

/** The repositories of a project, on disk or in the memory of this process, ordered by id. */
export function listRepositories(project: Project): ListedRepository[] {
  const home = project.folder === null ? null : dirname(project.folder);
  const open = listOpen(home, project.scope).filter((each) => isSameProject(each.project, project));
  const roots = new Map(open.map(({ id, root }) => [id, root]));
  for (const id of project.folder === null ? [] : namesIn(project.folder)) {
    const root = REPOSITORY_ID.test(id) ? readFacts(join(project.folder ?? "", id))?.root : undefined;
    if (root !== undefined) roots.set(id, root);
  }
  return [...roots].map(([id, root]) => ({ id, root, project })).sort((one, other) => (one.id < other.id ? -1 : 1));
}

const isSameProject = (one: Project, other: Project): boolean => one.id === other.id && one.folder === other.folder;

/** The projects of an owner that have a repository, by the folder of all of them and the object in memory. */
export function listProjects(home: string | null, scope: object): Project[] {
  const projects = new Map<string, Project>();
  for (const { project } of listOpen(home, scope)) projects.set(project.folder ?? project.id, project);
  for (const name of home === null ? [] : namesIn(home)) {
    const folder = join(home ?? "", name);
    const id = projects.has(folder) ? undefined : readProjectId(folder);
    if (id !== undefined) projects.set(folder, { id, folder, scope });
  }
  return [...projects.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The id of the project whose indexes are in this folder; undefined if there are none. */
function readProjectId(folder: string): string | undefined {
  for (const name of namesIn(folder)) {
    const facts = REPOSITORY_ID.test(name) ? readFacts(join(folder, name)) : undefined;
    // Early indexes do not name their project; most ids are the name of their folder.
    if (facts !== undefined) return facts.project_id ?? basename(folder);
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // Nothing was stored.
  }
}
