/** Finds the files that contain a text exactly as it was written: by the words inside it, then by reading the files. */

import type { IndexReader } from "../index/index-reader.ts";
import { findTerm, type IndexView, type ViewPart } from "../index/index-view.ts";
import { findTerms, MAX_WORD_CHARS } from "../index/lexicon.ts";
import { createPause } from "../index/pause.ts";
import { isWordUnit } from "../index/text-units.ts";

/** A file by its first chunk in the view, and how often it contains the text. */
export type LiteralMatch = { readonly chunk: number; readonly count: number };

/** What was found last in a view: the next page asks for the same. */
const lastMatches = new WeakMap<IndexView, { readonly key: string; readonly matches: readonly LiteralMatch[] }>();

/** Every accepted file of the view that contains the text, each with its number of occurrences. */
export async function findLiteralMatches(
  { text: readText }: Pick<IndexReader, "text">,
  view: IndexView,
  literal: string,
  accepted: Uint8Array | null,
  signal: AbortSignal,
): Promise<readonly LiteralMatch[]> {
  const key = `${literal}\0${accepted === null ? "" : accepted.join("")}`;
  const last = lastMatches.get(view);
  if (last?.key === key) return last.matches;
  const pause = createPause(signal);
  const matches: LiteralMatch[] = [];
  for (const { part, file } of listCandidates(view, literal, accepted)) {
    const count = countOccurrences(readText(part.segment.fileIds[file] ?? 0)?.text ?? "", literal);
    if (count > 0) matches.push({ chunk: part.firstChunk + (part.segment.fileFirstChunk[file] ?? 0), count });
    const paused = pause();
    if (paused !== null) await paused;
  }
  lastMatches.set(view, { key, matches });
  return matches;
}

/** How often a text contains another one; occurrences do not overlap. */
export function countOccurrences(text: string, literal: string): number {
  let count = 0;
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + literal.length)) count++;
  return count;
}

/** Live files that have every whole word of the literal. */
function* listCandidates(view: IndexView, literal: string, accepted: Uint8Array | null) {
  const terms = findWholeWords(literal).flatMap(findTerms);
  const counts = countTerms(view, [...new Set(terms)]);
  for (const part of view.parts) {
    for (let file = 0; file < part.segment.fileCount; file++) {
      const place = part.firstFile + file;
      if (part.dead?.[file] === 1 || accepted?.[place] === 0) continue;
      if (counts === null || counts.of(place) === counts.terms) yield { part, file };
    }
  }
}

/** Words that begin and end inside the literal: the first and the last may be parts of longer words in a file. */
export function findWholeWords(literal: string): string[] {
  const words: string[] = [];
  let start = -1;
  for (let index = 0; index < literal.length; index++) {
    const isWord = isWordUnit(literal.charCodeAt(index));
    if (isWord && start === -1) start = index;
    if (isWord || start === -1) continue;
    if (start > 0 && index - start <= MAX_WORD_CHARS) words.push(literal.slice(start, index));
    start = -1;
  }
  return words;
}

/** How many of the terms each file has; null where there are none. */
function countTerms(view: IndexView, terms: readonly string[]) {
  if (terms.length === 0) return null;
  const counts = new Uint16Array(view.fileCount);
  for (const [number, term] of terms.entries()) {
    // A file that lacks an earlier term stays behind.
    for (const { part, from, to } of findTerm(view, term)) addFiles(counts, number, part, from, to);
  }
  return { terms: terms.length, of: (place: number) => counts[place] ?? 0 };
}

function addFiles(
  counts: Uint16Array,
  number: number,
  { segment, firstFile }: ViewPart,
  from: number,
  to: number,
): void {
  for (let posting = from; posting < to; posting++) {
    const place = firstFile + (segment.chunkFile[segment.places[posting] ?? 0] ?? 0);
    if (counts[place] === number) counts[place] = number + 1;
  }
}
