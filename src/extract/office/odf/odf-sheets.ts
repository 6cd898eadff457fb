/** Reads the sheets of an OpenDocument spreadsheet, which are all in one part. */
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { MergedCells } from "../merged-cells.ts";
import { toTable } from "../named-table.ts";
import { SheetRowBuilder } from "../sheet-row-builder.ts";
import { nameColumn } from "../sheet-tables.ts";

/** Copies of a row or cell with content are written so often. Empty ones are only counted. */
const MAX_REPEATS = 1_000;
const MAX_COPIED_CELLS = 100_000;
/** Sheets that are read. */
export const MAX_SHEETS = 1_000;

/** One sheet, as far as it was read. */
export type OdfSheet = {
  readonly rows: SheetRowBuilder;
  /** Comments with the name of their cell and, where it is given, their author. */
  readonly comments: string[];
  readonly mergedCells: MergedCells;
  hiddenRows: number;
  hiddenColumns: number;
  hasEnded: boolean;
};

type Comment = { author: string; text: string; element: string };

export class OdfSheets implements XmlEvents {
  /** The sheets in order; the last one may not have ended. */
  readonly sheets: OdfSheet[] = [];
  /** The sheet being read. */
  #sheet: OdfSheet | undefined;
  /** Depth of tables inside cells. */
  #innerDepth = 0;
  #number = 1;
  #rowRepeats = 1;
  #isHiddenRow = false;
  #column = 0;
  #cellRepeats = 1;
  #lines: string[] | undefined;
  #copiedCells = 0;
  #comment: Comment | undefined;

  open(name: string, tag: XmlTag): void {
    if (name === "table") this.#startTable();
    if (this.#sheet === undefined) return;
    if (this.#comment) this.#comment.element = name;
    OdfSheets.#openers.get(name)?.(this, tag);
  }

  close(name: string): void {
    if (this.#sheet) OdfSheets.#closers.get(name)?.(this);
    if (name === "table") this.#endTable();
  }

  text(text: string): void {
    if (this.#comment) this.#addToComment(this.#comment, text);
    else if (this.#lines) this.#lines[Math.max(0, this.#lines.length - 1)] += text;
  }

  static readonly #openers = toTable<(self: OdfSheets, tag: XmlTag) => void>({
    annotation: (self) => {
      self.#comment = { author: "", text: "", element: "" };
    },
    "table-column": (self, tag) => {
      const count = readCount(tag, "number-columns-repeated");
      if (self.#sheet && isHidden(tag) && count < MAX_REPEATS) self.#sheet.hiddenColumns += count;
    },
    "table-row": (self, tag) => {
      self.#rowRepeats = readCount(tag, "number-rows-repeated");
      self.#isHiddenRow = isHidden(tag);
      self.#column = 0;
    },
    "table-cell": (self, tag) => self.#startCell(tag),
    "covered-table-cell": (self, tag) => self.#startCell(tag),
    p: (self) => {
      if (!self.#comment) self.#lines?.push("");
    },
    s: (self, tag) => self.text(" ".repeat(Math.min(readCount(tag, "c"), 64))),
    tab: (self) => self.text(" "),
    "line-break": (self) => self.text("\n"),
  });

  static readonly #closers = toTable<(self: OdfSheets) => void>({
    annotation: (self) => self.#endComment(),
    "table-cell": (self) => self.#endCell(),
    "covered-table-cell": (self) => self.#endCell(),
    "table-row": (self) => self.#endRow(),
  });

  #startTable(): void {
    if (this.#sheet) this.#innerDepth++;
    else if (this.sheets.length < MAX_SHEETS) {
      this.#sheet = {
        ...{ rows: new SheetRowBuilder(), comments: [], mergedCells: new MergedCells() },
        ...{ hiddenRows: 0, hiddenColumns: 0, hasEnded: false },
      };
      this.sheets.push(this.#sheet);
      this.#number = 1;
    }
  }

  #endTable(): void {
    if (this.#innerDepth > 0) this.#innerDepth--;
    else if (this.#sheet) {
      this.#sheet.hasEnded = true;
      this.#sheet = undefined;
    }
  }

  #startCell(tag: XmlTag): void {
    this.#cellRepeats = readCount(tag, "number-columns-repeated");
    this.#lines = [""];
    const [columns, rows] = [readCount(tag, "number-columns-spanned"), readCount(tag, "number-rows-spanned")];
    if (columns > 1 || rows > 1) this.#addMerged(columns, rows);
  }

  #addMerged(columns: number, rows: number): void {
    const last = `${nameColumn(this.#column + columns - 1)}${this.#number + rows - 1}`;
    this.#sheet?.mergedCells.add(`${nameColumn(this.#column)}${this.#number}:${last}`);
  }

  #endCell(): void {
    const text = (this.#lines ?? []).filter((line) => line !== "").join("\n");
    this.#lines = undefined;
    const copies = text === "" ? 0 : this.#limitCopies();
    for (let copy = 0; copy < copies; copy++) this.#sheet?.rows.add(this.#column + copy, text);
    this.#column += this.#cellRepeats;
  }

  /** Copies of cells are limited for the whole file too. */
  #limitCopies(): number {
    const copies = this.#copiedCells < MAX_COPIED_CELLS ? Math.min(this.#cellRepeats, MAX_REPEATS) : 1;
    if (copies > 1) this.#copiedCells += copies;
    return copies;
  }

  #endRow(): void {
    const isFilled = this.#sheet?.rows.end(this.#number, Math.min(this.#rowRepeats, MAX_REPEATS));
    if (this.#sheet && isFilled && this.#isHiddenRow) this.#sheet.hiddenRows++;
    this.#number += this.#rowRepeats;
  }

  #addToComment(comment: Comment, text: string): void {
    if (comment.element === "creator") comment.author += text;
    else if (comment.element !== "date" && comment.element !== "date-string") comment.text += `${text} `;
  }

  #endComment(): void {
    const { author = "", text = "" } = this.#comment ?? {};
    this.#comment = undefined;
    const written = text.replaceAll(/\s+/g, " ").trim();
    const place = `${nameColumn(this.#column)}${this.#number}`;
    if (written !== "") this.#sheet?.comments.push(`- ${place}${author === "" ? "" : ` (${author})`}: ${written}`);
  }
}

const readCount = (tag: XmlTag, name: string): number => Math.max(1, Number(tag.get(name) ?? 1) || 1);

/** Rows and columns say so themselves; `filter` hides as well. */
const isHidden = (tag: XmlTag): boolean => /^(collapse|filter)$/.test(tag.get("visibility") ?? "");
