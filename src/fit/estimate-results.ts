/** Cheap guesses at the serialized size of search results, made without serializing them. */

/** What fitting needs to know of a search result; any other keys come along untouched. */
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

/** Characters taken for a reply without any result. */
export const EMPTY_RESPONSE_CHARS = 500;

/** Characters taken for the score and the punctuation around short values. */
const FIXED_CHARS = 20;

/** Room for key names and escapes, which grow with what they surround. */
const JSON_FACTOR = 1.2;

/** Characters one result takes in the reply, within a fifth for ordinary code. */
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

/** Characters the whole reply takes. */
export function estimateResponseSize(results: readonly SearchResult[]): number {
  return results.reduce((chars, result) => chars + estimateResultSize(result), EMPTY_RESPONSE_CHARS);
}

/** Few results have spans and theirs are short: serializing them costs little and is exact. */
function measureSpans({ spans }: SearchResult): number {
  return spans === undefined ? 0 : JSON.stringify(spans).length;
}
