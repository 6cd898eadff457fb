/** Reads the rows of one sheet of an OpenDocument spreadsheet. */
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";

type Row = { readonly number: number; readonly cells: readonly string[] };

/** Copies of a row or cell with content are written so often. Empty ones are only counted. */
const MAX_REPEATS = 1_000;
const MAX_COLUMNS = 16_384;

export class OdfSheets implements XmlEvents {
  hasEnded = false;
  readonly #wanted: number;
  #tables = -1;
  #rows: Row[] = [];
  #number = 1;
  #rowRepeats = 1;
  #cells: string[] = [];
  #column = 0;
  #cellRepeats = 1;
  #lines: string[] | undefined;
  #commentDepth = 0;

  /** Rows of the sheet at this index, from 0. */
  constructor(index: number) {
    this.#wanted = index;
  }

  take(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, tag: XmlTag): void {
    if (name === "table") {
      this.#tables++;
    }
    if (this.#tables !== this.#wanted || this.hasEnded) return;
    if (name === "annotation") this.#commentDepth++;
    else if (name === "table-row") {
      this.#rowRepeats = readCount(tag, "number-rows-repeated");
      [this.#cells, this.#column] = [[], 0];
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#cellRepeats = readCount(tag, "number-columns-repeated");
      this.#lines = [];
    } else if (this.#lines === undefined || this.#commentDepth > 0) return;
    else if (name === "p") this.#lines.push("");
    else if (name === "s") this.text(" ".repeat(Math.min(readCount(tag, "c"), 64)));
    else if (name === "tab" || name === "line-break") this.text(" ");
  }

  close(name: string): void {
    if (name === "table") {
      if (this.#tables === this.#wanted) this.hasEnded = true;
    }
    if (this.#tables !== this.#wanted) return;
    if (name === "annotation") this.#commentDepth--;
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell();
    else if (name === "table-row") this.#endRow();
  }

  text(text: string): void {
    const last = (this.#lines?.length ?? 0) - 1;
    if (this.#lines && last >= 0 && this.#commentDepth === 0) this.#lines[last] += text;
  }

  #endCell(): void {
    const text = (this.#lines ?? []).join("\n").trim();
    this.#lines = undefined;
    const end = Math.min(this.#column + this.#cellRepeats, MAX_COLUMNS);
    if (text !== "") {
      while (this.#cells.length < this.#column) this.#cells.push("");
      const copies = Math.min(end - this.#column, MAX_REPEATS);
      for (let copy = 0; copy < copies; copy++) this.#cells.push(text);
    }
    this.#column = end;
  }

  #endRow(): void {
    if (this.#cells.length > 0) {
      const copies = Math.min(this.#rowRepeats, MAX_REPEATS);
      for (let copy = 0; copy < copies; copy++) this.#rows.push({ number: this.#number + copy, cells: this.#cells });
    }
    this.#number += this.#rowRepeats;
  }
}

const readCount = (tag: XmlTag, name: string): number => Math.max(1, Number(tag.get(name) ?? 1) || 1);
