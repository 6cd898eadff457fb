/** The texts in data: sentences, and the titles and short lines that stand among them, but no identifiers. */

/** A string in data, under the name it has there. */
export type Said = { readonly text: string; readonly key: string; readonly holder: Holder };

/** An object or a list, and whether there are sentences anywhere in it. */
type Holder = { readonly isList: boolean; readonly parent: Holder | undefined; holdsProse: boolean };

const mostStrings = 20_000;
const mostHolders = 200_000;

/** All strings in a value, in their order. */
export function stringsIn(root: unknown): readonly Said[] {
  const found: Said[] = [];
  const top: Holder = { isList: false, parent: undefined, holdsProse: false };
  const stack: { readonly value: unknown; readonly key: string; readonly holder: Holder }[] = [
    { value: root, key: "", holder: top },
  ];
  let holders = 0;
  for (let next = stack.pop(); next !== undefined && found.length < mostStrings; next = stack.pop()) {
    const { value, key, holder } = next;
    if (typeof value === "string") found.push({ text: value, key, holder });
    if (typeof value !== "object" || value === null || holders >= mostHolders) continue;
    holders += 1;
    const isList = Array.isArray(value);
    const inner: Holder = { isList, parent: holder, holdsProse: false };
    for (const [name, member] of Object.entries(value).reverse())
      stack.push({ value: member, key: isList ? key : name, holder: inner });
  }
  return found;
}

/** The paragraphs among some strings, and how many characters of text there are in all. */
export type Told = { readonly paragraphs: readonly string[]; readonly chars: number };

/** Picks what reads like text. */
export function tellTexts(said: readonly Said[]): Told {
  for (const { text, holder } of said) if (isProse(text)) markProse(holder);
  const paragraphs: string[] = [];
  for (const { text, key, holder } of said) {
    const last = paragraphs.at(-1);
    const isMore = last !== undefined && goesOn(last, text);
    const isLine = textKeys.test(key) && (isMore || isReadable(text)) && standsAmongProse(holder);
    if (!isProse(text) && !isLine) continue;
    if (isMore) paragraphs[paragraphs.length - 1] = last + text;
    else paragraphs.push(text);
  }
  const chars = said.reduce((sum, { text }) => sum + (hasWords(text) ? text.length : 0), 0);
  return { paragraphs: [...new Set(paragraphs.map((text) => text.trim()))].filter((text) => text !== ""), chars };
}

function markProse(holder: Holder): void {
  for (let one: Holder | undefined = holder; one !== undefined && !one.holdsProse; one = one.parent)
    one.holdsProse = true;
}

/** Letters of scripts that do not part words by blanks, or by few. */
const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
const leastUnspaced = 20;

/** Sentences rather than identifiers, addresses or style sheets. */
function isProse(text: string): boolean {
  if (/^(?:https?:|\/|data:|[{[<]?[\w$.]*[{(=])/.test(text) && !text.startsWith("<p")) return false;
  if ((text.slice(0, 10 * leastUnspaced).match(unspaced)?.length ?? 0) >= leastUnspaced) return true;
  const blanks = text.split(" ").length - 1;
  return text.length >= 60 && blanks >= 8 && blanks > text.length / 15;
}

const textKeys =
  /^(?:title|subtitle|heading|headline|name|text|value|caption|description|summary|question|answer|content|body|lead|quote)$/i;

/** Something a person would read: not in the letters of an identifier or an address. */
function isReadable(text: string): boolean {
  return /\p{L}/u.test(text) && !/^[a-z\d]*[-_/.:#$][\w./:-]*$|^[a-z]+$|^https?:/.test(text);
}

const nearLevels = 5;

/** In an object with sentences, or not far down in a list of them. */
function standsAmongProse(holder: Holder): boolean {
  if (holder.holdsProse) return true;
  let one: Holder | undefined = holder;
  for (let level = 0; level < nearLevels && one !== undefined; level += 1, one = one.parent)
    if (one.isList && one.holdsProse) return true;
  return false;
}

/** Pieces of one line, as rich text keeps them. */
function goesOn(before: string, text: string): boolean {
  return /[ \u00a0]$/.test(before) || /^[ \u00a0,.;:!?)]/.test(text);
}

function hasWords(text: string): boolean {
  return /\p{L}\s+\p{L}/u.test(text) || text.search(unspaced) >= 0;
}
