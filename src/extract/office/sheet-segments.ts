/** Splits sheets into segments: a sheet begins a segment, and a long one continues in further segments. */
import { clip } from "../../system/safe-names.ts";
import { cleanText } from "../clean.ts";
import type { ExtractItem, Mark, PageNote } from "../handler.ts";
import { isDamage } from "./damaged-parts.ts";
import { findLastHeader, type SheetRow, writeRows } from "./sheet-tables.ts";

export type SheetSource = {
  readonly name: string;
  readonly isHidden: boolean;
  /** Rows in batches; row numbers rise. */
  rows(): AsyncIterable<Iterable<SheetRow>>;
  /** What is beside the cells, such as comments and charts, and counts for the tally. Called after the last row. */
  finish?(): Promise<{ readonly text: string; readonly counts: Readonly<Record<string, number>> }>;
};

/** Where a long sheet is split. Another number gives other segments and requires a new version of the handler. */
const SEGMENT_CHARS = 48 * 1024;

/** Segments from this index on. */
export async function* toSheetSegments(sources: readonly SheetSource[], from: number): AsyncGenerator<ExtractItem> {
  let index = 0;
  for (const source of sources) {
    for await (const { text, counts, isDamaged, ...part } of splitSheet(source)) {
      const note: PageNote = { verdict: isDamaged ? "damaged" : "read", counts };
      if (index >= from) yield { segment: { index, kind: "sheet", text: cleanText(text).text, ...part }, note };
      index++;
    }
  }
}

type SheetPart = {
  readonly text: string;
  readonly label: string;
  readonly marks: readonly Mark[];
  readonly isContinued: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly isDamaged: boolean;
};

async function* splitSheet(source: SheetSource): AsyncGenerator<SheetPart> {
  const name = cleanText(source.name).text.replaceAll(/\s+/g, " ").trim();
  const suffix = source.isHidden ? " (hidden)" : "";
  const title = `${name}${suffix}`;
  // The name is text of the document, and the place is not shown as such.
  const place = `sheet ${JSON.stringify(clip(name))}${suffix}`;
  let rows: SheetRow[] = [];
  let chars = 0;
  /** The first row of a table that the part before did not end: each part repeats it, so that it can be read alone. */
  let header: SheetRow | undefined;
  let isFirst = true;

  function makePart(rest: string, isContinued: boolean, counts: SheetPart["counts"], isDamaged = false): SheetPart {
    const isWhole = isFirst && !isContinued;
    const range = isWhole || rows.length === 0 ? "" : `, rows ${rows[0]?.number}-${rows.at(-1)?.number}`;
    const blocks = [isFirst ? `## ${title}` : "", writeRows(rows, header), rest];
    const marks = isFirst ? [{ label: title, level: 2, at: 0 }] : [];
    const text = blocks.filter((block) => block !== "").join("\n\n");
    return { text, label: `${place}${range}`, marks, isContinued, counts, isDamaged };
  }

  try {
    for await (const batch of source.rows()) {
      for (const row of batch) {
        const rowChars = row.texts.reduce((sum, text) => sum + text.length + 3, 0);
        if (chars + rowChars > SEGMENT_CHARS && rows.length > 0) {
          yield makePart("", true, {});
          [header, isFirst] = [findLastHeader(rows, header, row.number), false];
          [rows, chars] = [[], 0];
        }
        rows.push(row);
        chars += rowChars;
      }
    }
    const { text, counts } = (await source.finish?.()) ?? { text: "", counts: {} };
    yield makePart(text, false, counts);
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield makePart("", false, {}, true);
  }
}
