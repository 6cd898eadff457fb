/** Reads a workbook: each sheet as a Markdown table under its name, long sheets in several segments. */
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import { scanXml } from "../../xml/scan-xml.ts";
import { type Zip, ZipError } from "../../zip/open-zip.ts";
import { readFacts, readXml } from "../package-parts.ts";
import { type SheetSource, toSheetSegments } from "../sheet-segments.ts";
import { type Row, SheetRows } from "./sheet-rows.ts";
import { readWorkbook, type Sheet, type Workbook } from "./workbook.ts";

/** Facts, then the sheets in order. */
export async function* readXlsx(
  zip: Zip,
  options: HandlerOptions,
): AsyncGenerator<ExtractItem<{ readonly sheetCount: number }>> {
  const workbook = await readWorkbook(zip);
  if (workbook.sheets.length === 0) throw new ZipError("corrupt", "the package has no sheets");
  yield { info: { ...(await readFacts(zip, "docProps/core.xml")), sheetCount: workbook.sheets.length } };
  const sources = workbook.sheets.map(
    (sheet): SheetSource => ({
      name: sheet.name,
      isHidden: sheet.isHidden,
      rows: () => readRows(zip, sheet, workbook),
    }),
  );
  yield* toSheetSegments(sources, options.from);
}

async function* readRows(zip: Zip, sheet: Sheet, workbook: Workbook): AsyncGenerator<readonly Row[]> {
  const member = zip.find(sheet.part);
  if (member === undefined) return;
  const rows = new SheetRows(workbook);
  const scanner = scanXml(rows);
  for await (const text of readXml(zip, member)) {
    scanner.write(text);
    yield rows.take();
  }
  scanner.end();
  yield rows.take();
}
