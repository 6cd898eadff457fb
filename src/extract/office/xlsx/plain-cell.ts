/** Reads cells that are written as most are, `<c r="B7" s="3" t="s"><v>12</v></c>`, without taking them apart as XML. */

export class PlainCell {
  /** Index of the column, from 0. */
  column = 0;
  style = 0;
  type = "";
  /** Empty if the cell has no value. */
  value = "";

  /** Reads the cell at an offset. Returns where it ends, or -1 if it is written otherwise. */
  read(text: string, start: number): number {
    if (!text.startsWith('<c r="', start)) return -1;
    const typeAt = this.#readStyle(text, this.#readReference(text, start + 6));
    const contentAt = typeAt === -1 ? -1 : this.#readType(text, typeAt);
    return contentAt === -1 ? -1 : this.#readValue(text, contentAt);
  }

  #readReference(text: string, start: number): number {
    let at = start;
    let column = 0;
    for (; at < text.length && at < start + MAX_REFERENCE_CHARS; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code >= LETTER_A && code <= LETTER_Z) column = column * 26 + code - LETTER_A + 1;
    }
    this.column = column - 1;
    return at;
  }

  #readStyle(text: string, at: number): number {
    this.style = 0;
    if (!text.startsWith('" s="', at)) return at;
    const end = text.indexOf('"', at + 5);
    this.style = end === -1 ? 0 : Number(text.slice(at + 5, end));
    return end;
  }

  #readType(text: string, at: number): number {
    this.type = "n";
    if (!text.startsWith('" t="', at)) return at;
    const end = text.indexOf('"', at + 5);
    this.type = end === -1 ? "" : text.slice(at + 5, end);
    return end;
  }

  #readValue(text: string, at: number): number {
    this.value = "";
    if (text.startsWith('"/>', at)) return at + 3;
    if (!text.startsWith('"><v>', at)) return -1;
    const end = text.indexOf("<", at + 5);
    if (end === -1 || !text.startsWith("</v></c>", end)) return -1;
    this.value = text.slice(at + 5, end);
    return this.value.includes("&") ? -1 : end + 8;
  }
}

const QUOTE = 0x22;
const LETTER_A = 0x41;
const LETTER_Z = 0x5a;

/** `XFD1048576`, the last cell of a sheet. */
const MAX_REFERENCE_CHARS = 10;
