import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findLogicalOrder } from "./logical-order.ts";

/** Rows as they are seen from left to right, and as they are read. */
const rows: readonly { name: string; seen: string; read: string; isLeftToRight?: true }[] = [
  { name: "words", seen: "םימל הבש", read: "שבה למים" },
  { name: "numbers keep their digits", seen: "םיחרוא 250 לש", read: "של 250 אורחים" },
  { name: "separators belong to a number", seen: "רטמ 3,400.5 ךרוא", read: "אורך 3,400.5 מטר" },
  { name: "a range of numbers in Hebrew", seen: "םירטמ 7-9 קמוע", read: "עומק 7-9 מטרים" },
  { name: "a range of numbers in Arabic", seen: "راتمأ 9-7 قمع", read: "عمق 7-9 أمتار" },
  { name: "a percentage in Hebrew", seen: "הלימהו 45% זוחא", read: "אחוז 45% והמילה" },
  { name: "a percentage in Arabic", seen: "ةملكو %45 ةبسن", read: "نسبة 45% وكلمة" },
  { name: "a hyphen before a number", seen: "לירפאב 14-ב", read: "ב-14 באפריל" },
  { name: "a name in Latin letters with brackets", seen: "םע Tool 2.0 (new one) תא", read: "את Tool 2.0 (new one) עם" },
  { name: "brackets around words", seen: ".(ראוני) חתפנ", read: "נפתח )ינואר(." },
  { name: "Arabic punctuation", seen: "قمعلاو ،رتم", read: "متر، والعمق" },
  { name: "words inside a left-to-right row", seen: "A םולש word", read: "A שלום word", isLeftToRight: true },
  {
    name: "several words inside a left-to-right row",
    seen: "A (םלוע) םולש word",
    read: "A שלום )עולם( word",
    isLeftToRight: true,
  },
];

describe("the order of reading", () => {
  for (const { name, seen, read, isLeftToRight } of rows) {
    test(name, () => {
      const chars = [...seen];
      const order = findLogicalOrder(
        chars.map((char) => char.codePointAt(0) ?? 0),
        isLeftToRight === undefined,
      );
      assert.equal(order.map((index) => chars[index]).join(""), read);
    });
  }

  test("holds every character once, whatever the row", () => {
    const alphabet = [..."אبcD1%-., ()[]٣،"];
    for (let seed = 1; seed < 300; seed += 1) {
      const chars = Array.from(
        { length: seed % 17 },
        (_, index) => alphabet[(seed * (index + 7) * 31) % alphabet.length],
      );
      const codes = chars.map((char) => char?.codePointAt(0) ?? 0);
      for (const isRightToLeft of [true, false]) {
        const order = findLogicalOrder(codes, isRightToLeft);
        assert.deepEqual(
          order.toSorted((a, b) => a - b),
          codes.map((_, index) => index),
          chars.join(""),
        );
      }
    }
  });
});
