/** The selectors of a range of a document, parsed once from what people and models write. */
import { SpillwayError } from "../../errors.ts";
import type { NumberRange } from "../number-range.ts";

/** The one way a range is chosen. */
export type Selector =
  /** `isDefault` where nothing was chosen. */
  | { readonly type: "offset"; readonly offset: number; readonly isDefault?: true }
  | { readonly type: "lines"; readonly lines: NumberRange }
  | { readonly type: "pages"; readonly pages: readonly NumberRange[] }
  | { readonly type: "section"; readonly heading: string }
  | { readonly type: "rows"; readonly rows: NumberRange }
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "query"; readonly query: string };

/** The selectors as a caller sends them; empty text counts as missing. */
export type SelectorInput = {
  readonly offset?: string | number | undefined;
  readonly lines?: string | undefined;
  readonly pages?: string | undefined;
  readonly section?: string | undefined;
  readonly rows?: string | undefined;
  readonly path?: string | undefined;
  readonly query?: string | undefined;
};

/** The one selector that was given; the start of the text when there is none. */
export function parseSelector(input: SelectorInput): Selector {
  const present = Object.entries(input).filter(([, value]) => value !== undefined && String(value).trim() !== "");
  const [first, second] = present;
  if (first === undefined) return { type: "offset", offset: 0, isDefault: true };
  if (second !== undefined) {
    throw selectorError(`${first[0]} and ${second[0]} cannot be combined.`, "Use only one of them.");
  }
  return parsers[first[0] as keyof SelectorInput](String(first[1]).trim());
}

const parsers: { readonly [K in keyof Required<SelectorInput>]: (text: string) => Selector } = {
  offset: (text) => ({ type: "offset", offset: parseOffset(text) }),
  lines: (text) => ({ type: "lines", lines: parseRange("lines", text) }),
  pages: (text) => ({ type: "pages", pages: parseRanges(text) }),
  section: (heading) => ({ type: "section", heading }),
  rows: (text) => ({ type: "rows", rows: parseRange("rows", text) }),
  path: (path) => ({ type: "path", path }),
  query: (query) => ({ type: "query", query }),
};

function parseOffset(text: string): number {
  const offset = Number(text);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw selectorError(
    `offset must be a whole number from 0, got ${quote(text)}.`,
    "Use the next_offset of the last reply.",
  );
}

const MAX_RANGES = 100;

function parseRanges(text: string): NumberRange[] {
  const parts = text.split(",");
  if (parts.length <= MAX_RANGES) return parts.map((part) => parseRange("pages", withoutPageName(part)));
  throw selectorError(
    `pages has ${parts.length} ranges; at most ${MAX_RANGES} are allowed.`,
    "Combine neighbours: 12-18 instead of 12,13,14.",
  );
}

/** The numbers of `page 12`, `p. 12-18`, `slide 3` or of the mark `<!-- page 12 -->` in a text. */
function withoutPageName(text: string): string {
  const [, inMark = text] = /^\s*<!--(.*)-->\s*$/.exec(text) ?? [];
  return inMark.trim().replace(/^(?:pages?|pp?\.?|slides?|sheets?)\s*(?=\d)/i, "");
}

/** `12`, `12-18` or `12-`; also `12@500-18`, from character 500 of line or page 12 on. */
function parseRange(parameter: "lines" | "pages" | "rows", text: string): NumberRange {
  const [, from = "", at, dash, to = ""] = /^(\d+)(?:@(\d+))?\s*(-)?\s*(\d*)$/.exec(text) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to === "" ? null : Number(to);
  const isSound = from !== "" && first >= 1 && (last === null || last >= first);
  const isPlain = at === undefined || parameter !== "rows";
  if (isSound && isPlain) return at === undefined ? { first, last } : { first, last, at: Number(at) };
  throw selectorError(
    `${parameter} must be numbers from 1 such as 12, 12-18 or 12-, got ${quote(text)}.`,
    parameter === "pages" ? "Several ranges are separated by commas: 12-18,40." : "Give a single range.",
  );
}

function selectorError(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("selector_invalid", sentence, { hint });
}

const quote = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
