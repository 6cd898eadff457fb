/** The fields that say what a document reports about itself, in every answer about it. */

/** A fact that the document does not state is left out. A handler may declare and add fields of its format. */
export type DocumentFields = {
  readonly title?: string;
  readonly author?: string;
  readonly date?: string;
  readonly site?: string;
  readonly canonical_url?: string;
  readonly language?: string;
};
