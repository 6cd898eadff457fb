/** Reads a workbook: each sheet as a Markdown table under its name, long sheets in several segments. */
import { FailureError } from "../../failure-error.ts";
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import { scanXml } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import type { OfficeFacts, SheetCounts } from "../describe-office.ts";
import { readFacts, readXml } from "../package-parts.ts";
import { type SheetSource, toSheetSegments } from "../sheet-segments.ts";
import type { SheetRow } from "../sheet-tables.ts";
import { readPageHeader, readSheetExtras } from "./sheet-extras.ts";
import { SheetRows } from "./sheet-rows.ts";
import { readWorkbook, type Sheet, type Workbook } from "./workbook.ts";

/** Facts, then the sheets in order. */
export async function* readXlsx(zip: Zip, options: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  const workbook = await readWorkbook(zip);
  const { sheets } = workbook;
  if (sheets.length === 0) throw new FailureError("corrupt", "the package has no sheets");
  const hiddenSheets = sheets.filter(({ isHidden }) => isHidden).length;
  const facts = await readFacts(zip, "docProps/core.xml");
  yield { info: { ...facts, pageName: "sheet", pageCount: sheets.length, hiddenSheets } };
  yield* toSheetSegments(
    sheets.map((sheet) => openSheet(zip, sheet, workbook)),
    options.from,
  );
}

function openSheet(zip: Zip, { name, part, isHidden }: Sheet, workbook: Workbook): SheetSource {
  const rows = new SheetRows(workbook);

  async function* readRows(): AsyncGenerator<Iterable<SheetRow>> {
    const member = zip.find(part);
    if (member === undefined) return;
    const scanner = scanXml(rows);
    for await (const text of readXml(zip, member)) {
      scanner.write(text);
      yield rows.take();
    }
    scanner.end();
    yield rows.take();
  }

  async function finish() {
    const { hiddenRows, hiddenColumns, cutCells, pageHeaders } = rows;
    const counts: SheetCounts = { hiddenRows, hiddenColumns, cutCells };
    const headers = [...new Set(pageHeaders.map(readPageHeader))].filter((header) => header !== "");
    const extras = await readSheetExtras(zip, part, workbook.persons);
    return {
      text: [rows.mergedCells.write(), extras, ...headers].filter((block) => block !== "").join("\n\n"),
      counts,
    };
  }

  return { name, isHidden, rows: readRows, finish };
}
