/** Reads the address of a repository's page: which repository it is, and which refs it may mean. */

export type RepositoryPage = {
  readonly repository: readonly string[];
  /** What to try, in this order; undefined is the default branch. */
  readonly refs: readonly (string | undefined)[];
};

/** Reads the decoded names of a page's path at this site. */
export function readRepositoryPage(site: string, names: readonly string[]): RepositoryPage {
  const { repository, rest } = splitNames(site, names);
  const [last = "", ...before] = repository.toReversed();
  const refs = readRefs(site, rest);
  return {
    repository: [...before.reverse(), last.replace(/\.git$/, "")],
    refs: refs.length === 0 ? [undefined] : refs,
  };
}

/** On most sites a repository has two names; on GitLab it has any number, and `-` ends them. */
function splitNames(site: string, names: readonly string[]) {
  const dash = names.indexOf("-");
  const count = site !== "gitlab" ? 2 : dash < 0 ? names.length : dash;
  return { repository: names.slice(0, count), rest: names.slice(site === "gitlab" ? count + 1 : count) };
}

function readRefs(site: string, [kind = "", ...rest]: readonly string[]): readonly string[] {
  const [first = "", ...others] = rest;
  switch (kind) {
    case "tree":
    case "blob":
    case "raw":
    case "src":
    case "commit":
    case "commits":
    case "branch":
      return listPrefixes(/^(branch|tag|commit)$/.test(first) ? others : rest);
    case "pull":
    case "pulls":
    case "merge_requests":
      return /^\d+$/.test(first) ? [`refs/${site === "gitlab" ? "merge-requests" : "pull"}/${first}/head`] : [];
    case "releases":
    case "tags":
      return toTag(first === "tag" ? others : rest);
    case "compare":
      return listHead(rest.join("/"));
    default:
      return [];
  }
}

const MAX_REF_NAMES = 4;

/** `feature/gates/src` may be `src` at `feature/gates`. */
const listPrefixes = (names: readonly string[]): readonly string[] =>
  names.slice(0, MAX_REF_NAMES).map((_, index) => names.slice(0, index + 1).join("/"));

/** `latest` names no tag, so it is the default branch. */
function toTag(names: readonly string[]): readonly string[] {
  const tag = names.join("/");
  return tag === "" || tag === "latest" ? [] : [`refs/tags/${tag}`];
}

/** The newer side of `v1...v2`. */
function listHead(range: string): readonly string[] {
  const [, head = ""] = range.split(/\.{2,3}/);
  return head === "" ? [] : [head];
}
