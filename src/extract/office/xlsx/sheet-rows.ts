/** Reads the rows of a sheet: the filled cells as they are shown. */
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { MergedCells } from "../merged-cells.ts";
import { SheetRowBuilder } from "../sheet-row-builder.ts";
import type { SheetRow } from "../sheet-tables.ts";
import { writeGeneral } from "./number-format.ts";
import { PlainCell } from "./plain-cell.ts";
import { decodeEscapes, type Workbook } from "./workbook.ts";

export class SheetRows implements XmlEvents {
  readonly skips = skippedElements;
  hiddenRows = 0;
  hiddenColumns = 0;
  readonly mergedCells = new MergedCells();
  /** Codes of the header and footer of printed pages. */
  readonly pageHeaders: string[] = [];
  readonly #workbook: Workbook;
  readonly #builder = new SheetRowBuilder();
  readonly #plainCell = new PlainCell();
  #number = 0;
  #isHiddenRow = false;
  #column = -1;
  #type = "";
  #style = 0;
  #value = "";
  #formula = "";
  /** Which text is being read. */
  #textOf: "value" | "formula" | "pageHeader" | undefined;
  #phoneticDepth = 0;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  /** The rows read since the last call. */
  take(): Iterable<SheetRow> {
    return this.#builder.take();
  }

  /** Cells and texts that were left out because they are too many or too long. */
  get cutCells(): number {
    return this.#builder.cutCells;
  }

  /** Reads a cell at once, if it is written as most are: it costs a third. */
  readElement(text: string, at: number): number {
    const cell = this.#plainCell;
    const end = cell.read(text, at);
    if (end === -1 || cell.value === "") return end;
    this.#type = cell.type;
    this.#style = cell.style;
    this.#builder.add(cell.column, this.#show(cell.value));
    return end;
  }

  open(name: string, tag: XmlTag): void {
    if (name === "c") this.#startCell(tag);
    else if (name === "v" || (name === "t" && this.#phoneticDepth === 0)) this.#textOf = "value";
    else if (name === "f") this.#textOf = "formula";
    else if (name === "row") this.#startRow(tag);
    else if (name === "rPh") this.#phoneticDepth++;
    else if (name === "mergeCell") this.mergedCells.add(tag.get("ref") ?? "");
    else if (pageHeaders.has(name)) this.#startPageHeader();
    else if (name === "col" && isTrue(tag.get("hidden"))) this.#countColumns(tag);
  }

  close(name: string): void {
    if (name === "v" || name === "t" || name === "f" || pageHeaders.has(name)) this.#textOf = undefined;
    else if (name === "c") this.#endCell();
    else if (name === "row") this.#endRow();
    else if (name === "rPh") this.#phoneticDepth--;
  }

  text(text: string): void {
    if (this.#textOf === "value") this.#value += text;
    else if (this.#textOf === "formula") this.#formula += text;
    else if (this.#textOf === "pageHeader") this.pageHeaders[this.pageHeaders.length - 1] += text;
  }

  #startRow(tag: XmlTag): void {
    this.#number = Number(tag.get("r") ?? 0) || this.#number + 1;
    this.#isHiddenRow = isTrue(tag.get("hidden"));
    this.#column = -1;
  }

  #endRow(): void {
    if (this.#builder.end(this.#number) && this.#isHiddenRow) this.hiddenRows++;
  }

  #startCell(tag: XmlTag): void {
    this.#value = "";
    this.#formula = "";
    // Most cells of a formatted sheet are empty. Only cells without references are counted.
    if (tag.isEmpty) {
      this.#column++;
      return;
    }
    const reference = tag.get("r");
    this.#column = reference === undefined ? this.#column + 1 : readColumn(reference);
    this.#type = tag.get("t") ?? "n";
    this.#style = Number(tag.get("s") ?? 0);
  }

  #endCell(): void {
    // Programs that cannot calculate leave the value out.
    if (this.#value !== "") this.#builder.add(this.#column, this.#show(this.#value));
    else if (this.#formula !== "") this.#builder.add(this.#column, `=${this.#formula}`);
  }

  #show(value: string): string {
    if (this.#type === "s") return this.#workbook.strings[Number(value)] ?? "";
    if (this.#type === "b") return value === "1" ? "TRUE" : "FALSE";
    if (this.#type !== "n") return decodeEscapes(value);
    const number = Number(value);
    return Number.isNaN(number) ? value : (this.#workbook.writers[this.#style] ?? writeGeneral)(number);
  }

  #startPageHeader(): void {
    this.#textOf = "pageHeader";
    this.pageHeaders.push("");
  }

  #countColumns(tag: XmlTag): void {
    const [first, last] = [Number(tag.get("min")), Number(tag.get("max"))];
    // Hiding everything to the right of the data is a habit and hides nothing.
    if (last >= first && last - first < MAX_HIDDEN_COLUMNS) this.hiddenColumns += last - first + 1;
  }
}

/** Elements without text of cells: how they look, and what may be typed into them. */
const skippedElements: ReadonlySet<string> = new Set([
  "conditionalFormatting",
  "dataValidations",
  "extLst",
  "sheetViews",
]);

const pageHeaders = new Set(["oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"]);

const MAX_HIDDEN_COLUMNS = 1_000;

const isTrue = (value: string | undefined): boolean => value === "1" || value === "true";

/** The index of the column in a reference such as `AB12`. */
function readColumn(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length && at < 4; at++) {
    const letter = reference.charCodeAt(at) & 0xdf;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column - 1;
}
