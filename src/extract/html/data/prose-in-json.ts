/** Finds the prose in JSON: sentences, and the titles and short lines among them, but not identifiers. */
import { htmlWeights } from "../weights.ts";

/** A string in JSON and the key it has there. */
type JsonString = { readonly text: string; readonly key: string; readonly container: Container };

/** An object or a list, and whether there is prose anywhere in it. */
type Container = { readonly isList: boolean; readonly parent: Container | undefined; hasProse: boolean };

/** Limits on the work for one page. */
const MAX_STRINGS = 20_000;
const MAX_CONTAINERS = 200_000;

/** All strings in a JSON value, in their order. */
export function collectStrings(root: unknown): readonly JsonString[] {
  const strings: JsonString[] = [];
  const top: Container = { isList: false, parent: undefined, hasProse: false };
  const stack: { readonly value: unknown; readonly key: string; readonly container: Container }[] = [
    { value: root, key: "", container: top },
  ];
  let containers = 0;
  for (let next = stack.pop(); next !== undefined && strings.length < MAX_STRINGS; next = stack.pop()) {
    const { value, key, container } = next;
    if (typeof value === "string") strings.push({ text: value, key, container });
    if (typeof value !== "object" || value === null || containers >= MAX_CONTAINERS) continue;
    containers += 1;
    const isList = Array.isArray(value);
    const inner: Container = { isList, parent: container, hasProse: false };
    for (const [name, member] of Object.entries(value).reverse())
      stack.push({ value: member, key: isList ? key : name, container: inner });
  }
  return strings;
}

/** Paragraphs, and the number of characters in all strings that contain words. */
export type Prose = { readonly paragraphs: readonly string[]; readonly chars: number };

/** Finds the strings that read like prose, and joins the parts of one line. */
export function findProse(strings: readonly JsonString[]): Prose {
  for (const { text, container } of strings) if (isProse(text)) markProse(container);
  const paragraphs: string[] = [];
  for (const { text, key, container } of strings) {
    const last = paragraphs.at(-1);
    const isContinuation = last !== undefined && continuesLine(last, text);
    const isShortLine = textKey.test(key) && (isContinuation || isReadable(text)) && isAmongProse(container);
    if (!isProse(text) && !isShortLine) continue;
    if (isContinuation) paragraphs[paragraphs.length - 1] = last + text;
    else paragraphs.push(text);
  }
  const chars = strings.reduce((sum, { text }) => sum + (hasWords(text) ? text.length : 0), 0);
  return { paragraphs: [...new Set(paragraphs.map((text) => text.trim()))].filter((text) => text !== ""), chars };
}

function markProse(container: Container): void {
  for (let one: Container | undefined = container; one !== undefined && !one.hasProse; one = one.parent)
    one.hasProse = true;
}

/** Letters of scripts that separate words with few blanks or none. */
const unspacedLetters = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** Sentences rather than identifiers, URLs or style sheets. */
function isProse(text: string): boolean {
  if (/^(?:https?:|\/|data:|[{[<]?[\w$.]*[{(=])/.test(text) && !text.startsWith("<p")) return false;
  const { minUnspacedLetters, minProseChars, minProseBlanks, maxCharsPerBlank } = htmlWeights.data;
  const start = text.slice(0, 10 * minUnspacedLetters);
  if ((start.match(unspacedLetters)?.length ?? 0) >= minUnspacedLetters) return true;
  const blanks = text.split(" ").length - 1;
  return text.length >= minProseChars && blanks >= minProseBlanks && blanks > text.length / maxCharsPerBlank;
}

const textKey =
  /^(?:title|subtitle|heading|headline|name|text|value|caption|description|summary|question|answer|content|body|lead|quote)$/i;

/** Text for people: it does not have the form of an identifier or a URL. */
function isReadable(text: string): boolean {
  return /\p{L}/u.test(text) && !/^[a-z\d]*[-_/.:#$][\w./:-]*$|^[a-z]+$|^https?:/.test(text);
}

/** In an object that has prose, or a few levels below a list that has. */
function isAmongProse(container: Container): boolean {
  if (container.hasProse) return true;
  let ancestor: Container | undefined = container;
  for (let level = 0; level < htmlWeights.data.maxLineLevels && ancestor !== undefined; level += 1) {
    if (ancestor.isList && ancestor.hasProse) return true;
    ancestor = ancestor.parent;
  }
  return false;
}

/** Whether a string continues the line before it: rich text stores a line in parts. */
function continuesLine(before: string, text: string): boolean {
  return /[ \u00a0]$/.test(before) || /^[ \u00a0,.;:!?)]/.test(text);
}

function hasWords(text: string): boolean {
  return /\p{L}\s+\p{L}/u.test(text) || text.search(unspacedLetters) >= 0;
}
