/** Finds rows and paths of a data file in its text. */
import { SpillwayError } from "../../errors.ts";
import { formatCount, formatNumber } from "../../system/quantities.ts";
import { clip } from "../../system/safe-names.ts";
import type { Extract } from "../extract.ts";
import type { NumberRange } from "../number-range.ts";
import { readWindow, type TextRange } from "../select/select-range.ts";
import { type DataFormat, findDataFormat, SNIFFED_CHARS } from "./data-format.ts";
import { PathFinder, type PathMiss } from "./find-path.ts";
import { formatKey, formatPath, type PathStep } from "./path-steps.ts";
import { findTableSyntax, isHeader } from "./table-overview.ts";
import { readRows, splitCells } from "./table-rows.ts";
import { makeTreeScanner, type TreeFormat } from "./tree-scanners.ts";
import { toNumberedKeys } from "./xml-scanner.ts";

/** A text, and what is known about its format. */
export type DataText = {
  readonly extract: Extract;
  readonly facts: { readonly media_type: string; readonly name: string };
  readonly signal: AbortSignal;
};

/** Rows by number, and the header of their table. */
export type SelectedRows = { readonly range: TextRange; readonly header: string | null };

/** Rows counted from 1 after the header; of records one a line, each is a row. */
export async function selectRows(data: DataText, { first, last }: NumberRange): Promise<SelectedRows> {
  const { format, start } = await sniffFormat(data);
  if (format !== "csv" && format !== "tsv" && format !== "ndjson") throw makeRowlessError(data, format);
  const syntax =
    format === "ndjson"
      ? { separator: "", quotes: false }
      : findTableSyntax(start, format === "tsv" ? "\t" : undefined);
  let header: string | null | undefined = format === "ndjson" ? null : undefined;
  let [count, rangeStart] = [0, -1];
  for await (const { text, offset, starts, ends } of readRows(readParts(data), syntax)) {
    for (const [index, rowStart] of starts.entries()) {
      const rowEnd = ends[index] ?? rowStart;
      if (header === undefined) {
        const row = text.slice(rowStart, rowEnd);
        header = isHeader(splitCells(row, syntax.separator)) ? row : null;
        if (header !== null) continue;
      }
      count++;
      if (count === first) rangeStart = offset + rowStart;
      if (count === last) return { header: header ?? null, range: toRange(rangeStart, offset + rowEnd, first, count) };
    }
  }
  if (rangeStart === -1) throw makeMissingRowError(first, count, data.extract);
  return { header: header ?? null, range: toRange(rangeStart, data.extract.size.chars, first, count) };
}

const toRange = (start: number, end: number, first: number, last: number): TextRange => ({
  label: first === last ? `row ${formatNumber(first)}` : `rows ${formatNumber(first)}-${formatNumber(last)}`,
  start,
  end,
});

/** The value at a path, as it is written. */
export async function selectPath(data: DataText, steps: readonly PathStep[]): Promise<TextRange> {
  const { format, start } = await sniffFormat(data);
  if (format === undefined || format === "csv" || format === "tsv" || format === "log")
    throw makePathlessError(data, format);
  const finder = await findValue(data, format, start, steps);
  if (finder.found === undefined) throw makeMissingPathError(steps, finder.miss);
  return { label: formatPath(steps), ...finder.found };
}

async function findValue(
  data: DataText,
  format: TreeFormat,
  start: string,
  steps: readonly PathStep[],
): Promise<PathFinder> {
  const finder = new PathFinder(format === "xml" ? toNumberedKeys(steps) : steps);
  const scanner = makeTreeScanner(format, start, finder, { isNumbered: true });
  try {
    for await (const { text } of readParts(data)) {
      scanner.write(text);
      if (finder.isDone) return finder;
    }
    scanner.end();
  } catch (error) {
    data.signal.throwIfAborted();
    throw new SpillwayError("place_not_found", `${clip(data.facts.name)} nests deeper than is read.`, {
      hint: "Read it by lines, offset or query.",
      cause: error,
    });
  }
  return finder;
}

async function* readParts({ extract, signal }: DataText) {
  for await (const part of extract.segments()) {
    signal.throwIfAborted();
    yield part;
  }
}

async function sniffFormat({ extract, facts }: DataText) {
  const { text: start } = await readWindow(extract, 0, SNIFFED_CHARS);
  return { format: findDataFormat(facts, start), start };
}

function makeRowlessError({ facts }: DataText, format: DataFormat | undefined): SpillwayError {
  const hint =
    format === undefined || format === "log"
      ? "Use lines, offset or query."
      : "Use path, such as $.items[3], or lines.";
  return new SpillwayError("place_not_found", `${clip(facts.name)} has no rows.`, { hint });
}

function makeMissingRowError(first: number, count: number, { isPartial }: Extract): SpillwayError {
  const soFar = isPartial ? "; more may follow after what was read" : "";
  return new SpillwayError(
    "place_not_found",
    `Row ${formatNumber(first)} is past the end: there are ${formatCount(count, "row")}${soFar}.`,
    { hint: "Choose an earlier row; the first row after the header is 1." },
  );
}

function makePathlessError({ facts }: DataText, format: DataFormat | undefined): SpillwayError {
  const hint = format === "csv" || format === "tsv" ? "Use rows, such as 100-120." : "Use lines, offset or query.";
  return new SpillwayError("place_not_found", `${clip(facts.name)} has no paths.`, { hint });
}

/** Says how far the path leads and what is there. */
function makeMissingPathError(steps: readonly PathStep[], miss: PathMiss | undefined): SpillwayError {
  const path = JSON.stringify(clip(formatPath(steps)));
  return new SpillwayError("place_not_found", `There is nothing at ${path}.`, {
    hint: miss === undefined ? "The text has no values; read it by lines." : describeMiss(steps, miss),
  });
}

function describeMiss(steps: readonly PathStep[], { depth, kind, names, size }: PathMiss): string {
  const reached = clip(formatPath(steps.slice(0, depth)));
  if (kind === "value") return `${reached} is a single value; read that path.`;
  if (kind === "array") {
    return size === 0
      ? `${reached} is an empty array.`
      : `${reached} is an array: use ${reached}[0] to ${reached}[${size - 1}].`;
  }
  const shownNames = names.map((name) => clip(`${reached}${formatKey(name.replace(/\[0\]$/, ""))}`));
  const more = size > names.length ? " and more" : "";
  return size === 0 ? `${reached} is empty.` : `Try one of: ${shownNames.join(", ")}${more}.`;
}
