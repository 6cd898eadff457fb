/** The terms that files are ranked by: the words of the query, their families and short forms, and what code calls them. */

import { findTerm, type IndexView } from "../index/index-view.ts";
import { termKinds } from "../index/segments/index-segment.ts";
import { findCodeWords } from "./everyday-words.ts";
import { countLive, rarity } from "./postings.ts";
import type { ParsedQuery } from "./query.ts";
import { isAskedInWords, trustWord } from "./question-words.ts";
import { rankWeights } from "./weights.ts";
import { findShortForms, findWordRoot, listPossibleWords } from "./word-families.ts";

/** A term that files are ranked by. */
export type WeightedTerm = {
  readonly text: string;
  /** The word of the query that it is, or is related to, by its number. */
  readonly word: number;
  readonly weight: number;
  /** How far the word can be trusted to be in the code that is asked for. See `trustWord`. */
  readonly trust: number;
  readonly rarity: number;
  /** A word of the same family never counts as rarer than the query's own word. */
  readonly maxRarity: number;
  readonly pathWeight: number;
};

/** A shorter word has too many others that begin like it. */
const MIN_FAMILY_TERM_CHARS = 4;

/** A word that a seventh of all chunks has says little, and takes long to add. */
const MIN_CODE_WORD_RARITY = 2;

/** The terms of a query in a view: the ranking and the choice of lines ask for the same ones. */
const cachedTerms = new WeakMap<ParsedQuery, { readonly view: IndexView; readonly terms: readonly WeightedTerm[] }>();

/** The query's own terms, then the words of their families, their short forms and what code calls them, each once. */
export function weighTerms(view: IndexView, query: ParsedQuery): readonly WeightedTerm[] {
  const cached = cachedTerms.get(query);
  if (cached?.view === view) return cached.terms;
  const terms = collectTerms(view, query);
  cachedTerms.set(query, { view, terms });
  return terms;
}

function collectTerms(view: IndexView, query: ParsedQuery): WeightedTerm[] {
  const rarityOf = (text: string) => rarity(view.liveChunks, countLive(findTerm(view, text)).chunks);
  const isInWords = isAskedInWords(view, query);
  const own = query.terms.map((text, word) => {
    const trust = isInWords ? trustWord(text) : 1;
    return { text, word, weight: 1, trust, rarity: rarityOf(text), maxRarity: Infinity, pathWeight: 1 };
  });
  const added = new Set(query.terms);
  const related: WeightedTerm[] = [];
  const add = (text: string, weight: number, { word, trust, rarity: maxRarity }: WeightedTerm) => {
    if (added.has(text)) return;
    added.add(text);
    const pathWeight = rankWeights.familyInPath;
    related.push({ text, word, weight, trust, rarity: rarityOf(text), maxRarity, pathWeight });
  };
  for (const term of own) {
    for (const relative of familyOf(view, term.text)) add(relative, rankWeights.family, term);
    for (const short of findShortForms(term.text)) add(short, rankWeights.shortForm, term);
  }
  for (const { text, word, weight } of isInWords ? findCodeWords(view, query.terms) : []) {
    const ownRarity = rarityOf(text);
    if (added.has(text) || ownRarity < MIN_CODE_WORD_RARITY) continue;
    added.add(text);
    const trust = trustWord(text);
    related.push({ text, word, weight, trust, rarity: ownRarity, maxRarity: Infinity, pathWeight: weight });
  }
  return [...own, ...related];
}

/** All terms that `rankFiles` looks up for the query in this view. */
export function listRankedTerms(view: IndexView, query: ParsedQuery): string[] {
  const words = weighTerms(view, query).map(({ text }) => text);
  const names = query.names.map(({ text }) => termKinds.definition + text);
  return [...words, ...words.map((word) => termKinds.path + word), ...names];
}

/** The word families found so far in a view, by root. */
const familiesByView = new WeakMap<IndexView, Map<string, readonly string[]>>();
const MAX_CACHED_FAMILIES = 5_000;

function familyOf(view: IndexView, term: string): readonly string[] {
  if (term.length < MIN_FAMILY_TERM_CHARS) return [];
  const root = findWordRoot(term);
  const families = familiesByView.get(view) ?? new Map<string, readonly string[]>();
  familiesByView.set(view, families);
  const family = families.get(root) ?? findFamily(view, root);
  if (families.size < MAX_CACHED_FAMILIES) families.set(root, family);
  return family;
}

function findFamily({ parts }: IndexView, root: string): readonly string[] {
  const words = listPossibleWords(root);
  const wordsIndexedAs = (kind: string) => {
    const terms = words.map((word) => Buffer.from(kind + word));
    return parts.flatMap(({ segment }) => segment.findAll(terms).map((term) => term.slice(kind.length)));
  };
  const candidates = [...wordsIndexedAs(""), ...wordsIndexedAs(termKinds.path)];
  // Sorted, because a sum depends on the order of its numbers in the last digit, and must not depend on the segments.
  return [...new Set(candidates.filter((term) => findWordRoot(term) === root))].sort();
}
