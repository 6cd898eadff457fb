/** Finds where the items of a JSON text end, without parsing it: in one pass, and also in a part of a text. */

/** The nesting at a place of a JSON text. */
export type JsonState = { depth: number; isInString: boolean };

/** A comma between two items: the next item begins at `end`. */
export type ItemEnd = { readonly end: number; readonly depth: number };

/**
 * Calls `visit` for each sign of structure from `start` to `end`, and at the start of each string. Signs that are nested
 * deeper than `maxDepth` are only counted. `state` is updated, so that a scan can continue.
 */
export function scanJson(
  text: string,
  start: number,
  end: number,
  state: JsonState,
  visit: (code: number, index: number) => void,
  maxDepth = Infinity,
): void {
  let index = state.isInString ? skipString(text, start, end, state) : start;
  for (; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      if (state.depth <= maxDepth) visit(code, index);
      index = skipString(text, index + 1, end, state) - 1;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      state.depth += 1;
      if (state.depth <= maxDepth) visit(code, index);
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      state.depth -= 1;
      if (state.depth <= maxDepth) visit(code, index);
    } else if (code === COMMA && state.depth <= maxDepth) visit(code, index);
  }
}

/** The ends of all items within a range. Depths count from that of its start. */
export function findItemEnds(text: string, start: number, end: number, isInString = false): ItemEnd[] {
  const ends: ItemEnd[] = [];
  const state: JsonState = { depth: 0, isInString };
  scanJson(text, start, end, state, (code, index) => {
    if (code === COMMA) ends.push({ end: index + 1, depth: state.depth });
  });
  return ends;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;

/** The place after a string's closing quote, or `end`. `start` is inside the string. */
function skipString(text: string, start: number, end: number, state: JsonState): number {
  state.isInString = true;
  for (let quote = text.indexOf('"', start); quote !== -1 && quote < end; quote = text.indexOf('"', quote + 1)) {
    if (isEscaped(text, quote, start)) continue;
    state.isInString = false;
    return quote + 1;
  }
  return end;
}

function isEscaped(text: string, index: number, start: number): boolean {
  let slashes = 0;
  while (index - 1 - slashes >= start && text.charCodeAt(index - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
