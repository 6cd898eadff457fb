/** The fields that say what a document reports about itself, in every answer about it. */

/** Fields that only one format has; its handler declares and fills them. */
export type FormatFields = {
  /** Of a web page: the share of its text that was kept, from 0 to 1. */
  readonly kept_share?: number;
  /** Of a web page: whether its text shows only after running scripts. */
  readonly needs_js?: boolean;
};

/** A fact that the document does not state is left out. */
export type DocumentFields = FormatFields & {
  readonly title?: string;
  readonly author?: string;
  readonly date?: string;
  readonly site?: string;
  readonly canonical_url?: string;
  readonly language?: string;
};
