/** Repairs brackets in right-to-left text, which some files store as they look instead of as they open and close. */

/** Whether a code point is a letter of a script that is written from right to left. */
export function isRightToLeft(code: number): boolean {
  return (code >= 0x0590 && code < 0x0900) || (code >= 0xfb1d && code < 0xfe00) || (code >= 0xfe70 && code < 0xfefd);
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const pairs = ["()", "[]", "{}", "«»", "‹›"] as const;

/** The text with brackets that open before they close. Lines without right-to-left letters are left alone. */
export function repairBrackets(text: string): string {
  if (!rightToLeft.test(text) || !/[()[\]{}«»‹›]/.test(text)) return text;
  return pairs.reduce(repairPair, text);
}

function repairPair(text: string, pair: (typeof pairs)[number]): string {
  const [open = "", close = ""] = pair;
  const brackets = [...text].filter((char) => char === open || char === close);
  if (brackets.length === 0 || brackets.length % 2 === 1 || isBalanced(brackets, open)) return text;
  const swapped = brackets.map((bracket) => (bracket === open ? close : open));
  const repaired = isBalanced(swapped, open) ? swapped : brackets.map((_, index) => (index % 2 === 0 ? open : close));
  const next = repaired.values();
  return [...text].map((char) => (char === open || char === close ? (next.next().value ?? char) : char)).join("");
}

function isBalanced(brackets: readonly string[], open: string): boolean {
  let depth = 0;
  for (const bracket of brackets) {
    depth += bracket === open ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
