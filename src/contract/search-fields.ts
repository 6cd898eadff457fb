/** The fields of a code search. */

import type { FittedPart } from "../fit/draft-reply.ts";
import type { SearchResult } from "../fit/estimate-results.ts";

/** Another span of the same file. */
export type ResultSpan = { readonly start_line: number; readonly end_line: number; readonly content: string };

/** A file that matches, shown by its best lines. */
export type CodeResult = Omit<SearchResult, "spans"> & {
  /** The folder that `file_path` is relative to, and its id; set where a whole project was searched. */
  readonly repository?: string;
  readonly repository_id?: string;
  /** The path percent-encoded; set where `file_path` shows invisible characters as escapes. */
  readonly encoded_path?: string;
  readonly spans?: readonly ResultSpan[];
  /** The file was changed or deleted after it was indexed. */
  readonly stale?: true;
  /** The file is large or has very long lines: only the lines that define something are indexed and shown. */
  readonly definitions_only?: true;
  /** The parts of the score; set where the caller asked for them. */
  readonly explain?: Readonly<Record<string, number>>;
};

/** The model whose vectors took part in the ranking, or why they did not. */
export type EmbeddingFacts = { readonly model: string; readonly problem: string | null };

/** How a query was understood and what is searched for. */
export type QuestionFacts = {
  readonly kind: "symbol" | "path" | "words" | "literal";
  /** Words and parts of names, stemmed. */
  readonly terms: readonly string[];
  /** Words that may be names defined in the code. */
  readonly names: readonly string[];
  /** What code may call the everyday words of the question, stemmed: these are looked for too. */
  readonly code_words: readonly string[];
  readonly path: string | null;
};

/** Text files that pass the filters and are not indexed, because of their size, their lines or their charset. */
export type SkippedFiles = { readonly count: number; readonly largest: string; readonly largest_bytes: number };

/** The fields beside the results. */
export type SearchFacts = {
  /** Ranked results before truncation, at most as many as were asked for. */
  readonly total_count: number;
  readonly project_id: string;
  readonly database_name: string;
  /** Null where several repositories were searched: then each result has its own. */
  readonly repository_id: string | null;
  readonly latency_ms: number;
  /** Requests the results after these; null when there are none. */
  readonly next_cursor: string | null;
  /** When the index was last updated, the oldest of several; null while it is built for the first time. */
  readonly indexed_at: string | null;
  /** Files of these results that were changed or deleted since; full paths where a whole project was searched. */
  readonly stale_files: readonly string[];
  /** Set while the index is being built or updated, and where that failed, with the reason. */
  readonly indexing?: {
    readonly files_done: number;
    readonly files_total: number;
    /** Files of the index that this search could not use, because their part of it is being built. */
    readonly files_missing?: number;
    readonly error?: string;
  };
  /** Set where a whole project was searched: how many of its repositories were, and how many could not be, and why. */
  readonly repositories?: { readonly searched: number; readonly skipped: number; readonly problem?: string };
  /** How many indexed files pass the filters, where there are filters. */
  readonly filtered_files?: number;
  /** Set for a text that is searched exactly as written: in how many files it is, and how often in all of them. */
  readonly literal?: { readonly files: number; readonly occurrences: number };
  /** Set where nothing was found, or a name that no indexed file defines: text files that are not indexed. */
  readonly skipped_files?: SkippedFiles;
  /** Set on the last page of a long ranking: results after this many are not ranked. */
  readonly ranked_limit?: number;
  /** Set where the project that a project file names was not used, with the reason. */
  readonly project_problem?: string;
  /** Set where the index is in memory only, with the reason. */
  readonly storage_problem?: string;
  /** How the query was understood; set where the caller asked for it. */
  readonly question?: QuestionFacts;
  /** Set where an embeddings service is configured. */
  readonly embedding?: EmbeddingFacts;
};

/** The reply of a code search, exactly as it was measured. */
export type SearchReply = FittedPart<CodeResult> & SearchFacts;
