/** The fields of a fetch. */
import type { ContentKind, DecidedBy } from "../detect/kind.ts";
import type { Bound } from "../fit/budget.ts";
import type { DocumentFields } from "./document-fields.ts";

/** The structured side of a fetch, by the names the contract fixes. */
export type FetchFields = DocumentFields & {
  readonly artifact_ref: string | null;
  readonly artifact_path: string | null;
  readonly content_kind: ContentKind;
  readonly media_type: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly source_url: string;
  readonly url: string;
  /** The document's own title, else its first heading, else its URL or file name. */
  readonly title: string;
  readonly status_code: number | null;
  /** Characters of the whole text; null where not all of it was read, and the warnings say how much was. */
  readonly extracted_chars: number | null;
  readonly extraction_truncated: boolean;
  readonly source_truncated: boolean;
  readonly page_range: string | null;
  readonly page_count: number | null;
  readonly truncated: boolean;
  readonly handler: string;
  readonly decided_by: DecidedBy;
  readonly method: string;
  readonly cached: boolean;
  readonly limit_chars: number;
  readonly bound: Bound;
  readonly next_offset: number | null;
  readonly has_more: boolean;
  /** The shape of a long data file: columns, paths or levels. Its text follows in `content`. */
  readonly overview?: string;
  readonly warnings: readonly string[];
  readonly error?: string;
  readonly content: string | null;
};
