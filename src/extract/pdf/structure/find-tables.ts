/** Finds the tables of a page by its tags, by drawn rules and by aligned columns, in this order. */
import type { Line } from "../text-lines.ts";
import { findAlignedTables } from "./aligned-tables.ts";
import type { Rule } from "./drawn-rules.ts";
import { findRuledTables } from "./ruled-tables.ts";
import { isTable, type LineOrTable, makeTable, type TableBlock } from "./table.ts";
import type { TagBlock } from "./tags.ts";

/** The lines of a page with its tables in place of the lines that make them up. */
export function findTables(
  lines: readonly Line[],
  tags: readonly TagBlock[],
  rules: readonly Rule[],
): readonly LineOrTable[] {
  const ruled = findRuledTables(findTaggedTables(lines, tags), rules);
  return splitByTables(ruled).flatMap((part) => (Array.isArray(part) ? findAlignedTables(part) : [part]));
}

/** Runs of lines between tables. */
function splitByTables(pieces: readonly LineOrTable[]): (Line[] | TableBlock)[] {
  const parts: (Line[] | TableBlock)[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (isTable(piece)) parts.push(piece);
    else if (Array.isArray(last)) last.push(piece);
    else parts.push([piece]);
  }
  return parts;
}

/** Tables whose cells are tagged: consecutive lines of the same table. */
function findTaggedTables(lines: readonly Line[], tags: readonly TagBlock[]): LineOrTable[] {
  const pieces: LineOrTable[] = [];
  for (let index = 0; index < lines.length; ) {
    const table = tableOf(lines[index], tags);
    let end = index + 1;
    while (table !== 0 && end < lines.length && tableOf(lines[end], tags) === table) end += 1;
    pieces.push(...(table === 0 ? lines.slice(index, end) : [taggedTable(lines.slice(index, end), tags)]));
    index = end;
  }
  return pieces;
}

function tableOf(line: Line | undefined, tags: readonly TagBlock[]): number {
  const tag = tags[line?.block ?? 0];
  return tag?.kind === "cell" ? tag.table : 0;
}

function taggedTable(lines: readonly Line[], tags: readonly TagBlock[]): TableBlock {
  const byRow = Map.groupBy(lines, ({ block }) => {
    const tag = tags[block];
    return tag?.kind === "cell" ? tag.row : 0;
  });
  return makeTable([...byRow.values()].map((row) => [...Map.groupBy(row, ({ block }) => block).values()]));
}
