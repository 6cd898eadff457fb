/** What the headers of an image state. */
export type ImageHeader = {
  readonly width?: number;
  readonly height?: number;
  readonly frames?: number;
  /** Texts of the image as `Title: ...`, one line each. */
  readonly notes: readonly string[];
  /** Where it was taken. */
  readonly location?: string;
};
