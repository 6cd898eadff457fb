/** Numbers of list items: digits, letters and Roman numerals, by the names that Word gives to formats. */

/** A number as its format shows it; other formats than letters and Roman numerals are shown as digits. */
export function formatListNumber(value: number, format: string): string {
  if (format === "lowerLetter") return toLetters(value).toLowerCase();
  if (format === "upperLetter") return toLetters(value);
  if (format === "lowerRoman") return toRoman(value).toLowerCase();
  if (format === "upperRoman") return toRoman(value);
  return format === "decimalZero" ? String(value).padStart(2, "0") : String(value);
}

/** A to Z, then AA, BB as Word does. */
function toLetters(value: number): string {
  if (value < 1 || value > 26 * 20) return String(value);
  return String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

const romanDigits: readonly (readonly [number, string])[] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

function toRoman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let rest = value;
  let text = "";
  for (const [size, digit] of romanDigits) {
    text += digit.repeat(Math.floor(rest / size));
    rest %= size;
  }
  return text;
}
