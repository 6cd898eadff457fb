/** What a code search answers: the fields of the contract, and the sentences that go with them. */

import type { SearchResult } from "../fit/estimate-results.ts";
import type { FittedPart } from "../fit/reply.ts";
import { clipped } from "../system/safe-names.ts";
import { untrustedMark } from "./answer.ts";
import { counted, grouped } from "./phrases.ts";

/** A further part of the same file. */
export type ResultSpan = { readonly start_line: number; readonly end_line: number; readonly content: string };

/** A file that answers, shown by its best lines. */
export type CodeResult = Omit<SearchResult, "spans"> & {
  /** The path percent-encoded, where `file_path` shows characters by their numbers because they cannot be seen. */
  readonly encoded_path?: string;
  readonly spans?: readonly ResultSpan[];
  /** The file has changed or gone since it was indexed. */
  readonly stale?: true;
  /** What the score is made of, where that was asked for. */
  readonly explain?: Readonly<Record<string, number>>;
};

/** The model whose vectors took part in the ranking, or why they did not. */
export type EmbeddingFacts = { readonly model: string; readonly problem: string | null };

/** What a query is taken for, and what of it is looked for. */
export type QuestionFacts = {
  readonly kind: "symbol" | "path" | "words";
  /** Words and parts of names, without their endings. */
  readonly terms: readonly string[];
  /** What may be a name defined in the code. */
  readonly names: readonly string[];
  readonly path: string | null;
};

/** What a reply says besides its results. */
export type SearchFacts = {
  /** Ranked results before truncation, at most as many as were asked for. */
  readonly total_count: number;
  readonly project_id: string;
  readonly database_name: string;
  readonly repository_id: string;
  readonly latency_ms: number;
  /** Gives the results after these, or null when there are none. */
  readonly next_cursor: string | null;
  /** When the index was last brought up to date; null while it is made for the first time. */
  readonly indexed_at: string | null;
  /** Files of these results that have changed or gone since. */
  readonly stale_files: readonly string[];
  /** Set while the index is being made or brought up to date, and where that failed, with the reason. */
  readonly indexing?: { readonly files_done: number; readonly files_total: number; readonly error?: string };
  /** How many files of the index pass the filters, where there are any. */
  readonly filtered_files?: number;
  /** Set on the last page of a long ranking: what comes after so many results is not ranked. */
  readonly ranked_limit?: number;
  /** How the query was read, where that was asked for. */
  readonly question?: QuestionFacts;
  /** Set where an embeddings service is named. */
  readonly embedding?: EmbeddingFacts;
};

/** The reply of a code search, exactly as it was measured. */
export type SearchReply = FittedPart<CodeResult> & SearchFacts;

/** One line with the counts, the place, and how to read on. */
export function searchSummary({ returned_count, database_name, project_id, next_cursor }: SearchReply): string {
  const place = `${clipped(database_name)} (project ${clipped(project_id)})`;
  if (returned_count === 0) return `Nothing found in ${place}.`;
  const more = next_cursor === null ? "" : ` More: cursor=${next_cursor}.`;
  return `Found ${counted(returned_count, "result")} in ${place}, best first.${more}`;
}

/** All results as text below the mark that parts them from our words; empty where there are none. */
export function searchBody({ results }: SearchReply): string {
  return results.length === 0 ? "" : `${untrustedMark}\n\n${results.map(resultText).join("\n\n")}`;
}

/** The lines as they stand in the file, under the place where they stand. */
function resultText(result: SearchReply["results"][number], index: number): string {
  const { file_path, encoded_path, similarity_score, stale, artifact_ref, spans = [] } = result;
  const facts = [
    `score ${similarity_score.toFixed(3)}`,
    ...(encoded_path === undefined ? [] : [`hidden characters in its name: ${encoded_path}`]),
    ...(stale ? ["changed since it was indexed"] : []),
    ...(artifact_ref == null ? [] : [`all of it: artifact_ref=${artifact_ref}`]),
  ];
  const { startLine, endLine, text } = withContext(result);
  const further = spans.map(({ start_line, end_line, content }) => `lines ${start_line}-${end_line}:\n${content}`);
  return [`${index + 1}. ${file_path}:${startLine}-${endLine} (${facts.join(", ")})\n${text}`, ...further].join("\n");
}

function withContext({ context_before, content, context_after, start_line, end_line }: CodeResult) {
  const lines = (text: string): number => (text === "" ? 0 : text.split("\n").length);
  return {
    startLine: start_line - lines(context_before),
    endLine: end_line + lines(context_after),
    text: [context_before, content, context_after].filter((text) => text !== "").join("\n"),
  };
}

/** Sentences a reader should see before the results. */
export function searchNotices(reply: SearchReply): string[] {
  const {
    truncation_info: info,
    next_cursor,
    indexing,
    indexed_at,
    stale_files,
    filtered_files,
    ranked_limit,
    embedding,
  } = reply;
  const notices: string[] = [];
  if (info.reason !== null) {
    const next = next_cursor === null ? "" : `, or cursor=${next_cursor}`;
    notices.push(
      `Results truncated: ${info.returned_count}/${info.original_count} results fit in ${grouped(info.limit_chars)} ` +
        `character limit. For more: a smaller limit, a filter${next}.`,
    );
  }
  if (indexing !== undefined) notices.push(indexingNotice(indexing, indexed_at));
  if (filtered_files === 0) notices.push("No indexed file passes the filters: look at directory and file_type.");
  if (ranked_limit !== undefined) {
    notices.push(
      `Only the best ${grouped(ranked_limit)} are ranked, and these are the last: ask more narrowly, or filter.`,
    );
  }
  if (stale_files.length > 0) {
    notices.push(
      `Changed since they were indexed: ${counted(stale_files.length, "file")}; the lines shown are the indexed ones.`,
    );
  }
  if (embedding !== undefined && embedding.problem !== null) {
    notices.push(`Ranked by words alone, without embeddings. ${embedding.problem}`);
  }
  return notices;
}

function indexingNotice(
  { files_done, files_total, error }: NonNullable<SearchFacts["indexing"]>,
  indexedAt: string | null,
): string {
  const done = `${grouped(files_done)} of ${counted(files_total, "file")}`;
  if (indexedAt === null) return `The index is still being made (${done}): these results are from what is ready.`;
  if (error === undefined) return "The folder is still being looked over for changes: the newest may be missing here.";
  return `The index could not be brought up to date and is of ${indexedAt}: ${clipped(error, 300)}`;
}
