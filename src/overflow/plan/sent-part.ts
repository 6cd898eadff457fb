/** A part as it is sent now, and how it can be replaced. */
import { countShownChars } from "../../answer/stub-text.ts";
import type { Part, PartContent } from "../dialects/dialect.ts";

/** A part with its index, and what is sent at its path now: its own content, or the stub from an earlier request. */
export type SentPart = Part & {
  readonly sentContent: PartContent;
  readonly index: number;
  /** The model that it is sent to. */
  readonly model: string;
};

/** A part to replace, and how many of its characters the stub shows. */
export type Replacement = { readonly part: Part; readonly shownChars: number };

/** The characters of a stub's own line, roughly. */
export const STUB_CHARS = 420;
/** How much of an older part its stub shows. */
export const PREVIEW_CHARS = 300;
/** What a user asks for is written before or after what was pasted. */
const PASTE_PREVIEW_CHARS = 1_000;
/** How much larger than its stub a part must be to be worth replacing. */
export const MIN_GAIN_CHARS = 100;

/** Whether a stub cannot become shorter. One that the client itself sends keeps its preview. */
export function isShortest(part: SentPart): boolean {
  return (countStubChars(part) ?? Infinity) <= (part.sentContent === part.content ? PREVIEW_CHARS : 0);
}

/** How many characters the stub at a part's path shows, or undefined where there is no stub. */
export function countStubChars({ sentContent }: SentPart): number | undefined {
  return "text" in sentContent ? countShownChars(sentContent.text) : undefined;
}

/** Short texts get a shorter preview, so that replacing them still saves something. */
export function previewChars({ content, role }: Part): number {
  const maxChars = role === "paste" ? PASTE_PREVIEW_CHARS : PREVIEW_CHARS;
  return "text" in content ? Math.min(maxChars, Math.floor(content.text.length / 10)) : 0;
}
