/** The words that say whether a block is content: those of its text, of the names around it, and of the heading above. */

import { listWords } from "../tree/letters.ts";
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
  const nameWords = createNameReader();
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
  return [...new Set(listWords(text).slice(0, MAX_TEXT_WORDS).map(generaliseNumber))];
}

/** All years are one word, other numbers one for each length. */
function generaliseNumber(word: string): string {
  if (!/^\d+$/.test(word)) return word;
  return /^(?:19|20)\d\d$/.test(word) ? "#year" : `#${Math.min(word.length, 5)}`;
}

function listNameWords(
  element: Element,
  layout: BlockLayout,
  nameWords: (element: Element) => readonly string[],
): readonly string[] {
  const words = new Set<string>();
  for (const each of layout.ancestorsOf(element).slice(0, MAX_NAMED_ANCESTORS))
    for (const word of nameWords(each)) words.add(word);
  return [...words];
}

/** Blocks share their ancestors, so the names of each are split only once. */
function createNameReader(): (element: Element) => readonly string[] {
  const wordsByElement = new Map<Element, readonly string[]>();
  return (element) => {
    const { class: className = "", id = "" } = element.attributes;
    if (className === "" && id === "") return [];
    const words = wordsByElement.get(element) ?? splitName(`${className} ${id}`.slice(0, MAX_NAME_CHARS));
    wordsByElement.set(element, words);
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
