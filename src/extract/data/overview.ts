/**
 * The overview of a long data file: what it holds, where its text alone would show only the first rows. It is made from
 * the start of the text, and of logs also the end, so that its cost is bounded at any size.
 */
import { formatCount, formatNumber } from "../../system/quantities.ts";
import type { Extract } from "../extract.ts";
import { countLinesSoFar, readWindow } from "../select/select-range.ts";
import { type DataFormat, findDataFormat, SNIFFED_CHARS } from "./data-format.ts";
import { LogTally } from "./log-overview.ts";
import type { Overview } from "./long-data.ts";
import { Shape } from "./shape.ts";
import { describeTable } from "./table-overview.ts";
import { makeTreeScanner } from "./tree-scanners.ts";

/** How many characters are looked at: a second of work at most. */
const HEAD_CHARS = 32 * 1024 * 1024;
const TAIL_CHARS = 8 * 1024 * 1024;

const MAX_PATHS = 60;

type OverviewOptions = {
  readonly facts: { readonly media_type: string; readonly name: string };
  readonly maxChars: number;
  readonly signal: AbortSignal;
};

/** The overview in at most `maxChars` characters; null for a text that is not data. */
export async function describeData(
  extract: Extract,
  { facts, maxChars, signal }: OverviewOptions,
): Promise<Overview | null> {
  const { text: start } = await readWindow(extract, 0, SNIFFED_CHARS);
  const format = findDataFormat(facts, start);
  if (format === undefined) return null;
  const lines = await describers[format](extract, start, signal);
  const tail = await readTail(extract, format);
  return { text: fitLines(lines, tail, maxChars), selector: selectors[format] };
}

const selectors: Readonly<Record<DataFormat, Overview["selector"]>> = {
  csv: "rows",
  tsv: "rows",
  ndjson: "rows",
  json: "path",
  xml: "path",
  yaml: "path",
  log: null,
};

type Describe = (extract: Extract, start: string, signal: AbortSignal) => Promise<string[]>;

const describers: Readonly<Record<DataFormat, Describe>> = {
  csv: (extract, start, signal) => describeTable(readHead(extract, signal), { start, total: findTotal(extract) }),
  tsv: (extract, start, signal) =>
    describeTable(readHead(extract, signal), { start, separator: "\t", total: findTotal(extract) }),
  ndjson: (extract, start, signal) => describeTree("ndjson", extract, start, signal),
  json: (extract, start, signal) => describeTree("json", extract, start, signal),
  xml: (extract, start, signal) => describeTree("xml", extract, start, signal),
  yaml: (extract, start, signal) => describeTree("yaml", extract, start, signal),
  log: describeLog,
};

const treeNames = { ndjson: "JSON, one value a line", json: "JSON", xml: "XML", yaml: "YAML" };

async function describeTree(
  format: keyof typeof treeNames,
  extract: Extract,
  start: string,
  signal: AbortSignal,
): Promise<string[]> {
  const shape = new Shape();
  const scanner = makeTreeScanner(format, start, shape, { isNumbered: false });
  let problem = "";
  try {
    for await (const { text } of readHead(extract, signal)) scanner.write(text);
    scanner.end();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    signal.throwIfAborted();
    problem = " It nests deeper than is read.";
  }
  const part = extract.size.chars > HEAD_CHARS ? `, counted in the first ${formatNumber(HEAD_CHARS)} characters` : "";
  return [`${treeNames[format]}${part}, by path:${problem}`, "", ...pathHead, ...shape.listPaths(MAX_PATHS)];
}

const pathHead = ["| path | type | count | samples |", "| --- | --- | --- | --- |"];

async function describeLog(extract: Extract, _start: string, signal: AbortSignal): Promise<string[]> {
  const tally = new LogTally();
  for await (const { text, line } of readHead(extract, signal)) tally.add(text, line);
  const rest = extract.size.chars - HEAD_CHARS;
  for await (const { text, line } of readFrom(extract, extract.size.chars - Math.min(rest, TAIL_CHARS), signal)) {
    tally.add(text, line);
  }
  const part =
    rest <= TAIL_CHARS
      ? ""
      : `; levels are those of the first ${formatNumber(HEAD_CHARS)} and the last ${formatNumber(TAIL_CHARS)} characters`;
  return [`Log of ${formatCount(await countLinesSoFar(extract), "line")}${part}.`, ...tally.list()];
}

type TextPart = { readonly text: string; readonly offset: number; readonly line: number };

async function* readHead(extract: Extract, signal: AbortSignal): AsyncGenerator<TextPart> {
  for await (const { text, offset, line } of extract.segments()) {
    if (offset >= HEAD_CHARS) return;
    signal.throwIfAborted();
    yield { text, offset, line };
  }
}

/** The parts that begin at an offset or after it; none where the head has shown them. */
async function* readFrom(extract: Extract, from: number, signal: AbortSignal): AsyncGenerator<TextPart> {
  if (from >= extract.size.chars) return;
  for await (const { text, offset, line } of extract.segmentsFrom({ chars: from })) {
    signal.throwIfAborted();
    if (offset >= Math.max(from, HEAD_CHARS)) yield { text, offset, line };
  }
}

/** How long the text is, where the head is not all of it. */
const findTotal = ({ size }: Extract): { readonly lines: number } | null =>
  size.chars > HEAD_CHARS ? { lines: size.lineEnds } : null;

const TAIL_LINES = 5;
const MAX_TAIL_CHARS = 1_000;

/** The last lines of what has lines; the end of a JSON or XML text is only brackets. */
async function readTail(extract: Extract, format: DataFormat): Promise<string[]> {
  if (extract.isPartial || !["csv", "tsv", "ndjson", "log"].includes(format)) return [];
  const { text } = await readWindow(extract, Math.max(0, extract.size.chars - MAX_TAIL_CHARS), MAX_TAIL_CHARS);
  const lines = text
    .replace(/^[\udc00-\udfff]/, "")
    .trimEnd()
    .split("\n");
  // The first one may be only the end of a line.
  return lines.slice(Math.max(1, lines.length - TAIL_LINES));
}

/** As many lines as there is room for; the end of the text has priority over the last lines of the table. */
function fitLines(lines: readonly string[], tail: readonly string[], maxChars: number): string {
  const end = tail.length === 0 ? "" : ["\n", "Last lines:", ...tail].join("\n");
  const shownEnd = end.length <= maxChars / 2 ? end : "";
  let room = maxChars - shownEnd.length - MORE.length;
  const shownLines: string[] = [];
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    shownLines.push(line);
  }
  const more = shownLines.length < lines.length ? MORE : "";
  return `${shownLines.join("\n")}${more}${shownEnd}`;
}

const MORE = "\n...";
