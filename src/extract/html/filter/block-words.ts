/** The words that say whether a block is content: those of its text, of the names around it, and of the heading above. */

import type { Element } from "../tree/tree.ts";
import type { BlockLayout } from "./block-layout.ts";
import type { ContentBlock } from "./content-blocks.ts";

/** Where a word of a block is. */
export const wordPlaces = ["text", "name", "heading"] as const;
export type WordPlace = (typeof wordPlaces)[number];

/** The words of one block, each once. */
export type BlockWords = Readonly<Record<WordPlace, readonly string[]>>;

/** Words beyond these numbers are not looked at, nor are the names of farther ancestors. */
const MAX_TEXT_WORDS = 80;
const MAX_HEADING_WORDS = 8;
const MAX_NAMED_ANCESTORS = 10;
const MAX_NAME_CHARS = 200;
const MAX_NAME_WORD_CHARS = 20;
/** So many blocks below a heading, its words say little. */
const MAX_HEADING_DISTANCE = 12;

/** Lists the words of every block. */
export function listBlockWords(blocks: readonly ContentBlock[], layout: BlockLayout): readonly BlockWords[] {
  const nameWords = createNameSplitter();
  let heading: readonly string[] = [];
  let distance = 0;
  return blocks.map(({ element, text, headingLevel }) => {
    const words: BlockWords = {
      text: listTextWords(text),
      name: listNameWords(element, layout, nameWords),
      heading: distance < MAX_HEADING_DISTANCE ? heading : [],
    };
    distance += 1;
    if (headingLevel > 0) [heading, distance] = [words.text.slice(0, MAX_HEADING_WORDS), 0];
    return words;
  });
}

function listTextWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.slice(0, MAX_TEXT_WORDS).map(generaliseNumber))];
}

/** All years are one word, other numbers one for each length. */
function generaliseNumber(word: string): string {
  if (!/^\d+$/.test(word)) return word;
  return /^(?:19|20)\d\d$/.test(word) ? "#year" : `#${Math.min(word.length, 5)}`;
}

function listNameWords(
  element: Element,
  layout: BlockLayout,
  split: (name: string) => readonly string[],
): readonly string[] {
  const words = new Set<string>();
  for (const { attributes } of layout.ancestorsOf(element).take(MAX_NAMED_ANCESTORS))
    for (const word of split(`${attributes.class ?? ""} ${attributes.id ?? ""}`)) words.add(word);
  return [...words];
}

/** Names repeat on a page, so each is split only once. */
function createNameSplitter(): (name: string) => readonly string[] {
  const wordsByName = new Map<string, readonly string[]>();
  return (name) => {
    const words = wordsByName.get(name) ?? splitName(name.slice(0, MAX_NAME_CHARS));
    wordsByName.set(name, words);
    return words;
  };
}

function splitName(name: string): readonly string[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.filter(({ length }) => length > 1 && length < MAX_NAME_WORD_CHARS);
}
