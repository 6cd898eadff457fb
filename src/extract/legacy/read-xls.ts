/** Reads workbooks before Excel 2007 and binary workbooks, through SheetJS. */
import { read, utils, type WorkBook, type WorkSheet } from "@e965/xlsx";
import { decodeLatin1 } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { openCompoundFile } from "../compound-file/open-compound-file.ts";
import { FailureError } from "../failure-error.ts";
import type { DocumentFacts, ExtractItem, HandlerOptions } from "../handler.ts";
import type { OfficeFacts } from "../office/describe-office.ts";
import { type SheetSource, toSheetSegments } from "../office/sheet-segments.ts";
import type { SheetRow } from "../office/sheet-tables.ts";
import { openZip } from "../zip/open-zip.ts";
import { readSummary } from "./summary.ts";

/** The library reads a workbook whole, so its size bounds the memory. */
const MAX_BYTES = 48 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
const MAX_RATIO = 100;

/** Facts, then a segment for each sheet or part of one. */
export async function* readXls(body: Body, { from }: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  if (body.sizeBytes > MAX_BYTES) throw new FailureError("too_large", "old workbooks of more than 48 MB are not read");
  await assertWorkbook(body);
  const workbook = parse(Buffer.from(await body.read(0, body.sizeBytes)));
  const sheets = listSheets(workbook);
  const hiddenSheets = sheets.filter(({ isHidden }) => isHidden).length;
  yield {
    info: {
      ...(await readWorkbookFacts(body)),
      pageName: "sheet",
      pageCount: sheets.length,
      hiddenSheets,
    },
  };
  yield* toSheetSegments(sheets, from);
}

/** The library reads anything as text, and inflates packages whole; so the container is checked first. */
async function assertWorkbook(body: Body): Promise<void> {
  const start = decodeLatin1(await body.read(0, 4), 0, 4);
  if (start.startsWith("PK")) return assertBoundedPackage(body);
  // Workbooks before Excel 5 have no container and begin with their first record.
  if (/^\x09[\0\x02\x04]/.test(start)) return;
  const compound = await openCompoundFile(body);
  if (compound.find("Workbook") === undefined && compound.find("Book") === undefined)
    throw new FailureError("corrupt", "the file has no workbook in it");
}

async function assertBoundedPackage(body: Body): Promise<void> {
  const { members } = await openZip(body);
  const unpackedBytes = members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (unpackedBytes > MAX_UNPACKED_BYTES || unpackedBytes > body.sizeBytes * MAX_RATIO)
    throw new FailureError("too_large", "the workbook unpacks to more than is read");
}

/** What the summary of an old workbook states. Binary workbooks are packages, and theirs is left out. */
async function readWorkbookFacts(body: Body): Promise<DocumentFacts> {
  try {
    return await readSummary(await openCompoundFile(body));
  } catch (error) {
    if (error instanceof FailureError) return {};
    throw error;
  }
}

function parse(bytes: Buffer): WorkBook {
  try {
    return read(bytes, { type: "buffer", dense: true, cellFormula: false, cellHTML: false, cellStyles: false });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(message))
      throw new FailureError("encrypted", "the workbook is encrypted, and old workbooks are not decrypted");
    throw new FailureError("corrupt", message);
  }
}

function listSheets(workbook: WorkBook): SheetSource[] {
  return workbook.SheetNames.map((name, index) => ({
    name,
    isHidden: (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0,
    rows: () => readRows(workbook.Sheets[name]),
  }));
}

const BATCH_ROWS = 500;

async function* readRows(sheet: WorkSheet | undefined): AsyncGenerator<readonly SheetRow[]> {
  const lines = sheet?.["!data"] ?? [];
  let batch: SheetRow[] = [];
  for (const [index, cells] of lines.entries()) {
    const row = toRow(cells ?? [], index);
    if (row.columns.length > 0) batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

type Cells = NonNullable<WorkSheet["!data"]>[number];

function toRow(cells: Cells, index: number): SheetRow {
  const filled = [...cells.entries()].flatMap(([column, cell]) => {
    const text = cell === undefined ? "" : utils.format_cell(cell).trim();
    return text === "" ? [] : [{ column, text }];
  });
  return { number: index + 1, columns: filled.map(({ column }) => column), texts: filled.map(({ text }) => text) };
}
