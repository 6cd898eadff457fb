/** Decides whether a reply shows the shape of a data file before its text. */
import type { ContentKind } from "../../detect/kind.ts";
import type { Extract } from "../extract.ts";
import type { Mode } from "../handler.ts";

/** What helps to understand the text of a reply: the shape of all data, or the header of some rows. */
export type Overview = {
  readonly text: string;
  /** How parts of the data are chosen; null where that needs no mention. */
  readonly selector: "rows" | "path" | null;
};

/** A longer overview would leave too little room for the text. */
const MAX_OVERVIEW_CHARS = 4_000;
const OVERVIEW_SHARE = 1 / 3;
const MIN_OVERVIEW_CHARS = 300;

type LongDataOptions = {
  readonly facts: { readonly content_kind: ContentKind; readonly media_type: string; readonly name: string };
  readonly mode: Mode;
  /** Characters that the reply may show. */
  readonly chars: number;
  readonly signal: AbortSignal;
};

/** The overview of a data file that does not fit the reply; a file that fits is shown as it is. */
export async function describeLongData(extract: Extract, options: LongDataOptions): Promise<Overview | null> {
  const { facts, mode, chars, signal } = options;
  const maxChars = Math.min(MAX_OVERVIEW_CHARS, Math.floor(chars * OVERVIEW_SHARE));
  const isShort = extract.size.chars <= chars && !extract.isPartial;
  // Other handlers of text write something else than the source.
  const isSource = facts.content_kind === "text" && extract.handler === "text" && mode === "markdown";
  if (!isSource || isShort || maxChars < MIN_OVERVIEW_CHARS) return null;
  // Loaded here, because most texts are not data.
  const { describeData } = await import("./overview.ts");
  return describeData(extract, { facts, maxChars, signal });
}

/** How many characters are left for the text, and whether the overview is shown, in a reply of `chars`. */
export function shareWithOverview(overview: Overview | null, chars: number) {
  const isShown = overview !== null && overview.text.length <= chars / 2;
  return { overview: isShown ? overview : null, textChars: isShown ? chars - overview.text.length : chars };
}
