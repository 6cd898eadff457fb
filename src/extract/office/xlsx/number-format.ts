/** Shows numbers and dates as a spreadsheet shows them, by their format code. */

/** Writes one number; made once for each format of a workbook. */
export type NumberWriter = (value: number) => string;

/** Formats that have a number instead of a code. Dates are written in one form, whatever the reader's country. */
const builtInCodes: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0;(#,##0)",
  38: "#,##0;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "0.0E+0",
};

/** Longer than a program accepts. */
const MAX_CODE_CHARS = 255;

/** The writer of a format. `code` is the workbook's own, if it defines this number. */
export function makeNumberWriter(id: number, code: string | undefined, is1904: boolean): NumberWriter {
  const format = code ?? builtInCodes[id];
  if (format === undefined || format.length > MAX_CODE_CHARS || /^(general|@)$/i.test(format)) return writeGeneral;
  const sections = splitSections(format);
  if (isDateCode(sections[0] ?? "")) return makeDateWriter(sections[0] ?? "", is1904);
  const writers = sections.map(makeSectionWriter);
  return (value) => {
    const [positive = writeGeneral, negative, zero] = writers;
    if (value === 0 && zero) return zero(0);
    if (value < 0 && negative) return negative(-value);
    return value < 0 ? `-${positive(-value)}` : positive(value);
  };
}

/** As a cell without a format shows it: at most 11 significant digits are visible, 15 are kept. */
export function writeGeneral(value: number): string {
  const text = String(value);
  // Only the last digits of a long fraction can be noise.
  return text.length <= 16 || !Number.isFinite(value) ? text : String(Number(value.toPrecision(15)));
}

function splitSections(code: string): string[] {
  const sections = [""];
  for (const [token] of code.matchAll(/"[^"]*"|\\.|;|[^";\\]+|"/g)) {
    if (token === ";") sections.push("");
    else sections[sections.length - 1] += token;
  }
  return sections;
}

/** Without literals and bracketed conditions, a letter of dates means a date. */
function isDateCode(section: string): boolean {
  const bare = section.replaceAll(/"[^"]*"|\\.|_.|\*./g, "").replaceAll(/\[(?!(h+|m+|s+)\])[^\]]*\]/gi, "");
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare);
}

const MS_PER_DAY = 86_400_000;
/** Day 0 of the two calendars; the first counts 29 February 1900, which did not exist. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** Dates are written as ISO 8601: a date, a time, or both, as far as the code shows them. */
function makeDateWriter(section: string, is1904: boolean): NumberWriter {
  const code = section.replaceAll(/"[^"]*"|\\.|\[\$[^\]]*\]/g, "").toLowerCase();
  const hasDate = /[yd]|mmm/.test(code) || (code.includes("m") && !/[hs]/.test(code));
  const hasTime = /[hs]/.test(code);
  const isDuration = /\[(h+|m+|s+)\]/.test(code);
  const showsSeconds = code.includes("s");
  return (value) => {
    if (isDuration) return writeDuration(value, showsSeconds);
    const time = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(value * MS_PER_DAY));
    if (Number.isNaN(time.getTime()) || value < 0) return writeGeneral(value);
    const [date = "", clock = ""] = time.toISOString().split("T");
    const shownClock = clock.slice(0, showsSeconds ? 8 : 5);
    if (hasDate && hasTime) return `${date} ${shownClock}`;
    return hasDate ? date : shownClock;
  };
}

function writeDuration(value: number, showsSeconds: boolean): string {
  const seconds = Math.round(Math.abs(value) * 86_400);
  const pad = (part: number) => String(part).padStart(2, "0");
  const text = `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}`;
  return `${value < 0 ? "-" : ""}${text}${showsSeconds ? `:${pad(seconds % 60)}` : ""}`;
}

/** A writer for one section of a code that shows a number. */
function makeSectionWriter(section: string): NumberWriter {
  const [before, digits, after] = splitDigits(section);
  if (digits === "") return before === "" && after === "" ? writeGeneral : () => `${before}${after}`;
  if (/general/i.test(digits)) return (value) => `${before}${writeGeneral(value)}${after}`;
  const [mantissa = "", exponent] = digits.split(/e[+-]/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const isPercent = /%/.test(section);
  // Commas at the end scale by a thousand each.
  const scale = (isPercent ? 100 : 1) / 1000 ** (/,*$/.exec(whole)?.[0].length ?? 0);
  const minDecimals = (fraction.match(/[0?]/g) ?? []).length;
  const maxDecimals = Math.min((fraction.match(/[0#?]/g) ?? []).length, 15);
  const minWhole = (whole.match(/0/g) ?? []).length;
  const hasThousands = /[0#?],+[0#?]/.test(whole);
  if (digits.includes("/")) return (value) => `${before}${writeGeneral(value)}${after}`;
  if (exponent !== undefined)
    return (value) => `${before}${writeScientific(value, maxDecimals, exponent.length)}${after}`;
  return (value) => {
    const text = Number((value * scale).toPrecision(15)).toFixed(maxDecimals);
    const [integer = "0", decimals = ""] = text.split(".");
    const kept = trimZeros(decimals, minDecimals);
    const padded = integer.padStart(minWhole, "0");
    const grouped = hasThousands ? padded.replaceAll(/\B(?=(\d{3})+$)/g, ",") : padded;
    return `${before}${grouped}${kept === "" ? "" : `.${kept}`}${after}`;
  };
}

/** As in `1.23E+04`. */
function writeScientific(value: number, decimals: number, exponentDigits: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential(decimals).split("e");
  return `${mantissa}E${exponent.charAt(0)}${exponent.slice(1).padStart(exponentDigits, "0")}`;
}

function trimZeros(decimals: string, min: number): string {
  let end = decimals.length;
  while (end > min && decimals[end - 1] === "0") end--;
  return decimals.slice(0, end);
}

/** The literal text before the digits, the digits, and the literal text after them. */
function splitDigits(section: string): [before: string, digits: string, after: string] {
  const plain = section
    .replaceAll(/\[\$([^\]-]*)[^\]]*\]/g, "$1")
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/[_*]./g, "")
    .replaceAll(/"([^"]*)"/g, (_, literal: string) => literal.replaceAll(/./g, "\\$&"));
  const match = /general|(?:[0#?](?:[0#?.,/ ]*[0#?.,])?)(?:e[+-][0#?]+)?/i.exec(
    plain.replaceAll(/\\./g, "\u0000\u0000"),
  );
  const removeEscapes = (text: string) => text.replaceAll(/\\(.)/g, "$1").replaceAll("@", "");
  if (match === null) return [removeEscapes(plain), "", ""];
  const end = match.index + match[0].length;
  return [removeEscapes(plain.slice(0, match.index)), match[0], removeEscapes(plain.slice(end))];
}
