/** Finds the order in which a row of mixed direction is read, from the order in which it is seen (Unicode UAX #9). */
import { isRightToLeft } from "./brackets.ts";

/** A stretch of the row, end excluded, that has one direction. Neutral stretches take that of their neighbours. */
type Stretch = { readonly from: number; readonly to: number; readonly kind: Kind };
type Kind = "left-to-right" | "right-to-left" | "number" | "neutral";

/** The indexes of characters that are seen from left to right, in the order of reading. */
export function findLogicalOrder(codes: readonly number[], isRightToLeftRow: boolean): number[] {
  const stretches = findStretches(codes);
  return isRightToLeftRow ? readLeftwards(codes, stretches) : readRightwards(codes, stretches);
}

/** Words from left to right inside a right-to-left row keep their order, and so do numbers. */
function readLeftwards(codes: readonly number[], stretches: readonly Stretch[]): number[] {
  const embedded = findEmbedded(codes, stretches, "left-to-right", (kinds) => kinds.includes("left-to-right"));
  const order: number[] = [];
  for (let end = codes.length; end > 0; ) {
    const run = embedded.find(({ from, to }) => end > from && end <= to);
    const number = stretches.find(({ kind, from, to }) => kind === "number" && end > from && end <= to);
    const from = run?.from ?? number?.from ?? end - 1;
    for (let index = from; index < end; index += 1) order.push(index);
    end = from;
  }
  return order;
}

/** Right-to-left words inside a left-to-right row are read from their right end. */
function readRightwards(codes: readonly number[], stretches: readonly Stretch[]): number[] {
  const embedded = findEmbedded(codes, stretches, "right-to-left", () => true);
  const order: number[] = [];
  for (let index = 0; index < codes.length; ) {
    const run = embedded.find(({ from }) => from === index);
    if (run === undefined) {
      order.push(index);
      index += 1;
      continue;
    }
    const inside = codes.slice(run.from, run.to);
    order.push(...readLeftwards(inside, findStretches(inside)).map((offset) => run.from + offset));
    index = run.to;
  }
  return order;
}

type Range = { readonly from: number; readonly to: number };

/** Stretches of one direction with the numbers and signs between them. Numbers at the ends belong to words from left to right. */
function findEmbedded(
  codes: readonly number[],
  stretches: readonly Stretch[],
  direction: Kind,
  isRun: (kinds: readonly Kind[]) => boolean,
): Range[] {
  const other: Kind = direction === "left-to-right" ? "right-to-left" : "left-to-right";
  const canEnd = (kind: Kind): boolean => kind === direction || (kind === "number" && direction === "left-to-right");
  const runs: Range[] = [];
  for (let index = 0; index < stretches.length; ) {
    let end = index;
    while (end < stretches.length && stretches[end]?.kind !== other) end += 1;
    const part = stretches.slice(index, end);
    const first = part.findIndex(({ kind }) => canEnd(kind));
    const last = part.findLastIndex(({ kind }) => canEnd(kind));
    const run = part.slice(first, last + 1);
    const [from, to] = [run[0]?.from, run.at(-1)?.to];
    if (first !== -1 && from !== undefined && to !== undefined && isRun(run.map(({ kind }) => kind)))
      runs.push(withBracket(codes, { from, to }));
    index = Math.max(end, index) + 1;
  }
  return runs;
}

const brackets: ReadonlySet<number> = new Set([..."()[]{}"].map((char) => char.charCodeAt(0)));

/** A bracket beside a run belongs to it if its partner is inside. */
function withBracket(codes: readonly number[], { from, to }: Range): Range {
  const isBracket = (index: number): boolean => brackets.has(codes[index] ?? 0);
  const inside = codes.slice(from, to).filter((code) => brackets.has(code)).length;
  if (inside % 2 === 0) return { from, to };
  if (isBracket(to)) return { from, to: to + 1 };
  return isBracket(from - 1) ? { from: from - 1, to } : { from, to };
}

function findStretches(codes: readonly number[]): Stretch[] {
  const isArabic = codes.some(isArabicLetter);
  const stretches: Stretch[] = [];
  for (let from = 0; from < codes.length; ) {
    const kind = kindOf(codes[from] ?? 0);
    let to = from + 1;
    if (kind === "number") to = findNumberEnd(codes, from, isArabic);
    else while (to < codes.length && kindOf(codes[to] ?? 0) === kind && kind !== "neutral") to += 1;
    const start = kind === "number" && !isArabic && isUnit(codes[from - 1]) ? from - 1 : from;
    if (start < from) stretches.pop();
    stretches.push({ from: start, to, kind });
    from = to;
  }
  return stretches;
}

/** A number with its separators. After Arabic letters a hyphen or a percent sign does not belong to it. */
function findNumberEnd(codes: readonly number[], from: number, isArabic: boolean): number {
  let to = from + 1;
  for (; to < codes.length; to += 1) {
    if (isDigit(codes[to] ?? 0)) continue;
    const separators = isArabic ? ".,:/\u066b\u066c" : ".,:/+-";
    const isSeparator = separators.includes(String.fromCodePoint(codes[to] ?? 0));
    if (!isSeparator || !isDigit(codes[to + 1] ?? 0)) break;
  }
  return !isArabic && isUnit(codes[to]) ? to + 1 : to;
}

function isUnit(code: number | undefined): boolean {
  return code !== undefined && "%$#\u00b0\u20ac\u00a3\u20aa".includes(String.fromCodePoint(code));
}

function kindOf(code: number): Kind {
  if (isDigit(code)) return "number";
  if (isRightToLeft(code))
    return /[\u060c\u061b\u061f\u066a]/.test(String.fromCodePoint(code)) ? "neutral" : "right-to-left";
  return /\p{L}/u.test(String.fromCodePoint(code)) ? "left-to-right" : "neutral";
}

function isDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9);
}

function isArabicLetter(code: number): boolean {
  return isRightToLeft(code) && !isDigit(code) && (code < 0x590 || code >= 0x600) && !(code >= 0xfb1d && code < 0xfb50);
}
