/** Reads Parquet files: columns with their types, row count and first rows. Only the parts that are shown are read. */
import * as zlib from "node:zlib";
import {
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  snappyUncompress,
} from "hyparquet";
import { toBody } from "../../acquire/spooled-body.ts";
import { formatCount, formatNumber, formatSize } from "../../system/quantities.ts";
import { FailureError } from "../failure-error.ts";
import type { LocalFile } from "../handler.ts";
import type { NumberRange } from "../number-range.ts";
import { formatHeader, formatRow, MAX_RESULT_CHARS, MAX_RESULT_ROWS } from "./markdown-rows.ts";
import type { DatabaseText } from "./read-sqlite.ts";

const FIRST_ROWS = 20;
const MAX_COLUMNS = 200;

/** A page that unpacks to more was made to exhaust a reader. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** Rows are shown only if the columns of their row group are smaller. */
const MAX_GROUP_BYTES = 256 * 1024 * 1024;

type AsyncBuffer = { readonly byteLength: number; slice(start: number, end?: number): Promise<ArrayBuffer> };

export async function readParquet(file: LocalFile): Promise<DatabaseText> {
  const buffer = toAsyncBuffer(file);
  const metadata = await readMetadata(buffer);
  return { info: { rowCount: Number(metadata.num_rows) }, texts: describeParquet(buffer, metadata) };
}

/** Rows by number, from 1, with the names of their columns. */
export async function readParquetRows(file: LocalFile, { first, last }: NumberRange): Promise<DatabaseText> {
  const buffer = toAsyncBuffer(file);
  const metadata = await readMetadata(buffer);
  const rowCount = Number(metadata.num_rows);
  if (first > rowCount)
    throw new FailureError("no_text", `row ${formatNumber(first)} is past the end of ${formatCount(rowCount, "row")}`);
  const range = { first, last: Math.min(last ?? rowCount, rowCount, first + MAX_RESULT_ROWS - 1) };
  requireSmallGroups(metadata, range);
  return { info: { rowCount }, texts: writeRows(buffer, metadata, range, Math.min(last ?? rowCount, rowCount)) };
}

type RowRange = { readonly first: number; readonly last: number };

/** A row group is read as a whole where it has no index of its pages. */
function requireSmallGroups({ row_groups }: FileMetaData, { first, last }: RowRange): void {
  let start = 0;
  for (const { num_rows, total_byte_size } of row_groups) {
    const end = start + Number(num_rows);
    if (start < last && end >= first && Number(total_byte_size) > MAX_GROUP_BYTES)
      throw new FailureError("too_large", `their row group has ${formatSize(Number(total_byte_size))}`);
    start = end;
  }
}

async function* writeRows(
  file: AsyncBuffer,
  metadata: FileMetaData,
  { first, last }: RowRange,
  wantedLast: number,
): AsyncGenerator<string> {
  const columns = listColumnNames(metadata);
  let chars = 0;
  let next = first;
  yield formatHeader(columns);
  for (const row of await readObjects(file, metadata, columns, first - 1, last)) {
    const line = formatRow(columns.map((column) => row[column]));
    chars += line.length;
    if (chars > MAX_RESULT_CHARS) break;
    yield line;
    next++;
  }
  if (next <= wantedLast) yield `\nMore rows follow: use rows ${next}-${wantedLast}.\n`;
}

/** Damage of pages is found only here. */
async function readObjects(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: string[],
  rowStart: number,
  rowEnd: number,
): Promise<Record<string, unknown>[]> {
  try {
    return await parquetReadObjects({ file, metadata, compressors, columns, rowStart, rowEnd });
  } catch (error) {
    throw toFailure(error);
  }
}

const listColumnNames = (metadata: FileMetaData): string[] =>
  parquetSchema(metadata)
    .children.slice(0, MAX_COLUMNS)
    .map(({ element }) => element.name);

async function readMetadata(buffer: AsyncBuffer): Promise<FileMetaData> {
  try {
    return await parquetMetadataAsync(buffer);
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): FailureError {
  const message = error instanceof Error ? error.message : String(error);
  return new FailureError(
    /encrypt/i.test(message) ? "encrypted" : "corrupt",
    message.replace(/^parquet /, "").replace(/\.$/, ""),
  );
}

function toAsyncBuffer({ content, sizeBytes }: LocalFile): AsyncBuffer {
  const body = toBody(content, sizeBytes);
  return {
    byteLength: sizeBytes,
    async slice(start, end = sizeBytes) {
      const from = start < 0 ? sizeBytes + start : start;
      if (end - from > MAX_GROUP_BYTES) throw new FailureError("too_large", "a column is larger than is read");
      const bytes = await body.read(Math.max(0, from), end);
      return Uint8Array.from(bytes).buffer;
    },
  };
}

const compressors: Compressors = {
  SNAPPY(input, outputLength) {
    if (outputLength > MAX_PAGE_BYTES) throw new Error("a page is larger than is read");
    const output = new Uint8Array(outputLength);
    snappyUncompress(input, output);
    return output;
  },
  GZIP: (input) => zlib.gunzipSync(input, { maxOutputLength: MAX_PAGE_BYTES }),
  BROTLI: (input) => zlib.brotliDecompressSync(input, { maxOutputLength: MAX_PAGE_BYTES }),
  // Node has it from 22.15 on.
  ...("zstdDecompressSync" in zlib && {
    ZSTD: (input: Uint8Array) => zlib.zstdDecompressSync(input, { maxOutputLength: MAX_PAGE_BYTES }),
  }),
};

async function* describeParquet(buffer: AsyncBuffer, metadata: FileMetaData): AsyncGenerator<string> {
  const columns = parquetSchema(metadata).children;
  const groups = metadata.row_groups;
  const size = `${formatCount(Number(metadata.num_rows), "row")} and ${formatCount(columns.length, "column")}`;
  yield `Table of ${size}, in ${formatCount(groups.length, "row group")}.`;
  yield metadata.created_by === undefined ? "\n\n" : ` Written by ${metadata.created_by.slice(0, 100)}.\n\n`;
  yield "## Columns\n\n";
  yield formatHeader(["column", "type", "may be empty"]);
  for (const { element, children } of columns.slice(0, MAX_COLUMNS)) {
    const nested = children.map((child) => child.element.name).join(", ");
    const type = element.type ?? `group of ${nested}`;
    const logical = element.logical_type?.type ?? element.converted_type;
    yield formatRow([
      element.name,
      logical === undefined ? type : `${type} (${logical})`,
      element.repetition_type === "REQUIRED" ? "no" : "yes",
    ]);
  }
  if (columns.length > MAX_COLUMNS) yield `\nand ${formatNumber(columns.length - MAX_COLUMNS)} more\n`;
  yield "\n## First rows\n\n";
  yield await readFirstRows(buffer, metadata);
}

/** Rows that cannot be read do not hide the columns. */
async function readFirstRows(file: AsyncBuffer, metadata: FileMetaData): Promise<string> {
  const firstGroupBytes = Number(metadata.row_groups[0]?.total_byte_size ?? 0);
  if (firstGroupBytes > MAX_GROUP_BYTES)
    return `The first row group has ${formatSize(firstGroupBytes)}, which is more than is read.\n`;
  try {
    const columns = listColumnNames(metadata);
    const rowEnd = Math.min(FIRST_ROWS, Number(metadata.num_rows));
    if (rowEnd === 0) return "There are none.\n";
    const rows = await parquetReadObjects({ file, metadata, compressors, columns, rowStart: 0, rowEnd });
    return formatHeader(columns) + rows.map((row) => formatRow(columns.map((column) => row[column]))).join("");
  } catch (error) {
    return `They cannot be read: ${error instanceof Error ? error.message.replace(/\.$/, "") : error}.\n`;
  }
}
