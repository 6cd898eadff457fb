/** Writes the rows of a database as a Markdown table, one line each. */
import { formatSize } from "../../system/quantities.ts";

/** At most so many rows and characters of one query. */
export const MAX_RESULT_ROWS = 1_000;
export const MAX_RESULT_CHARS = 90_000;

/** A longer value says too little about a table. */
const MAX_CELL_CHARS = 200;

export function formatHeader(names: readonly string[]): string {
  return `${formatRow(names)}${formatRow(names.map(() => "---"))}`;
}

export function formatRow(cells: readonly unknown[]): string {
  return `| ${cells.map(formatCell).join(" | ")} |\n`;
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Uint8Array) return `(${formatSize(value.length)} of bytes)`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return clipCell(typeof value === "object" ? formatObject(value) : String(value));
}

function formatObject(value: object): string {
  // Whole numbers of 64 bits are not JSON.
  return JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item));
}

function clipCell(text: string): string {
  const line = text
    .slice(0, 2 * MAX_CELL_CHARS)
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .trim();
  if (line.length <= MAX_CELL_CHARS && text.length <= 2 * MAX_CELL_CHARS) return line;
  return `${line.slice(0, MAX_CELL_CHARS).replace(/[\ud800-\udbff]$/, "")}...`;
}
