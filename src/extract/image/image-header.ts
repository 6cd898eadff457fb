/** What the headers of an image state. */
export type ImageHeader = ImageTexts & {
  readonly width?: number;
  readonly height?: number;
  readonly frames?: number;
};

/** The texts of an image, such as `Title: ...`, one line each. */
export type ImageTexts = {
  readonly notes: readonly string[];
  /** Those that state where it was taken; empty if it says so only in a form that is not read. */
  readonly location?: readonly string[];
};

/** The texts of several parts of an image, in their order. */
export function joinTexts(parts: readonly ImageTexts[]): ImageTexts {
  const notes = parts.flatMap((part) => part.notes);
  const locations = parts.flatMap(({ location }) => (location === undefined ? [] : [location]));
  return locations.length === 0 ? { notes } : { notes, location: locations.flat() };
}
