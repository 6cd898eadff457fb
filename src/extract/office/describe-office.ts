/** What answers say about an office document: what its parts are called, and what its author had hidden. */
import { formatCount } from "../../system/quantities.ts";
import type { Description, Info, SegmentKind } from "../handler.ts";
import type { PageTally } from "../page-tally.ts";

/** Facts that only office documents have. */
export type OfficeFacts = {
  readonly pageName: Exclude<SegmentKind, "whole">;
  readonly hiddenSheets: number;
  /** The package is damaged or incomplete, and was read as far as possible. */
  readonly isIncomplete: boolean;
  /** Parts that are too long and were read up to a bound. */
  readonly cutParts: number;
};

/** Counts of one slide or sheet that are added up over the document. */
export type SlideCounts = { readonly hiddenSlides: number };
export type SheetCounts = {
  readonly hiddenRows: number;
  readonly hiddenColumns: number;
  readonly cutCells: number;
};

type OfficeCounts = SlideCounts & SheetCounts;
const emptyCounts: Partial<OfficeCounts & PageTally> = {};

/** The facts of a document as warnings. */
export function describeOffice(info: Info<OfficeFacts>): Description {
  const { pageName, hiddenSheets = 0, isIncomplete = false, cutParts = 0 } = info;
  const tally: (PageTally & Partial<OfficeCounts>) | undefined = info.tally;
  const { damaged = 0, hiddenSlides = 0, hiddenRows = 0, hiddenColumns = 0, cutCells = 0 } = tally ?? emptyCounts;
  const hidden = [
    { count: hiddenSheets, thing: "sheet" },
    { count: hiddenSlides, thing: "slide" },
    { count: hiddenRows, thing: "row" },
    { count: hiddenColumns, thing: "column" },
  ].filter(({ count }) => count > 0);
  const names = hidden.map(({ count, thing }) => formatCount(count, thing)).join(", ");
  return {
    ...(pageName === undefined ? {} : { pageName }),
    warnings: [
      ...(hidden.length === 0 ? [] : [`Hidden in the document, but part of this text: ${names}.`]),
      ...(cutCells === 0 ? [] : [`Too long for a row and cut: ${formatCount(cutCells, "cell")}.`]),
      ...(damaged === 0 ? [] : [`Damaged, and read only in part: ${formatCount(damaged, pageName ?? "page")}.`]),
      ...(cutParts === 0 ? [] : [`Too long and read only in part: ${formatCount(cutParts, "part")} of the file.`]),
      ...(isIncomplete ? ["The file is damaged; this is what could be read of it."] : []),
    ],
  };
}
