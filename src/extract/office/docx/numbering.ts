/** The markers of list items and numbered headings, counted as Word counts them. */
import type { Zip } from "../../zip/open-zip.ts";
import { formatListNumber } from "../list-numbers.ts";
import { scanPart } from "../package-parts.ts";

type Level = { format: string; text: string; start: number };

/** One kind of list: its levels, from the outermost. */
type Definition = Level[];

const MAX_LEVELS = 9;

export class Numbering {
  readonly #lists: ReadonlyMap<string, { readonly abstractId: string; readonly definition: Definition }>;
  /** The last number at each level; lists of one abstract definition share their counters. */
  readonly #counters = new Map<string, number[]>();

  constructor(lists: ReadonlyMap<string, { readonly abstractId: string; readonly definition: Definition }>) {
    this.#lists = lists;
  }

  /** Counts one paragraph of a list and returns its marker: `-` for bullets, else its number as shown. */
  next(listId: string, level: number): string | undefined {
    const list = this.#lists.get(listId);
    const current = list?.definition[level];
    if (list === undefined || current === undefined || listId === "0") return undefined;
    const counters = this.#counters.get(list.abstractId) ?? [];
    this.#counters.set(list.abstractId, counters);
    for (let outer = 0; outer < level; outer++) counters[outer] ??= list.definition[outer]?.start ?? 1;
    counters[level] = counters[level] === undefined ? current.start : counters[level] + 1;
    counters.length = level + 1;
    if (current.format === "none") return undefined;
    if (current.format === "bullet" || current.text === "") return "-";
    return current.text.replaceAll(/%([1-9])/g, (_, digit) => {
      const index = Number(digit) - 1;
      return formatListNumber(counters[index] ?? 1, list.definition[index]?.format ?? "decimal");
    });
  }
}

/** Reads `numbering.xml`. */
export async function readNumbering(zip: Zip, part: string | undefined): Promise<Numbering> {
  const definitions = new Map<string, Definition>();
  const lists = new Map<string, { abstractId: string; definition: Definition }>();
  let definition: Definition | undefined;
  let level: Level | undefined;
  let listId: string | undefined;
  await scanPart(zip, part, {
    open(name, tag) {
      const value = tag.get("val");
      if (name === "abstractNum") {
        definition = [];
        definitions.set(tag.get("abstractNumId") ?? "", definition);
      } else if (name === "lvl" && definition !== undefined && definition.length < MAX_LEVELS) {
        level = { format: "decimal", text: "", start: 1 };
        definition[Math.min(Number(tag.get("ilvl") ?? 0), MAX_LEVELS - 1)] = level;
      } else if (name === "num") listId = tag.get("numId");
      else if (name === "abstractNumId" && listId !== undefined && value !== undefined)
        lists.set(listId, { abstractId: value, definition: definitions.get(value) ?? [] });
      else if (level === undefined || value === undefined) return;
      else if (name === "numFmt") level.format = value;
      else if (name === "lvlText") level.text = value;
      else if (name === "start") level.start = Number(value) || 0;
    },
    close(name) {
      if (name === "abstractNum") definition = undefined;
      if (name === "lvl") level = undefined;
      if (name === "num") listId = undefined;
    },
  });
  return new Numbering(lists);
}
