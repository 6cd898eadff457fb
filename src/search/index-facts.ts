/** What a reply says about the indexes it was made from, one or many. */
import { basename } from "node:path";
import type { CodeResult, EmbeddingFacts, SearchFacts } from "../contract/search-fields.ts";
import { safeFileName } from "../system/safe-names.ts";
import type { IndexingState, PreparedIndex } from "./prepared-index.ts";
import type { SearchTargets } from "./targets.ts";

type IndexFacts = Omit<SearchFacts, "total_count" | "latency_ms" | "next_cursor">;

/** Makes the facts for the results that a reply has room for. */
export function describeIndexes(
  { project, projectProblem, isWide, skipped }: SearchTargets,
  indexes: readonly PreparedIndex[],
): (returned: readonly CodeResult[]) => IndexFacts {
  const [first] = indexes;
  const storageProblem = indexes.find(({ repository }) => repository.storageProblem !== null)?.repository
    .storageProblem;
  const indexing = joinIndexing(indexes);
  const embedding = joinEmbedding(indexes);
  return (returned) => ({
    project_id: project.id,
    database_name: indexes.length > 1 ? safeFileName(project.id) : (first?.repository.databaseName ?? ""),
    repository_id: indexes.length > 1 ? null : (first?.repository.id ?? null),
    indexed_at: findOldest(indexes),
    stale_files: returned.filter(({ stale }) => stale).map(pathOf),
    ...(isWide && { repositories: countRepositories(indexes, skipped) }),
    ...(indexing === null ? {} : { indexing }),
    ...(projectProblem === null ? {} : { project_problem: projectProblem }),
    ...(storageProblem == null ? {} : { storage_problem: storageProblem }),
    ...(embedding === null ? {} : { embedding }),
  });
}

const pathOf = ({ repository, file_path }: CodeResult): string =>
  repository === undefined ? file_path : `${repository}/${file_path}`;

function countRepositories(indexes: readonly PreparedIndex[], skipped: readonly string[]) {
  const [problem] = skipped;
  return { searched: indexes.length, skipped: skipped.length, ...(problem !== undefined && { problem }) };
}

/** Null while one of them was never complete. */
function findOldest(indexes: readonly PreparedIndex[]): string | null {
  const times = indexes.flatMap(({ indexedAt }) => indexedAt ?? []);
  return times.length < indexes.length ? null : (times.sort()[0] ?? null);
}

function joinIndexing(indexes: readonly PreparedIndex[]): IndexingState | null {
  const [only, ...others] = indexes;
  if (only !== undefined && others.length === 0) return only.indexing;
  const open = indexes.flatMap(({ indexing, repository }) => (indexing === null ? [] : [{ ...indexing, repository }]));
  if (open.length === 0) return null;
  const missing = open.reduce((sum, { files_missing = 0 }) => sum + files_missing, 0);
  const failed = open.filter(({ error }) => error !== undefined);
  return {
    files_done: open.reduce((sum, { files_done }) => sum + files_done, 0),
    files_total: open.reduce((sum, { files_total }) => sum + files_total, 0),
    ...(missing > 0 && { files_missing: missing }),
    ...(failed.length > 0 && {
      error: failed.map(({ repository, error }) => `${nameOf(repository)}: ${error}`).join(" "),
    }),
  };
}

const nameOf = ({ root, databaseName }: PreparedIndex["repository"]): string => basename(root) || databaseName;

/** The problem of any index is the problem of all: then none is ranked by vectors. */
function joinEmbedding(indexes: readonly PreparedIndex[]): EmbeddingFacts | null {
  const [only, ...others] = indexes;
  if (only !== undefined && others.length === 0) return only.embedding;
  const failed = indexes.find(({ embedding }) => embedding !== null && embedding.problem !== null);
  if (failed?.embedding == null) return only?.embedding ?? null;
  return { model: failed.embedding.model, problem: `${nameOf(failed.repository)}: ${failed.embedding.problem}` };
}
