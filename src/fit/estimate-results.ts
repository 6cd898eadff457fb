/** Cheap estimates of the serialized size of search results, without serializing them. */

/** What fitting needs to know about a search result; other keys pass through unchanged. */
export type SearchResult = {
  readonly chunk_id: string;
  readonly file_path: string;
  readonly content: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly similarity_score: number;
  readonly context_before: string;
  readonly context_after: string;
  /** Further parts of the same file. */
  readonly spans?: readonly unknown[];
};

/** Characters assumed for a reply without results. */
export const EMPTY_RESPONSE_CHARS = 500;

/** Characters assumed for the score and the punctuation around short values. */
const FIXED_CHARS = 20;

/** Allowance for key names and escapes, which grow with the values. */
const JSON_FACTOR = 1.2;

/** Characters of one result in the reply, accurate within a fifth for ordinary code. */
export function estimateResultSize(result: SearchResult): number {
  const chars =
    result.chunk_id.length +
    result.file_path.length +
    result.content.length +
    String(result.start_line).length +
    String(result.end_line).length +
    FIXED_CHARS +
    result.context_before.length +
    result.context_after.length;
  return Math.floor(chars * JSON_FACTOR) + measureSpans(result);
}

/** Characters of the whole reply. */
export function estimateResponseSize(results: readonly SearchResult[]): number {
  return results.reduce((chars, result) => chars + estimateResultSize(result), EMPTY_RESPONSE_CHARS);
}

/** Few results have spans, and they are short: serializing them is cheap and exact. */
function measureSpans({ spans }: SearchResult): number {
  return spans === undefined ? 0 : JSON.stringify(spans).length;
}
