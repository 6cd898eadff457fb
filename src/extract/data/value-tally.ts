/** Adds up the values of one column or path: their types, their range, and samples. */
import { formatNumber } from "../../system/quantities.ts";

type ValueType = "integer" | "number" | "boolean" | "date" | "text" | "null";

const MAX_SAMPLES = 3;
const MAX_SAMPLE_CHARS = 40;

export class ValueTally {
  #count = 0;
  #empty = 0;
  readonly #types = new Map<ValueType, number>();
  #minNumber = Number.POSITIVE_INFINITY;
  #maxNumber = Number.NEGATIVE_INFINITY;
  #minDate: string | undefined;
  #maxDate: string | undefined;
  readonly #samples = new Set<string>();

  /** A value as written, without quotes. Only text that was not quoted can be null. */
  add(value: string, isQuoted = false): void {
    this.#count++;
    if (value === "") {
      this.#empty++;
      return;
    }
    const type = isQuoted ? findTextType(value) : findType(value);
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
    if (type === "integer" || type === "number") this.#addNumber(Number(value));
    if (type === "date") this.#addDate(value);
    if (this.#samples.size < MAX_SAMPLES) this.#samples.add(clipSample(value));
  }

  #addNumber(value: number): void {
    this.#minNumber = Math.min(this.#minNumber, value);
    this.#maxNumber = Math.max(this.#maxNumber, value);
  }

  #addDate(value: string): void {
    if (this.#minDate === undefined || value < this.#minDate) this.#minDate = value;
    if (this.#maxDate === undefined || value > this.#maxDate) this.#maxDate = value;
  }

  /** The same tally with the values of another. */
  merge(other: ValueTally): void {
    this.#count += other.#count;
    this.#empty += other.#empty;
    for (const [type, count] of other.#types) this.#types.set(type, (this.#types.get(type) ?? 0) + count);
    this.#minNumber = Math.min(this.#minNumber, other.#minNumber);
    this.#maxNumber = Math.max(this.#maxNumber, other.#maxNumber);
    for (const date of [other.#minDate, other.#maxDate]) if (date !== undefined) this.#addDate(date);
    for (const sample of other.#samples) if (this.#samples.size < MAX_SAMPLES) this.#samples.add(sample);
  }

  /** `integer 1 to 90, 12 % empty`; more than one type is listed by how common it is. */
  describe(): string {
    const types = [...this.#types].sort(([, one], [, other]) => other - one).map(([type]) => type);
    const names = types.length === 0 ? ["empty"] : types;
    const empty = this.#empty > 0 && types.length > 0 ? [`${formatShare(this.#empty, this.#count)} empty`] : [];
    return [...names.map((type) => `${type}${this.#formatRange(type, types)}`), ...empty].join(", ");
  }

  samples(): string[] {
    return [...this.#samples];
  }

  get count(): number {
    return this.#count;
  }

  /** A range says more than samples where numbers or dates are all there is. */
  #formatRange(type: string, types: readonly ValueType[]): string {
    const isNumeric = type === "number" || (type === "integer" && !types.includes("number"));
    if (isNumeric && this.#minNumber < this.#maxNumber) return ` ${this.#minNumber} to ${this.#maxNumber}`;
    if (type === "date" && this.#minDate !== this.#maxDate) return ` ${this.#minDate} to ${this.#maxDate}`;
    return "";
  }
}

const INTEGER = /^[+-]?\d{1,15}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

function findType(value: string): ValueType {
  if (value.length > 40) return "text";
  if (INTEGER.test(value)) return "integer";
  if (NUMBER.test(value)) return "number";
  if (/^(true|false)$/i.test(value)) return "boolean";
  return value === "null" ? "null" : findTextType(value);
}

const findTextType = (value: string): ValueType => (DATE.test(value) ? "date" : "text");

/** One line that does not break a table. */
function clipSample(value: string): string {
  const line = value
    .slice(0, 2 * MAX_SAMPLE_CHARS)
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|");
  return line.length > MAX_SAMPLE_CHARS
    ? `${line.slice(0, MAX_SAMPLE_CHARS).replace(/[\ud800-\udbff]$/, "")}...`
    : line;
}

function formatShare(part: number, whole: number): string {
  const percent = Math.round((100 * part) / whole);
  return percent === 0 || percent === 100 ? `${formatNumber(part)} of ${formatNumber(whole)}` : `${percent} %`;
}
