/** Reads the rows of a sheet: the cells as they are shown, at their columns. */
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { writeGeneral } from "./number-format.ts";
import { decodeEscapes, type Workbook } from "./workbook.ts";

export type Row = { readonly number: number; readonly cells: readonly string[] };

/** The last column that the format allows. */
const MAX_COLUMNS = 16_384;

export class SheetRows implements XmlEvents {
  readonly #workbook: Workbook;
  #rows: Row[] = [];
  #number = 0;
  #cells: string[] = [];
  #column = 0;
  #type = "";
  #style = 0;
  #value: string | undefined;
  #isText = false;
  #phoneticDepth = 0;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  /** The rows read since the last call. */
  take(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, tag: XmlTag): void {
    if (name === "c") this.#startCell(tag);
    else if (name === "v" || (name === "t" && this.#phoneticDepth === 0)) this.#isText = true;
    else if (name === "rPh") this.#phoneticDepth++;
    else if (name === "row") {
      this.#number = Number(tag.get("r") ?? 0) || this.#number + 1;
      [this.#cells, this.#column] = [[], -1];
    }
  }

  close(name: string): void {
    if (name === "v" || name === "t") this.#isText = false;
    else if (name === "rPh") this.#phoneticDepth--;
    else if (name === "c") this.#endCell();
    else if (name === "row" && this.#cells.length > 0) this.#rows.push({ number: this.#number, cells: this.#cells });
  }

  text(text: string): void {
    if (this.#isText) this.#value = (this.#value ?? "") + text;
  }

  #startCell(tag: XmlTag): void {
    const reference = tag.get("r");
    this.#column = reference === undefined ? this.#column + 1 : readColumn(reference);
    this.#type = tag.get("t") ?? "n";
    this.#style = Number(tag.get("s") ?? 0);
    this.#value = undefined;
  }

  #endCell(): void {
    const value = this.#value;
    if (value === undefined || value === "" || this.#column >= MAX_COLUMNS) return;
    while (this.#cells.length < this.#column) this.#cells.push("");
    this.#cells[this.#column] = this.#show(value);
  }

  #show(value: string): string {
    if (this.#type === "s") return this.#workbook.strings[Number(value)] ?? "";
    if (this.#type === "b") return value === "1" ? "TRUE" : "FALSE";
    if (this.#type !== "n") return decodeEscapes(value);
    const number = Number(value);
    return Number.isNaN(number) ? value : (this.#workbook.writers[this.#style] ?? writeGeneral)(number);
  }
}

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
