/** A table of a page, made of the lines in its cells. */
import { isRightToLeft } from "../direction/brackets.ts";
import type { Line } from "../text-lines.ts";

/** The text of each cell, row by row. All rows have as many cells as the widest. */
export type TableBlock = { readonly kind: "table"; readonly rows: readonly (readonly string[])[] };

/** A line that is not part of a table, or a table at the place of its first line. */
export type LineOrTable = Line | TableBlock;

/** Whether it is a table. */
export function isTable(piece: LineOrTable): piece is TableBlock {
  return "rows" in piece;
}

/** A table of the lines in each cell. */
export function makeTable(rows: readonly (readonly (readonly Line[])[])[]): TableBlock {
  const width = Math.max(...rows.map((row) => row.length));
  return {
    kind: "table",
    rows: rows.map((row) => Array.from({ length: width }, (_, column) => joinCell(row[column] ?? []))),
  };
}

/** The cells of rows from left to right, in the order of reading: in right-to-left text the first column is on the right. */
export function toReadingOrder(rows: readonly (readonly (readonly Line[])[])[]): (readonly Line[])[][] {
  const text = rows.flatMap((row) => row.flatMap((cell) => cell.map((line) => line.text))).join("");
  const letters = text.match(/\p{L}/gu) ?? [];
  const rightToLeft = letters.filter((letter) => isRightToLeft(letter.codePointAt(0) ?? 0)).length;
  return rows.map((row) => (2 * rightToLeft > letters.length ? row.toReversed() : [...row]));
}

/** The text of a cell in one line. */
function joinCell(lines: readonly Line[]): string {
  let text = "";
  for (const line of lines) {
    const isSplitWord = text.endsWith("\u00ad") && /^\p{Ll}/u.test(line.text);
    text = isSplitWord ? text.slice(0, -1) + line.text : `${text.replace(/\u00ad$/, "-")} ${line.text}`;
    if (line.endsWithHyphen) text += "\u00ad";
  }
  return text
    .replace(/\u00ad$/, "-")
    .replace(/\s+/g, " ")
    .trim();
}
