/** Writes sheets as Markdown tables. A sheet begins a segment; a long one goes on in further segments. */
import { cleanText } from "../clean.ts";
import type { ExtractItem, Mark } from "../handler.ts";
import { writeCell } from "./markdown-blocks.ts";

export type SheetSource = {
  readonly name: string;
  readonly isHidden: boolean;
  /** Rows in batches; row numbers rise. */
  rows(): AsyncIterable<readonly { readonly number: number; readonly cells: readonly string[] }[]>;
};

/** Where a long sheet is split. Another number gives other segments and requires a new version of the handler. */
const SEGMENT_CHARS = 48 * 1024;

/** Segments from this index on. */
export async function* toSheetSegments(sources: readonly SheetSource[], from: number): AsyncGenerator<ExtractItem> {
  let index = 0;
  for (const source of sources) {
    for await (const { text, label, marks } of splitSheet(source)) {
      if (index >= from) yield { segment: { index, kind: "sheet", label, text: cleanText(text).text, marks }, note };
      index++;
    }
  }
}

const note = { verdict: "read" } as const;

type SheetText = { readonly text: string; readonly label: string; readonly marks: readonly Mark[] };

async function* splitSheet(source: SheetSource): AsyncGenerator<SheetText> {
  const title = `${cleanText(source.name).text.replaceAll(/\s+/g, " ")}${source.isHidden ? " (hidden)" : ""}`;
  let text = `## ${title}\n`;
  let [firstRow, lastRow] = [0, 0];
  let parts = 0;
  let header: string | undefined;

  const finish = (isEnd: boolean): SheetText => {
    const rows = firstRow === 0 ? "" : `, rows ${firstRow}-${lastRow}`;
    const marks = parts === 0 ? [{ label: title, level: 2, at: 0 }] : [];
    return { text: text.trimEnd(), label: parts === 0 && isEnd ? title : `${title}${rows}`, marks };
  };

  for await (const batch of source.rows()) {
    for (const { number, cells } of batch) {
      const line = `| ${cells.map(writeCell).join(" | ")} |\n`;
      if (header === undefined) header = `${line}|${" --- |".repeat(cells.length)}\n`;
      if (text.length + line.length > SEGMENT_CHARS && firstRow !== 0) {
        yield finish(false);
        parts++;
        // Each part repeats the header, so that it can be read alone.
        text = header;
        firstRow = 0;
      }
      if (firstRow === 0 && parts === 0) text += `\n${header}`;
      else text += line;
      if (firstRow === 0) firstRow = number;
      lastRow = number;
    }
  }
  yield finish(true);
}
