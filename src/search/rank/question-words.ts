/** Questions in words: which queries are one, and how far their words can be trusted to be in the code. */
import type { IndexView } from "../index/index-view.ts";
import { findKeptShare } from "../learnt/learnt-table.ts";
import type { ParsedQuery } from "./query.ts";
import { rankWeights } from "./weights.ts";

/** Whether this is a question in words about code: only there the learnt table knows more than the words say. */
export function isAskedInWords(view: IndexView, { kind, path, names }: ParsedQuery): boolean {
  if (kind !== "words" || path !== null || measureCode(view) < 1) return false; // The table was learnt from code.
  return !names.some(({ certainty }) => certainty === "spelled");
}

/** Where fewer files than the first share are code, the repository is about something else: pages, or tests of a kind. */
const CODE_SHARES = [0.05, 0.1] as const;
/** With so many files of code, tests are there to test it, however many there are. */
const MIN_TESTED_FILES = 50;

/** Whether a repository is about code, from 0 to 1, by the share of files that are not around it. */
export function measureCode({ plainFiles, testFiles, liveFiles }: IndexView): number {
  const [none, full] = CODE_SHARES;
  const share = plainFiles / Math.max(1, plainFiles < MIN_TESTED_FILES ? liveFiles : liveFiles - testFiles);
  return Math.min(1, Math.max(0, (share - none) / (full - none)));
}

/** What a word's rarity counts for in a question in words: about 1 for most names, little for "again" or "people". */
export function trustWord(term: string): number {
  const { keptShare, exponent, range } = rankWeights.trust;
  const [least, most] = range;
  return Math.min(most, Math.max(least, (findKeptShare(term) / keptShare) ** exponent));
}

/** How far the meaning of a question counts: fully where its words are everyday words, which code does not have. */
export function weighMeaning(terms: readonly string[]): number {
  const { names, everyday } = rankWeights.meaningByWords;
  const mean = terms.reduce((sum, term) => sum + findKeptShare(term), 0) / Math.max(1, terms.length);
  const share = Math.min(1, Math.max(0, (names.keptShare - mean) / (names.keptShare - everyday.keptShare)));
  return names.weight + (everyday.weight - names.weight) * share;
}
