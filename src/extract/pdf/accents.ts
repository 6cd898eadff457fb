/** Puts accents and the letters they are drawn over together, as TeX and older programs keep them apart. */

/** The letter and the accent of a pair of characters as one, whichever was drawn first; null when it is no such pair. */
export function composeAccent(first: number, second: number): string | null {
  const mark = accents.get(second) ?? accents.get(first);
  if (mark === undefined) return null;
  const letter = String.fromCodePoint(accents.has(second) ? first : second);
  if (!/^\p{L}$/u.test(letter)) return null;
  return ((letter === "\u0131" ? "i" : letter) + mark).normalize("NFC");
}

/** Accents that stand alone, and the same on a letter. */
const accents: ReadonlyMap<number, string> = new Map([
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
