/** Lists the merged cells of a sheet. A merged cell has its text once, in its first cell; this says how far it extends. */
import { formatNumber } from "../../system/quantities.ts";

/** Merged cells that are listed; the rest is counted. */
const MAX_LISTED = 50;

export class MergedCells {
  readonly #listed: string[] = [];
  #count = 0;

  /** Adds a range such as `A1:C1`. */
  add(range: string): void {
    this.#count++;
    if (this.#listed.length < MAX_LISTED && /^[A-Z]{1,3}\d+:[A-Z]{1,3}\d+$/.test(range)) this.#listed.push(range);
  }

  /** One line, or nothing. */
  write(): string {
    if (this.#count === 0) return "";
    const more = this.#count - this.#listed.length;
    return `Merged cells: ${this.#listed.join(", ")}${more > 0 ? ` and ${formatNumber(more)} more` : ""}`;
  }
}
