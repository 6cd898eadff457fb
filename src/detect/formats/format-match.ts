/** What a look into a container proved. */
export type FormatMatch = {
  readonly mediaType: string;
  /** The container's contents were not seen: a header or an extension may say what it holds. */
  readonly isGeneric: boolean;
};
