/** Combines letters with accents that are drawn separately, as by TeX and older programs. */

/** A letter and an accent as one character, in either order; null if the pair is not a letter and an accent. */
export function composeAccent(first: number, second: number): string | null {
  const combiningMark = combiningMarks.get(second) ?? combiningMarks.get(first);
  if (combiningMark === undefined) return null;
  const letter = String.fromCodePoint(combiningMarks.has(second) ? first : second);
  if (!/^\p{L}$/u.test(letter)) return null;
  return ((letter === "\u0131" ? "i" : letter) + combiningMark).normalize("NFC");
}

/** Accents as separate characters, and the combining form of each. */
const combiningMarks: ReadonlyMap<number, string> = new Map([
  [0x0060, "\u0300"],
  [0x00b4, "\u0301"],
  [0x02c6, "\u0302"],
  [0x005e, "\u0302"],
  [0x02dc, "\u0303"],
  [0x02c9, "\u0304"],
  [0x00af, "\u0304"],
  [0x02d8, "\u0306"],
  [0x02d9, "\u0307"],
  [0x00a8, "\u0308"],
  [0x02da, "\u030a"],
  [0x02dd, "\u030b"],
  [0x02c7, "\u030c"],
  [0x00b8, "\u0327"],
  [0x02db, "\u0328"],
]);
