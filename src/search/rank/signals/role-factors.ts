/** The factor for files around the code: tests, examples, documents, generated and third-party files. */
import { type FileRole, fileRoles } from "../../index/file-roles.ts";
import type { IndexView } from "../../index/index-view.ts";
import { measureCode } from "../question-words.ts";
import { rankWeights } from "../weights.ts";

const roleNames = Object.keys(fileRoles) as FileRole[];

/** The factor for each role's bit. */
export function weighRoles(view: IndexView, queryRoles: number): readonly (readonly [number, number])[] {
  const codeShare = measureCode(view);
  return roleNames.map((role) => {
    const bit = fileRoles[role];
    if ((queryRoles & bit) !== 0) return [bit, rankWeights.namedRole];
    const factor = rankWeights.roles[role];
    return [bit, subjectRoles.has(role) ? 1 - (1 - factor) * codeShare : factor];
  });
}

/** Roles that a repository can be about. Third-party and generated files never are, however many there are. */
const subjectRoles: ReadonlySet<FileRole> = new Set(["prose", "example", "test"]);

/** The factor for a file with these traits. */
export function roleFactor(traits: number, roleWeights: readonly (readonly [number, number])[]): number {
  let factor = 1;
  for (const [bit, weight] of roleWeights) if ((traits & bit) !== 0) factor *= weight;
  return factor;
}
