/** Changes the front of a list of strings, so that the text of its other items and the comments between them stay. */
import type { ConfigValue } from "./config-format.ts";
import { findEol, indentAt, lineStart, nextLine, type Splice, startsLine } from "./text-splices.ts";

type Range = readonly [start: number, end: number];

/** A list in a text. Its range includes the brackets, if it has some. */
export type ListText = {
  readonly range: Range;
  readonly items: readonly { readonly value: unknown; readonly range: Range }[];
};

type WriteWord = (word: string) => string;

/** The splices for a list in brackets; undefined if more than its front would change. */
export function spliceHead(text: string, list: ListText, value: ConfigValue, write: WriteWord): Splice[] | undefined {
  const change = findHeadChange(list, value);
  if (change === undefined) return undefined;
  if (change.added.length === 0) return removeWords(text, list, change.removed);
  const words = change.added.map(write).join(", ");
  const [first] = list.items;
  const start = first?.range[0] ?? list.range[0] + 1;
  const gap = startsLine(text, start) ? findEol(text) + indentAt(text, start) : " ";
  return [{ start, end: start, text: first === undefined ? words : `${words},${gap}` }];
}

/** The same for a list with a line and a dash for each item. */
export function spliceLines(text: string, list: ListText, value: ConfigValue, write: WriteWord): Splice[] | undefined {
  const change = findHeadChange(list, value);
  const starts = list.items.map(({ range }) => lineStart(text, range[0]));
  const dashes = list.items.map(({ range }, index) => text.slice(starts[index], range[0]));
  const [start = 0] = starts;
  if (change === undefined || !dashes.every((dash) => /^[ \t]*-[ \t]+$/.test(dash))) return undefined;
  if (change.removed === list.items.length) return undefined;
  const lines = change.added.map((word) => `${dashes[0]}${write(word)}${findEol(text)}`);
  const removed = list.items.slice(0, change.removed);
  return [
    { start, end: start, text: lines.join("") },
    ...removed.map(({ range }, index) => ({ start: starts[index] ?? 0, end: nextLine(text, range[1]), text: "" })),
  ];
}

type HeadChange = { readonly removed: number; readonly added: readonly string[] };

/** What differs before the longest common end; undefined if words are both added and removed, or are not all strings. */
function findHeadChange({ items }: ListText, value: ConfigValue): HeadChange | undefined {
  const isWords = Array.isArray(value) && [...value, ...items.map((item) => item.value)].every(isText);
  if (!isWords) return undefined;
  let kept = 0;
  while (kept < Math.min(items.length, value.length) && items.at(-1 - kept)?.value === value.at(-1 - kept)) kept++;
  const removed = items.length - kept;
  const added: readonly string[] = value.slice(0, value.length - kept);
  return removed > 0 && added.length > 0 ? undefined : { removed, added };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Removes the first words with their commas, and the blanks after them up to the next word or comment. */
function removeWords(text: string, { items, range }: ListText, count: number): Splice[] {
  return items.slice(0, count).flatMap(({ range: [start, end] }, index) => {
    const next = items[index + 1]?.range[0] ?? range[1] - 1;
    const gap = text.slice(end, next);
    if (index + 1 < items.length && /^[\s,]*$/.test(gap)) return [{ start, end: next, text: "" }];
    return [
      { start, end, text: "" },
      ...findCommas(gap).map((at) => ({ start: end + at, end: end + at + 1, text: "" })),
    ];
  });
}

/** Where the commas of a text without values are, outside its comments. */
const findCommas = (gap: string): number[] =>
  [...gap.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*|,/g)].flatMap(({ 0: part, index }) =>
    part === "," ? [index] : [],
  );
