/** Words the answer of a code search: summary, notices, and results as text. */
import type { CodeResult, SearchFacts, SearchReply, SkippedFiles } from "../contract/search-fields.ts";
import { ERROR_CHARS, PATH_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { formatCount, formatNumber, formatSize } from "./phrases.ts";
import { makeStorageNotice } from "./storage-notice.ts";
import { fenceUntrusted } from "./untrusted-fence.ts";

/** One line with the count, the place, and how to get more. */
export function formatSearchSummary(reply: SearchReply): string {
  const { returned_count, database_name, project_id, repository_id, repositories, next_cursor } = reply;
  const name =
    repository_id === null && repositories !== undefined
      ? formatRepositories(repositories.searched)
      : clip(database_name);
  const place = `${name} (project ${clip(project_id)})`;
  if (returned_count === 0) return `Nothing found in ${place}.`;
  const moreHint = next_cursor === null ? "" : ` Read on: the same call with cursor=${next_cursor}.`;
  return `Found ${formatCount(returned_count, "result")} in ${place}, best first.${moreHint}`;
}

/** All results as text inside the fence of untrusted content; empty where there are none. */
export function formatSearchBody({ results }: SearchReply, fenceWord: string): string {
  return results.length === 0 ? "" : fenceUntrusted(results.map(formatResult).join("\n\n"), fenceWord);
}

/** The lines as they are in the file, below their path and line numbers. */
function formatResult(result: SearchReply["results"][number], index: number): string {
  const { file_path, repository, encoded_path, stale, definitions_only, artifact_ref, cut, spans = [] } = result;
  const facts = [
    ...(repository === undefined ? [] : [`in ${repository}`]),
    ...(encoded_path === undefined ? [] : [`hidden characters in its name: ${encoded_path}`]),
    ...(stale ? ["changed since it was indexed"] : []),
    ...(definitions_only ? ["only its definitions are indexed"] : []),
    ...(cut === undefined ? [] : [`${cut.join(" and ")} cut to fit`]),
    ...(artifact_ref == null ? [] : [`all of it: artifact_ref=${artifact_ref}`]),
  ];
  const { startLine, endLine, text } = joinContext(result);
  const otherSpans = spans.map(
    ({ start_line, end_line, content }) => `${nameLines(start_line, end_line)}:\n${content}`,
  );
  const about = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return [`${index + 1}. ${file_path}:${startLine}-${endLine}${about}\n${text}`, ...otherSpans].join("\n");
}

const nameLines = (start: number, end: number): string => (start === end ? `line ${start}` : `lines ${start}-${end}`);

function joinContext({ context_before, content, context_after, start_line, end_line }: CodeResult) {
  const lines = (text: string): number => (text === "" ? 0 : text.split("\n").length);
  return {
    startLine: start_line - lines(context_before),
    endLine: end_line + lines(context_after),
    text: [context_before, content, context_after].filter((text) => text !== "").join("\n"),
  };
}

/**
 * What the reader should know before the results, one sentence each. `limitChars` is what the reader's client takes,
 * `nextPage` how the reader asks for the next page.
 */
export function searchNotices(
  reply: SearchReply,
  limitChars = reply.truncation_info.limit_chars,
  nextPage: (cursor: string) => string = (cursor) => `cursor=${cursor}`,
): string[] {
  const {
    truncation_info: info,
    next_cursor,
    indexing,
    indexed_at,
    stale_files,
    filtered_files,
    ranked_limit,
    literal,
    skipped_files,
    project_problem,
    storage_problem,
    repositories,
    embedding,
  } = reply;
  const notices: string[] = [];
  if (info.reason !== null) {
    const next = next_cursor === null ? "" : `, or ${nextPage(next_cursor)}`;
    notices.push(
      `Results truncated: ${info.returned_count}/${info.original_count} results fit in ${formatNumber(limitChars)} ` +
        `character limit. For more: a smaller limit, a filter${next}.`,
    );
  }
  if (indexing !== undefined) notices.push(indexingNotice(indexing, indexed_at));
  if (repositories !== undefined && repositories.skipped > 0) notices.push(skippedNotice(repositories));
  if (project_problem !== undefined) notices.push(project_problem);
  if (storage_problem !== undefined) notices.push(makeStorageNotice(storage_problem));
  if (filtered_files === 0) notices.push("No indexed file matches the filters: check the directory and the file type.");
  if (literal !== undefined) notices.push(literalNotice(literal));
  if (skipped_files !== undefined) notices.push(skippedFilesNotice(skipped_files));
  if (ranked_limit !== undefined) {
    notices.push(
      `Only the best ${formatNumber(ranked_limit)} results are ranked, and these are the last: make the query more specific, or filter.`,
    );
  }
  if (stale_files.length > 0) {
    notices.push(
      `Changed since they were indexed: ${formatCount(stale_files.length, "file")}; the lines shown are the indexed ones.`,
    );
  }
  if (embedding !== undefined && embedding.problem !== null) {
    notices.push(`Ranked by words alone, without embeddings. ${embedding.problem}`);
  }
  return notices;
}

function literalNotice({ files, occurrences }: NonNullable<SearchFacts["literal"]>): string {
  if (files === 0) return "No indexed file contains exactly this text. Without quotes, files are found by its words.";
  return `Exactly this text: ${formatCount(occurrences, "occurrence")} in ${formatCount(files, "file")}.`;
}

function skippedFilesNotice({ count, largest, largest_bytes }: SkippedFiles): string {
  const verb = count === 1 ? "is" : "are";
  return (
    `${formatCount(count, "text file")} ${verb} not indexed (too large, very long lines, or a charset that cannot be read); ` +
    `the largest is ${clip(largest, PATH_CHARS)} (${formatSize(largest_bytes)}). Fetch such a file by its path to read it.`
  );
}

function skippedNotice({ skipped, problem = "" }: NonNullable<SearchFacts["repositories"]>): string {
  return `${formatRepositories(skipped)} of the project could not be searched: ${clip(problem, ERROR_CHARS)}`;
}

const formatRepositories = (count: number): string =>
  count === 1 ? "1 repository" : `${formatNumber(count)} repositories`;

function indexingNotice(
  { files_done, files_total, files_missing = 0, error }: NonNullable<SearchFacts["indexing"]>,
  indexedAt: string | null,
): string {
  const done = `${formatNumber(Math.max(0, files_done - files_missing))} of ${formatCount(files_total, "file")}`;
  if (indexedAt === null) return `The index is still being built (${done}): these results are from what is ready.`;
  if (error === undefined && files_missing > 0) {
    const files = formatCount(files_missing, "file");
    return `The index is being rebuilt and ${files} of it could not be searched: search again later.`;
  }
  if (error === undefined) return "The folder is still being checked for changes: the newest ones may be missing here.";
  return `The index could not be updated and dates from ${indexedAt}: ${clip(error, ERROR_CHARS)}`;
}
