/** The names of tags. Each is made once, so that equal names are the same string and compare by their address. */

/** A name as it is written, and what of it is before and after the colon. */
export type TagName = { readonly written: string; readonly prefix: string; readonly local: string };

/** The vocabulary of one format has a few hundred names; a name that falls into the place of another replaces it. */
const SLOTS = 1024;
const known = new Array<TagName | undefined>(SLOTS).fill(undefined);

/** Longer names are not remembered. */
const MAX_KNOWN_CHARS = 64;

/** The name between two offsets of a text. `hash` is any number that equal names have in common. */
export function findTagName(text: string, start: number, end: number, hash: number): TagName {
  const slot = hash & (SLOTS - 1);
  const found = known[slot];
  if (found !== undefined && found.written.length === end - start && text.startsWith(found.written, start))
    return found;
  const written = text.slice(start, end);
  if (written.length > MAX_KNOWN_CHARS) return splitName(written);
  const name = splitName(detach(written));
  known[slot] = name;
  return name;
}

function splitName(written: string): TagName {
  const colon = written.indexOf(":");
  return { written, prefix: written.slice(0, Math.max(0, colon)), local: detach(written.slice(colon + 1)) };
}

/** The same text as a string of its own: a piece of a text keeps all of it in memory. Keys are compared by address. */
function detach(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? text;
}
