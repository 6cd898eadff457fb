/** The factor for files around the code: tests, examples, documents, generated and third-party files. */
import { ALL_ROLES, type FileRole, fileRoles } from "../../index/file-roles.ts";
import type { IndexView } from "../../index/index-view.ts";
import { measureCode } from "../question-words.ts";
import { rankWeights } from "../weights.ts";

const roleNames = Object.keys(fileRoles) as FileRole[];

/** The factor for each combination of roles, by their bits: it is needed for thousands of files. */
export function weighRoles(view: IndexView, queryRoles: number): Float64Array {
  const codeShare = measureCode(view);
  const factors = new Float64Array(ALL_ROLES + 1).fill(1);
  for (const role of roleNames) {
    const factor = weighRole(role, queryRoles, codeShare);
    for (let roles = 0; roles <= ALL_ROLES; roles++) {
      if ((roles & fileRoles[role]) !== 0) factors[roles] = (factors[roles] as number) * factor;
    }
  }
  return factors;
}

function weighRole(role: FileRole, queryRoles: number, codeShare: number): number {
  if ((queryRoles & fileRoles[role]) !== 0) return rankWeights.namedRole;
  const factor = rankWeights.roles[role];
  return subjectRoles.has(role) ? 1 - (1 - factor) * codeShare : factor;
}

/** Roles that a repository can be about. Third-party and generated files never are, however many there are. */
const subjectRoles: ReadonlySet<FileRole> = new Set(["prose", "example", "test"]);

/** The factor for a file with these traits. */
export function roleFactor(traits: number, factors: Float64Array): number {
  return factors[traits & ALL_ROLES] as number;
}
