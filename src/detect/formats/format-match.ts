/** The format that a signature or the members of a container prove. */
export type FormatMatch = {
  readonly mediaType: string;
  /** Several formats share this signature: a header or an extension may say which one it is. */
  readonly isGeneric: boolean;
};
