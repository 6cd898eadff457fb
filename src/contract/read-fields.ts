/** The fields of a read. */
import type { ContentKind } from "../detect/kind.ts";
import type { Bound } from "../fit/budget.ts";
import type { DocumentFields } from "./document-fields.ts";

/** The ways to choose a range of a document, by the names of their parameters. */
export type SelectorName = "offset" | "lines" | "pages" | "section" | "rows" | "path" | "query";

/** Where one passage is in the extracted text, and how well it matches. */
export type PassageFields = {
  readonly offset: number;
  readonly end_offset: number;
  readonly start_line: number;
  readonly end_line: number;
  /** The page, slide, or part of a sheet that it is on, such as `slide 3`. */
  readonly page: string | null;
  readonly heading: string | null;
  readonly score: number;
};

/**
 * The structured side of a read. Offsets and lines count over the whole extracted text; they are null where the pages
 * before the chosen ones were not extracted.
 */
export type ReadFields = DocumentFields & {
  readonly artifact_ref: string;
  readonly artifact_path: string | null;
  readonly content_kind: ContentKind;
  readonly media_type: string;
  readonly size_bytes: number;
  readonly source_url: string;
  readonly handler: string;
  readonly method: string;
  readonly selector: SelectorName;
  readonly offset: number | null;
  readonly start_line: number | null;
  readonly end_line: number | null;
  /** Of the whole text; null where not all of it was read, and the warnings say how much was. */
  readonly total_chars: number | null;
  readonly total_lines: number | null;
  readonly page_range: string | null;
  readonly page_count: number | null;
  readonly next_offset: number | null;
  /** The rest of the pages or lines that were chosen, to read next. */
  readonly next_pages?: string;
  readonly next_lines?: string;
  readonly has_more: boolean;
  readonly extraction_truncated: boolean;
  readonly source_truncated: boolean;
  readonly truncated: boolean;
  readonly limit_chars: number;
  readonly bound: Bound;
  /** With a query: where the passages are, best first, and how many match. */
  readonly passages?: readonly PassageFields[];
  readonly matched_count?: number;
  /** The shape of a long data file, or the header of its rows. */
  readonly overview?: string;
  readonly warnings: readonly string[];
  readonly error?: string;
  readonly content: string | null;
};
