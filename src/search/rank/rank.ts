/** Ranks files for a query: BM25 over chunks and over files, names, paths, and the role of the file. */
import { type FileRole, fileRoles } from "../index/file-roles.ts";
import { type RankedSegment, STEM_TERMS_SHIFT, termKinds } from "../index/index-segment.ts";
import { findTerm, type IndexView, type TermPostings } from "../index/index-view.ts";
import { type FileNearness, findNearness, measureCode } from "./learnt-meaning.ts";
import type { Meaning } from "./meaning.ts";
import type { ParsedQuery } from "./query.ts";
import { MAX_SCORE, rankWeights } from "./weights.ts";
import { findShortForms, findWordRoot, MAX_ENDING_CHARS } from "./word-families.ts";

/** A file that answers a query. Files and chunks are numbered as in the view. */
export type RankedFile = {
  readonly file: number;
  /** Between 0 and 1, higher is better. */
  readonly score: number;
  /** What the score is made of, before the factor for the file's roles. */
  readonly parts: ScoreParts;
  /** Its chunks that match the query, best first. */
  readonly chunks: readonly RankedChunk[];
};

type RankedChunk = { readonly chunk: number; readonly score: number };

/** Each is between 0 and its weight; `role` is the factor for tests, examples and so on. */
type ScoreParts = {
  readonly chunk: number;
  readonly file: number;
  readonly stem: number;
  readonly folder: number;
  readonly stemShare: number;
  readonly name: number;
  readonly size: number;
  /** Null where no vectors were used. */
  readonly meaning: number | null;
  readonly role: number;
};

type RankOptions = {
  /** The number of files to return. */
  readonly limit: number;
  /** 1 for each file of the view that may be returned; null allows all. */
  readonly accepted?: Uint8Array | null;
  /** Null where there are no vectors. */
  readonly meaning?: Meaning | null;
};

/** The best files, best first. Equal scores are ordered by path, so that the same files give the same answer. */
export function rankFiles(view: IndexView, query: ParsedQuery, options: RankOptions): RankedFile[] {
  const { limit, accepted = null, meaning = null } = options;
  const scores = emptyScores(view);
  const share = 1 / Math.max(1, query.terms.length);
  const terms = weighTerms(view, query);
  for (const { text, weight, maxRarity } of terms) {
    addText(view, scores, findTerm(view, text), weight, maxRarity);
  }
  for (const [word, group] of Map.groupBy(terms, (term) => term.word)) addPath(view, scores, word, group, share);
  addNames(view, scores, query);
  if (query.path !== null) addNamedPath(view, scores, query.path);
  const near = meaning === null ? null : addMeaning(view, scores, meaning);
  const nearness = near === null ? findNearness(view, query) : null;
  return pickFiles(view, query, { ...scores, meaning: near }, { limit, accepted, nearness });
}

/** Sums for each chunk and for each file of the view. */
type Scores = {
  readonly chunk: Float64Array;
  /** Rarity of the query's words in names that the chunk defines. */
  readonly defined: Float64Array;
  readonly file: Float64Array;
  readonly stem: Float64Array;
  readonly stemHits: Uint8Array;
  readonly folder: Float64Array;
  /** The last words of the query that counted for the file's name and for its folders, numbered from 1. */
  readonly stemWord: Uint8Array;
  readonly folderWord: Uint8Array;
  readonly name: Float64Array;
  readonly bestChunk: Float64Array;
};

/** With the nearness in meaning of each file, or null. */
type FinalScores = Scores & { readonly meaning: Float64Array | null };

/** One query is ranked at a time, so all queries on a view share the arrays: that is megabytes less garbage. */
const scoresByView = new WeakMap<IndexView, Scores>();

function emptyScores(view: IndexView): Scores {
  const previous = scoresByView.get(view);
  if (previous !== undefined) for (const numbers of Object.values(previous)) numbers.fill(0);
  const scores = previous ?? createScores(view);
  scoresByView.set(view, scores);
  return scores;
}

function createScores({ chunkCount, fileCount }: IndexView): Scores {
  return {
    chunk: new Float64Array(chunkCount),
    defined: new Float64Array(chunkCount),
    file: new Float64Array(fileCount),
    stem: new Float64Array(fileCount),
    stemHits: new Uint8Array(fileCount),
    folder: new Float64Array(fileCount),
    stemWord: new Uint8Array(fileCount),
    folderWord: new Uint8Array(fileCount),
    name: new Float64Array(fileCount),
    bestChunk: new Float64Array(fileCount),
  };
}

/** A term that files are ranked by. */
type WeightedTerm = {
  readonly text: string;
  /** The word of the query that it is, or is related to, by its number. */
  readonly word: number;
  readonly weight: number;
  readonly rarity: number;
  /** A word of the same family never counts as rarer than the query's own word. */
  readonly maxRarity: number;
  readonly pathWeight: number;
};

/** More words than any family needs. */
const MAX_FAMILY_WORDS = 300;
/** A shorter word has too many others that begin like it. */
const MIN_FAMILY_TERM_CHARS = 4;

/** The query's own terms, then the words of their families and their short forms, each once. */
export function weighTerms(view: IndexView, query: ParsedQuery): WeightedTerm[] {
  const rarityOf = (text: string) => rarity(view.liveChunks, countLive(findTerm(view, text)).chunks);
  const own = query.terms.map((text, word) => {
    return { text, word, weight: 1, rarity: rarityOf(text), maxRarity: Infinity, pathWeight: 1 };
  });
  const added = new Set(query.terms);
  const related: WeightedTerm[] = [];
  const add = (text: string, word: number, weight: number, maxRarity: number) => {
    if (added.has(text)) return;
    added.add(text);
    related.push({ text, word, weight, rarity: rarityOf(text), maxRarity, pathWeight: rankWeights.familyInPath });
  };
  for (const { text, word, rarity: maxRarity } of own) {
    for (const relative of familyOf(view, text)) add(relative, word, rankWeights.family, maxRarity);
    for (const short of findShortForms(text)) add(short, word, rankWeights.shortForm, maxRarity);
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
  const termsWithPrefix = (kind: string) =>
    parts.flatMap(({ segment }) =>
      segment.findPrefix(kind + root, MAX_ENDING_CHARS, MAX_FAMILY_WORDS).map((term) => term.slice(kind.length)),
    );
  const candidates = [...termsWithPrefix(""), ...termsWithPrefix(termKinds.path)];
  // Sorted, because a sum depends on the order of its numbers in the last digit, and must not depend on the segments.
  return [...new Set(candidates.filter((term) => findWordRoot(term) === root))].sort();
}

/** BM25's inverse document frequency. */
function rarity(total: number, count: number): number {
  return Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5));
}

const occurrences = (weight: number): number => weight & 63;
const rankOf = (weight: number): number => weight >> 6;

function addText(
  view: IndexView,
  scores: Scores,
  postings: readonly TermPostings[],
  weight: number,
  maxRarity: number,
): void {
  if (postings.length === 0) return;
  const { chunks, files } = countLive(postings);
  const chunkRarity = weight * Math.min(maxRarity, rarity(view.liveChunks, chunks));
  const fileRarity = weight * rarity(view.liveFiles, files);
  for (const each of postings) addPostings(view, scores, each, chunkRarity, fileRarity);
}

type LiveCounts = { readonly chunks: number; readonly files: number };

/** Counts by postings: a view returns the same object for a term every time, and it never changes. */
const cachedCounts = new WeakMap<readonly TermPostings[], LiveCounts>();

function countLive(postings: readonly TermPostings[]): LiveCounts {
  const counts = cachedCounts.get(postings) ?? countPostings(postings);
  cachedCounts.set(postings, counts);
  return counts;
}

function countPostings(postings: readonly TermPostings[]): LiveCounts {
  let [chunks, files] = [0, 0];
  for (const { part, from, to } of postings) {
    const { places, chunkFile } = part.segment;
    let lastFile = -1;
    for (let posting = from; posting < to; posting++) {
      const file = chunkFile[places[posting] ?? 0] ?? 0;
      if (part.dead?.[file] === 1) continue;
      chunks++;
      if (file !== lastFile) files++;
      lastFile = file;
    }
  }
  return { chunks, files };
}

/** The innermost loop: adds one posting after the other, and the sum of a file whenever the file changes. */
function addPostings(
  { meanChunkTokens, meanFileTokens }: IndexView,
  scores: Scores,
  { part, from, to }: TermPostings,
  chunkRarity: number,
  fileRarity: number,
): void {
  const { places, weights: bytes, chunkFile, chunkTokens, fileTokens } = part.segment;
  const { chunkSaturation, chunkLength, fileSaturation, fileLength, defined } = rankWeights;
  const chunkFloor = chunkSaturation * (1 - chunkLength);
  const chunkSlope = (chunkSaturation * chunkLength) / meanChunkTokens;
  const fileFloor = fileSaturation * (1 - fileLength);
  const fileSlope = (fileSaturation * fileLength) / meanFileTokens;
  for (let posting = from; posting < to; ) {
    const file = chunkFile[places[posting] ?? 0] ?? 0;
    const isLive = part.dead?.[file] !== 1;
    let sum = 0;
    for (; posting < to; posting++) {
      const chunk = places[posting] ?? 0;
      if (chunkFile[chunk] !== file) break;
      if (!isLive) continue;
      const weight = bytes[posting] ?? 0;
      const rank = rankOf(weight);
      const count = occurrences(weight) + (defined[rank] ?? 0);
      const place = part.firstChunk + chunk;
      const slack = chunkFloor + chunkSlope * (chunkTokens[chunk] ?? 0);
      scores.chunk[place] =
        (scores.chunk[place] ?? 0) + (chunkRarity * count * (chunkSaturation + 1)) / (count + slack);
      if (rank > 0) scores.defined[place] = (scores.defined[place] ?? 0) + chunkRarity;
      sum += count;
    }
    if (sum === 0) continue;
    const slack = fileFloor + fileSlope * (fileTokens[file] ?? 0);
    const place = part.firstFile + file;
    scores.file[place] = (scores.file[place] ?? 0) + (fileRarity * sum * (fileSaturation + 1)) / (sum + slack);
  }
}

/**
 * Rarity does not matter in a path: the author of the file chose the word deliberately. A word of the query counts once
 * for each file, with all its family: in the name, or else in the folders.
 */
function addPath(view: IndexView, scores: Scores, word: number, group: readonly WeightedTerm[], share: number): void {
  const paths = group.map(({ text, pathWeight }) => ({
    postings: findTerm(view, termKinds.path + text),
    weight: pathWeight * share,
    isOwn: pathWeight === 1,
  }));
  const mark = word + 1;
  for (const { postings, weight, isOwn } of paths) {
    forEachPlace(postings, (place, byte) => {
      if (rankOf(byte) === 0) return;
      if (isOwn) scores.stemHits[place] = (scores.stemHits[place] ?? 0) + 1;
      if (scores.stemWord[place] === mark) return;
      scores.stemWord[place] = mark;
      scores.stem[place] = Math.min(1, (scores.stem[place] ?? 0) + weight);
    });
  }
  for (const { postings, weight } of paths) {
    forEachPlace(postings, (place, byte) => {
      if (occurrences(byte) === 0 || scores.folderWord[place] === mark) return;
      scores.folderWord[place] = mark;
      const factor = scores.stemWord[place] === mark ? rankWeights.folderBesideStem : 1;
      scores.folder[place] = Math.min(1, (scores.folder[place] ?? 0) + weight * factor);
    });
  }
}

/** Visits the file of each posting of a path's word, and the posting's byte. */
function forEachPlace(postings: readonly TermPostings[], visit: (place: number, byte: number) => void): void {
  for (const { part, from, to } of postings) {
    for (let posting = from; posting < to; posting++) {
      visit(part.firstFile + (part.segment.places[posting] ?? 0), part.segment.weights[posting] ?? 0);
    }
  }
}

/** Whether a path is the one that the query names, or ends with it. */
export function matchesPath(path: string, namedPath: string): boolean {
  return `/${path.toLowerCase()}`.endsWith(`/${namedPath.toLowerCase()}`);
}

/** A query that names a path means that file. */
function addNamedPath({ parts }: IndexView, scores: Scores, namedPath: string): void {
  for (const { segment, firstFile } of parts) {
    for (let file = 0; file < segment.fileCount; file++) {
      if (!matchesPath(segment.path(file), namedPath)) continue;
      scores.name[firstFile + file] = rankWeights.named[3];
      scores.stem[firstFile + file] = 1;
    }
  }
}

/** Adds for definitions of the query's names. A name that many files define says little about each. */
function addNames(view: IndexView, scores: Scores, { names }: ParsedQuery): void {
  const best = findMax(scores.chunk);
  for (const { text, certainty } of names) {
    const postings = findTerm(view, termKinds.definition + text);
    if (postings.length === 0) continue;
    const strength = rankWeights.certainty[certainty] / (1 + Math.log(Math.max(1, countLive(postings).files)));
    for (const { part, from, to } of postings) {
      for (let posting = from; posting < to; posting++) {
        const chunk = part.segment.places[posting] ?? 0;
        const segmentFile = part.segment.chunkFile[chunk] ?? 0;
        if (part.dead?.[segmentFile] === 1) continue;
        const file = part.firstFile + segmentFile;
        const value = strength * (rankWeights.named[rankOf(part.segment.weights[posting] ?? 0)] ?? 0);
        scores.name[file] = Math.max(scores.name[file] ?? 0, value);
        const place = part.firstChunk + chunk;
        scores.chunk[place] = (scores.chunk[place] ?? 0) + value * rankWeights.namedChunk * best;
      }
    }
  }
}

/** How near each file is, by its nearest chunk. The chunks gain too, so that they are the ones shown. */
function addMeaning(view: IndexView, scores: Scores, meaning: Meaning): Float64Array {
  const near = new Float64Array(view.fileCount);
  const best = findMax(scores.chunk) || 1;
  for (const [chunk, share] of meaning) {
    const part = view.parts.findLast(({ firstChunk }) => firstChunk <= chunk);
    if (part === undefined) continue;
    const file = part.firstFile + (part.segment.chunkFile[chunk - part.firstChunk] ?? 0);
    near[file] = Math.max(near[file] ?? 0, share);
    scores.chunk[chunk] = (scores.chunk[chunk] ?? 0) + share * rankWeights.meaningChunk * best;
  }
  return near;
}

function findMax(numbers: Float64Array): number {
  let max = 0;
  for (let index = 0; index < numbers.length; index++) if ((numbers[index] ?? 0) > max) max = numbers[index] ?? 0;
  return max;
}

type PickOptions = {
  readonly limit: number;
  readonly accepted: Uint8Array | null;
  readonly nearness: FileNearness | null;
};

/** The files whose nearness in meaning is looked at: always the same number, so that pages continue each other. */
const MAX_COMPARED = 500;

function pickFiles(
  view: IndexView,
  query: ParsedQuery,
  scores: FinalScores,
  { limit, accepted, nearness }: PickOptions,
): RankedFile[] {
  const bestChunks = bestChunkPerFile(view, scores);
  const maxScores = { chunk: findMax(bestChunks) || 1, file: findMax(scores.file) || 1 };
  const pathOf = (file: number): string => {
    const { segment, firstFile } = findPart(view, file);
    return segment.path(file - firstFile);
  };
  const best = createBest(nearness === null ? limit : Math.max(limit, MAX_COMPARED), pathOf);
  const scratch = { ...noParts };
  const roleWeights = weighRoles(view, query.roles);
  for (const { segment, firstFile, dead } of view.parts) {
    for (let segmentFile = 0; segmentFile < segment.fileCount; segmentFile++) {
      const file = firstFile + segmentFile;
      const chunk = bestChunks[file] ?? 0;
      const isMatch = chunk > 0 || scores.stem[file] !== 0 || scores.folder[file] !== 0;
      if (!isMatch || dead?.[segmentFile] === 1 || accepted?.[file] === 0) continue;
      best.add(file, totalOf(fillParts(scratch, segment, segmentFile, file, chunk, scores, maxScores, roleWeights)));
    }
  }
  const ranked = best.listBest().map(({ file, score }) => {
    const { segment, firstFile } = findPart(view, file);
    const chunk = bestChunks[file] ?? 0;
    const parts = fillParts({ ...noParts }, segment, file - firstFile, file, chunk, scores, maxScores, roleWeights);
    return nearness === null ? { file, score, parts } : addNearness(file, parts, nearness(segment, file - firstFile));
  });
  if (nearness !== null) ranked.sort((one, other) => other.score - one.score);
  return ranked.slice(0, limit).map((each) => ({ ...each, chunks: rankChunks(view, scores, each.file) }));
}

function addNearness(file: number, parts: ScoreParts, nearness: number): Omit<RankedFile, "chunks"> {
  const withMeaning = { ...parts, meaning: rankWeights.learnt * nearness };
  return { file, score: totalOf(withMeaning), parts: withMeaning };
}

type MutableParts = { -readonly [Part in keyof ScoreParts]: ScoreParts[Part] };
const noParts: ScoreParts = {
  chunk: 0,
  file: 0,
  stem: 0,
  folder: 0,
  stemShare: 0,
  name: 0,
  size: 0,
  meaning: null,
  role: 1,
};

/** Thousands of files are scored for a few that are shown: to get the sum alone, the same object is filled again. */
function fillParts(
  parts: MutableParts,
  segment: RankedSegment,
  segmentFile: number,
  file: number,
  chunk: number,
  scores: FinalScores,
  maxScores: { readonly chunk: number; readonly file: number },
  roleWeights: readonly (readonly [number, number])[],
): ScoreParts {
  const traits = segment.fileTraits[segmentFile] ?? 0;
  const stemTerms = Math.max(1, traits >> STEM_TERMS_SHIFT);
  parts.chunk = (rankWeights.chunk * chunk) / maxScores.chunk;
  parts.file = (rankWeights.file * (scores.file[file] ?? 0)) / maxScores.file;
  parts.stem = rankWeights.stem * (scores.stem[file] ?? 0);
  parts.folder = rankWeights.folder * (scores.folder[file] ?? 0);
  parts.stemShare = rankWeights.stemShare * Math.min(1, (scores.stemHits[file] ?? 0) / stemTerms);
  parts.name = rankWeights.name * (scores.name[file] ?? 0);
  parts.size = rankWeights.size * Math.min(1, Math.log(1 + (segment.fileTokens[segmentFile] ?? 0)) / 9);
  parts.meaning = scores.meaning === null ? null : rankWeights.meaning * (scores.meaning[file] ?? 0);
  parts.role = roleFactor(traits, roleWeights);
  return parts;
}

type ScoredFile = { readonly file: number; readonly score: number };

/** Keeps the best of many files, without storing those that cannot be among them. */
function createBest(limit: number, pathOf: (file: number) => string) {
  let files: ScoredFile[] = [];
  let minScore = -1;
  const byScore = (one: ScoredFile, other: ScoredFile) =>
    other.score - one.score || comparePaths(pathOf(one.file), pathOf(other.file)) || one.file - other.file;
  const cut = () => {
    files = files.sort(byScore).slice(0, limit);
    if (files.length === limit) minScore = files.at(-1)?.score ?? -1;
  };
  return {
    add(file: number, score: number): void {
      if (score < minScore) return;
      files.push({ file, score });
      if (files.length >= limit * 4) cut();
    },
    listBest(): readonly ScoredFile[] {
      cut();
      return files;
    },
  };
}

/** Two indexes may have files of the same path: then the order of the indexes decides. */
function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function bestChunkPerFile(view: IndexView, { chunk: chunkScores, bestChunk: best }: Scores): Float64Array {
  for (const { segment, firstChunk, firstFile } of view.parts) {
    for (let chunk = 0; chunk < segment.chunkCount; chunk++) {
      const score = chunkScores[firstChunk + chunk] ?? 0;
      const file = firstFile + (segment.chunkFile[chunk] ?? 0);
      if (score > (best[file] ?? 0)) best[file] = score;
    }
  }
  return best;
}

function totalOf({ chunk, file, stem, folder, stemShare, name, size, meaning, role }: ScoreParts): number {
  const maxScore = meaning === null ? MAX_SCORE : MAX_SCORE + rankWeights.meaning;
  return Math.min(1, ((chunk + file + stem + folder + stemShare + name + size + (meaning ?? 0)) * role) / maxScore);
}

const roleNames = Object.keys(fileRoles) as FileRole[];

/** The factor for each role's bit. */
function weighRoles(view: IndexView, queryRoles: number): readonly (readonly [number, number])[] {
  const codeShare = measureCode(view);
  return roleNames.map((role) => {
    const bit = fileRoles[role];
    if ((queryRoles & bit) !== 0) return [bit, rankWeights.namedRole];
    const factor = rankWeights.roles[role];
    return [bit, subjectRoles.has(role) ? 1 - (1 - factor) * codeShare : factor];
  });
}

/** Roles that a repository can be about. Third-party and generated files never are, however many there are. */
const subjectRoles: ReadonlySet<FileRole> = new Set(["prose", "example", "test"]);

function roleFactor(traits: number, roleWeights: readonly (readonly [number, number])[]): number {
  let factor = 1;
  for (const [bit, weight] of roleWeights) if ((traits & bit) !== 0) factor *= weight;
  return factor;
}

/** Within a file, chunks that define names with the query's words rank higher. */
function rankChunks(view: IndexView, scores: Scores, file: number): RankedChunk[] {
  const { segment, firstChunk, firstFile } = findPart(view, file);
  const segmentFile = file - firstFile;
  const [first, end] = [segment.fileFirstChunk[segmentFile] ?? 0, segment.fileFirstChunk[segmentFile + 1] ?? 0];
  const ranked: RankedChunk[] = [];
  for (let segmentChunk = first; segmentChunk < end; segmentChunk++) {
    const chunk = firstChunk + segmentChunk;
    const score = (scores.chunk[chunk] ?? 0) + rankWeights.definedSpan * (scores.defined[chunk] ?? 0);
    if (score > 0) ranked.push({ chunk, score });
  }
  return ranked.sort((one, other) => other.score - one.score || one.chunk - other.chunk);
}

/** The part of the view that has this file. */
export function findPart(view: IndexView, file: number) {
  const part = view.parts.findLast(({ firstFile }) => firstFile <= file);
  if (part === undefined) throw new RangeError(`No file ${file} in the index.`);
  return part;
}
