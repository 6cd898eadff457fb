/** The first page of a JSON text: whole items, and what the rest is like. */
import { cutBetweenCodePoints } from "../../../fit/measure.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  type JsonState,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  scanJson,
} from "../../../system/json-items.ts";
import { formatCount } from "../../../system/quantities.ts";
import { clip } from "../../../system/safe-names.ts";
import { isObject } from "../json-rpc.ts";
import type { PageMaker } from "./first-page.ts";

/** Pages of whole items; undefined for a text that is not one JSON value with items. */
export function readJsonPages(text: string): PageMaker | undefined {
  const outline = outlineJson(text);
  if (outline === undefined) return undefined;
  const { shape, names } = describeOutline(text, outline);
  return (maxChars) => {
    const end = findPageEnd(text, maxChars) ?? cutBetweenCodePoints(text, maxChars).length;
    return { text: text.slice(0, end), shape, names, nextOffset: end };
  };
}

/** Items end at least this far into the page; else items of a deeper list are shown. */
const MIN_SHARE = 0.7;

/** The last place within the bound where an item ends: of the outermost list that fills the page, else the last of all. */
function findPageEnd(text: string, maxChars: number): number | undefined {
  const lastOfDepth: number[] = [];
  const state: JsonState = { depth: 0, isInString: false };
  let last: number | undefined;
  scanJson(text, 0, maxChars, state, (code, index) => {
    if (code !== COMMA) return;
    last = index + 1;
    lastOfDepth[state.depth] = last;
  });
  return lastOfDepth.find((end) => end >= maxChars * MIN_SHARE) ?? last;
}

/** A list or object: where it begins, how many items it has, and where the first few of them are. */
type Collection = { readonly start: number; readonly isList: boolean; items: number; readonly commas: number[] };

/** The outermost value, and the lists and objects directly inside it by their key. */
type Outline = { readonly root: Collection; readonly members: readonly (Collection & { readonly key: string })[] };

/** Items that are looked at for their keys. */
const SAMPLE_ITEMS = 20;
const MAX_MEMBERS = 200;

/** Undefined unless the text is one list or object with nothing after it. */
function outlineJson(text: string): Outline | undefined {
  const start = text.search(/\S/);
  const opening = text.charCodeAt(start);
  if (opening !== OPEN_BRACKET && opening !== OPEN_BRACE) return undefined;
  const root: Collection = { start, isList: opening === OPEN_BRACKET, items: 0, commas: [] };
  const members: (Collection & { key: string })[] = [];
  let inner: Collection | undefined;
  let keyStart = start;
  let rootEnd = -1;
  const state: JsonState = { depth: 0, isInString: false };
  const visit = (code: number, index: number) => {
    if (state.depth === 0 && rootEnd === -1) rootEnd = index;
    if (code === COMMA) addComma(state.depth === 1 ? root : state.depth === 2 ? inner : undefined, index);
    if (state.depth === 1 && code === COMMA) keyStart = index;
    if (state.depth !== 2 || (code !== OPEN_BRACKET && code !== OPEN_BRACE) || members.length >= MAX_MEMBERS) return;
    const key = root.isList ? "" : readKey(text, keyStart, index);
    const member = { key, start: index, isList: code === OPEN_BRACKET, items: 0, commas: [] };
    if (!root.isList) members.push(member);
    inner = member;
  };
  scanJson(text, start, text.length, state, visit, root.isList ? 1 : 2);
  const isWhole = rootEnd !== -1 && state.depth === 0 && text.slice(rootEnd + 1).trim() === "";
  for (const each of [root, ...members]) if (!isEmpty(text, each)) each.items += 1;
  return isWhole ? { root, members } : undefined;
}

function addComma(collection: Collection | undefined, index: number): void {
  if (collection === undefined) return;
  collection.items += 1;
  if (collection.commas.length < SAMPLE_ITEMS) collection.commas.push(index);
}

function isEmpty(text: string, { start }: Collection): boolean {
  const next = text
    .slice(start + 1, start + 1_000)
    .trimStart()
    .charCodeAt(0);
  return next === CLOSE_BRACKET || next === CLOSE_BRACE;
}

/** The last string before a value is its key. */
function readKey(text: string, from: number, valueStart: number): string {
  let key = "";
  scanJson(text, from, valueStart, { depth: 0, isInString: false }, (code, index) => {
    if (code === QUOTE) key = text.slice(index + 1, text.indexOf('"', index + 1));
  });
  return key;
}

const MAX_KEYS = 12;
const KEY_CHARS = 40;

function describeOutline(text: string, { root, members }: Outline): { shape: string; names: string } {
  if (root.isList) return { shape: `JSON with ${formatCount(root.items, "item")}.`, names: listKeys(text, root) };
  const lists = members.filter(({ isList }) => isList).toSorted((one, other) => other.items - one.items);
  const listed = lists.slice(0, MAX_KEYS).map(({ key, items }) => `${quote(key)} (${formatCount(items, "item")})`);
  const [longest] = lists;
  const names = longest === undefined ? "" : `Lists: ${listed.join(", ")}. ${listKeys(text, longest)}`.trim();
  return { shape: `JSON object with ${formatCount(root.items, "key")}.`, names };
}

const quote = (key: string): string => JSON.stringify(clip(key, KEY_CHARS));

/** The keys of the first items, the most frequent first. */
function listKeys(text: string, collection: Collection): string {
  const counts = new Map<string, number>();
  for (const item of readItems(text, collection))
    if (isObject(item)) for (const key of Object.keys(item)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const keys = [...counts].sort(([, one], [, other]) => other - one).map(([key]) => clip(key, KEY_CHARS));
  if (keys.length === 0) return "";
  return `Keys of the items: ${keys.slice(0, MAX_KEYS).join(", ")}${keys.length > MAX_KEYS ? ", ..." : ""}`;
}

function readItems(text: string, { start, commas }: Collection): unknown[] {
  const starts = [start + 1, ...commas.map((comma) => comma + 1)];
  return commas.flatMap((comma, index) => {
    try {
      return [JSON.parse(text.slice(starts[index], comma)) as unknown];
    } catch {
      return []; // Not quite JSON; the page shows it as it is.
    }
  });
}
