/** Ranks files for a question: BM25 over chunks and over files, names, paths, and what the file is for. */
import { type FileRole, fileRoles } from "../index/role.ts";
import { type Segment, stemTermsShift, termKinds } from "../index/segment.ts";
import { findTerm, type IndexView, type TermPostings } from "../index/view.ts";
import type { Question } from "./query.ts";
import { highestScore, weights } from "./weights.ts";
import { longestEnding, rootOf, shortFormsOf } from "./word-families.ts";

/** A file that answers a question. Numbers are those of the view. */
export type RankedFile = {
  readonly file: number;
  /** Between 0 and 1, higher is better. */
  readonly score: number;
  /** What the score is made of, before the factor of the file's roles. */
  readonly parts: ScoreParts;
  /** Its chunks that hold something of the question, best first. */
  readonly chunks: readonly RankedChunk[];
};

export type RankedChunk = { readonly chunk: number; readonly score: number };

/** Each between 0 and its weight; `role` is the factor for tests, examples and their like. */
export type ScoreParts = {
  readonly chunk: number;
  readonly file: number;
  readonly stem: number;
  readonly folder: number;
  readonly stemShare: number;
  readonly name: number;
  readonly size: number;
  /** Null where vectors were not asked. */
  readonly meaning: number | null;
  readonly role: number;
};

/** Chunks of the view that are near the question in meaning, from 0 to 1. */
export type Meaning = ReadonlyMap<number, number>;

export type RankOptions = {
  /** How many files to give. */
  readonly most: number;
  /** 1 for each file of the view that may be given; without it all may. */
  readonly accepted?: Uint8Array | null;
  /** What vectors tell; null where there are none. */
  readonly meaning?: Meaning | null;
};

/** The best files, best first; equal scores by their paths, so that the same files give the same answer. */
export function rankFiles(view: IndexView, question: Question, options: RankOptions): RankedFile[] {
  const { most, accepted = null, meaning = null } = options;
  const scores = emptyScores(view);
  const share = 1 / Math.max(1, question.terms.length);
  for (const { text, weight, rarest, pathWeight } of weighTerms(view, question)) {
    addText(view, scores, findTerm(view, text), weight, rarest);
    addPath(scores, findTerm(view, termKinds.path + text), pathWeight * share, pathWeight === 1);
  }
  addNames(view, scores, question);
  if (question.path !== null) addPathAsked(view, scores, question.path);
  const near = meaning === null ? null : addMeaning(view, scores, meaning);
  return pickFiles(view, question, { ...scores, meaning: near }, most, accepted);
}

/** What is summed up per chunk and per file of the view. */
type Scores = {
  readonly chunk: Float64Array;
  /** Rarity of the question's words in names that the chunk defines. */
  readonly defined: Float64Array;
  readonly file: Float64Array;
  readonly stem: Float64Array;
  readonly stemHits: Uint8Array;
  readonly folder: Float64Array;
  readonly name: Float64Array;
  readonly bestChunk: Float64Array;
};

/** With what vectors tell of each file, or null. */
type FinalScores = Scores & { readonly meaning: Float64Array | null };

/** One question is ranked at a time, so all on a view take turns with the same arrays: megabytes less to tidy up. */
const scoresOf = new WeakMap<IndexView, Scores>();

function emptyScores(view: IndexView): Scores {
  const used = scoresOf.get(view);
  if (used !== undefined) for (const numbers of Object.values(used)) numbers.fill(0);
  const scores = used ?? createScores(view);
  scoresOf.set(view, scores);
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
    name: new Float64Array(fileCount),
    bestChunk: new Float64Array(fileCount),
  };
}

/** A term that files are ranked by. */
export type WeighedTerm = {
  readonly text: string;
  readonly weight: number;
  readonly rarity: number;
  /** A relative of a word is never rarer than the word itself. */
  readonly rarest: number;
  readonly pathWeight: number;
};

/** More relatives than any word needs; a root that short stands for too much. */
const mostRelatives = 300;
const shortestWithRelatives = 4;

/** The question's own terms, then their relatives, each once. */
export function weighTerms(view: IndexView, question: Question): WeighedTerm[] {
  const rarityOf = (text: string) => rarity(view.liveChunks, countLive(findTerm(view, text)).chunks);
  const own = question.terms.map((text) => {
    return { text, weight: 1, rarity: rarityOf(text), rarest: Infinity, pathWeight: 1 };
  });
  const known = new Set(question.terms);
  const relatives: WeighedTerm[] = [];
  const add = (text: string, weight: number, rarest: number) => {
    if (known.has(text)) return;
    known.add(text);
    relatives.push({ text, weight, rarity: rarityOf(text), rarest, pathWeight: weights.kinInPath });
  };
  for (const { text, rarity: rarest } of own) {
    for (const relative of relativesOf(view, text)) add(relative, weights.kin, rarest);
    for (const short of shortFormsOf(text)) add(short, weights.shortForm, rarest);
  }
  return [...own, ...relatives];
}

/** The families met so far in a view, by their root. */
const familiesOf = new WeakMap<IndexView, Map<string, readonly string[]>>();
const mostFamilies = 5_000;

function relativesOf(view: IndexView, term: string): readonly string[] {
  if (term.length < shortestWithRelatives) return [];
  const root = rootOf(term);
  const families = familiesOf.get(view) ?? new Map<string, readonly string[]>();
  familiesOf.set(view, families);
  const family = families.get(root) ?? findFamily(view, root);
  if (families.size < mostFamilies) families.set(root, family);
  return family;
}

function findFamily({ parts }: IndexView, root: string): readonly string[] {
  const beginning = (kind: string) =>
    parts.flatMap(({ segment }) =>
      segment.findPrefix(kind + root, longestEnding, mostRelatives).map((found) => found.slice(kind.length)),
    );
  const all = new Set([...beginning(""), ...beginning(termKinds.path)].filter((found) => rootOf(found) === root));
  // Sums of the same numbers in another order differ in their last digit, and that must not depend on the segments.
  return [...all].sort();
}

/** BM25's measure of how much a word tells. */
function rarity(total: number, count: number): number {
  return Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5));
}

const occurrences = (weight: number): number => weight & 63;
const rankOf = (weight: number): number => weight >> 6;

function addText(
  view: IndexView,
  scores: Scores,
  found: readonly TermPostings[],
  weight: number,
  rarest: number,
): void {
  if (found.length === 0) return;
  const { chunks, files } = countLive(found);
  const chunkRarity = weight * Math.min(rarest, rarity(view.liveChunks, chunks));
  const fileRarity = weight * rarity(view.liveFiles, files);
  for (const postings of found) addPostings(view, scores, postings, chunkRarity, fileRarity);
}

type LiveCounts = { readonly chunks: number; readonly files: number };

/** A view gives the same postings for a term every time, and they never change. */
const counted = new WeakMap<readonly TermPostings[], LiveCounts>();

function countLive(found: readonly TermPostings[]): LiveCounts {
  const counts = counted.get(found) ?? countPostings(found);
  counted.set(found, counts);
  return counts;
}

function countPostings(found: readonly TermPostings[]): LiveCounts {
  let [chunks, files] = [0, 0];
  for (const { part, from, to } of found) {
    const { places, chunkFile } = part.segment;
    let last = -1;
    for (let at = from; at < to; at++) {
      const file = chunkFile[places[at] ?? 0] ?? 0;
      if (part.dead?.[file] === 1) continue;
      chunks++;
      if (file !== last) files++;
      last = file;
    }
  }
  return { chunks, files };
}

/** The innermost loop: one posting after the other, and the file's sum whenever the file changes. */
function addPostings(
  { meanChunkTokens, meanFileTokens }: IndexView,
  scores: Scores,
  { part, from, to }: TermPostings,
  chunkRarity: number,
  fileRarity: number,
): void {
  const { places, weights: bytes, chunkFile, chunkTokens, fileTokens } = part.segment;
  const { chunkSaturation, chunkLength, fileSaturation, fileLength, defined } = weights;
  const chunkFloor = chunkSaturation * (1 - chunkLength);
  const chunkSlope = (chunkSaturation * chunkLength) / meanChunkTokens;
  const fileFloor = fileSaturation * (1 - fileLength);
  const fileSlope = (fileSaturation * fileLength) / meanFileTokens;
  for (let at = from; at < to; ) {
    const file = chunkFile[places[at] ?? 0] ?? 0;
    const counts = part.dead?.[file] !== 1;
    let sum = 0;
    for (; at < to; at++) {
      const chunk = places[at] ?? 0;
      if (chunkFile[chunk] !== file) break;
      if (!counts) continue;
      const weight = bytes[at] ?? 0;
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

/** Rare or common does not matter in a path: whoever named the file has chosen the word. */
function addPath(scores: Scores, found: readonly TermPostings[], weight: number, own: boolean): void {
  for (const { part, from, to } of found) {
    for (let at = from; at < to; at++) {
      const place = part.firstFile + (part.segment.places[at] ?? 0);
      const inStem = rankOf(part.segment.weights[at] ?? 0) > 0;
      const sums = inStem ? scores.stem : scores.folder;
      sums[place] = Math.min(1, (sums[place] ?? 0) + weight);
      if (inStem && own) scores.stemHits[place] = (scores.stemHits[place] ?? 0) + 1;
    }
  }
}

/** Whether a path is the one that is asked for, or ends in it. */
export function isAsked(path: string, asked: string): boolean {
  return `/${path.toLowerCase()}`.endsWith(`/${asked.toLowerCase()}`);
}

/** Who asks for a file by its path means that file. */
function addPathAsked({ parts }: IndexView, scores: Scores, asked: string): void {
  for (const { segment, firstFile } of parts) {
    for (let file = 0; file < segment.fileCount; file++) {
      if (!isAsked(segment.path(file), asked)) continue;
      scores.name[firstFile + file] = weights.named[3];
      scores.stem[firstFile + file] = 1;
    }
  }
}

/** A name that many files define says little about each. */
function addNames(view: IndexView, scores: Scores, { names }: Question): void {
  const best = largest(scores.chunk);
  for (const { text, certainty } of names) {
    const found = findTerm(view, termKinds.definition + text);
    if (found.length === 0) continue;
    const strength = weights.certainty[certainty] / (1 + Math.log(Math.max(1, countLive(found).files)));
    for (const { part, from, to } of found) {
      for (let at = from; at < to; at++) {
        const chunk = part.segment.places[at] ?? 0;
        const own = part.segment.chunkFile[chunk] ?? 0;
        if (part.dead?.[own] === 1) continue;
        const file = part.firstFile + own;
        const value = strength * (weights.named[rankOf(part.segment.weights[at] ?? 0)] ?? 0);
        scores.name[file] = Math.max(scores.name[file] ?? 0, value);
        const place = part.firstChunk + chunk;
        scores.chunk[place] = (scores.chunk[place] ?? 0) + value * weights.namedChunk * best;
      }
    }
  }
}

/** How near each file is by its nearest chunk; the chunks themselves rise, so that they are what is shown. */
function addMeaning(view: IndexView, scores: Scores, meaning: Meaning): Float64Array {
  const near = new Float64Array(view.fileCount);
  const best = largest(scores.chunk) || 1;
  for (const [chunk, share] of meaning) {
    const part = view.parts.findLast(({ firstChunk }) => firstChunk <= chunk);
    if (part === undefined) continue;
    const file = part.firstFile + (part.segment.chunkFile[chunk - part.firstChunk] ?? 0);
    near[file] = Math.max(near[file] ?? 0, share);
    scores.chunk[chunk] = (scores.chunk[chunk] ?? 0) + share * weights.meaningChunk * best;
  }
  return near;
}

function largest(numbers: Float64Array): number {
  let most = 0;
  for (let at = 0; at < numbers.length; at++) if ((numbers[at] ?? 0) > most) most = numbers[at] ?? 0;
  return most;
}

function pickFiles(
  view: IndexView,
  question: Question,
  scores: FinalScores,
  most: number,
  accepted: Uint8Array | null,
): RankedFile[] {
  const bestChunks = bestChunkPerFile(view, scores);
  const tops = { chunk: largest(bestChunks) || 1, file: largest(scores.file) || 1 };
  const pathOf = (file: number): string => {
    const { segment, firstFile } = partOfFile(view, file);
    return segment.path(file - firstFile);
  };
  const best = createBest(most, pathOf);
  const scratch = { ...noParts };
  for (const { segment, firstFile, dead } of view.parts) {
    for (let own = 0; own < segment.fileCount; own++) {
      const file = firstFile + own;
      const chunk = bestChunks[file] ?? 0;
      const isFound = chunk > 0 || scores.stem[file] !== 0 || scores.folder[file] !== 0;
      if (!isFound || dead?.[own] === 1 || accepted?.[file] === 0) continue;
      best.add(file, totalOf(fillParts(scratch, segment, own, file, chunk, scores, tops, question.roles)));
    }
  }
  return best.sorted().map(({ file, score }) => {
    const { segment, firstFile } = partOfFile(view, file);
    const own = file - firstFile;
    const parts = fillParts({ ...noParts }, segment, own, file, bestChunks[file] ?? 0, scores, tops, question.roles);
    return { file, score, parts, chunks: rankChunks(view, scores, file) };
  });
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

/** Thousands of files are weighed for a few that are shown: who only wants the sum fills the same parts again. */
function fillParts(
  parts: MutableParts,
  segment: Segment,
  own: number,
  file: number,
  chunk: number,
  scores: FinalScores,
  tops: { readonly chunk: number; readonly file: number },
  asked: number,
): ScoreParts {
  const traits = segment.fileTraits[own] ?? 0;
  const stemTerms = Math.max(1, traits >> stemTermsShift);
  parts.chunk = (weights.chunk * chunk) / tops.chunk;
  parts.file = (weights.file * (scores.file[file] ?? 0)) / tops.file;
  parts.stem = weights.stem * (scores.stem[file] ?? 0);
  parts.folder = weights.folder * (scores.folder[file] ?? 0);
  parts.stemShare = weights.stemShare * Math.min(1, (scores.stemHits[file] ?? 0) / stemTerms);
  parts.name = weights.name * (scores.name[file] ?? 0);
  parts.size = weights.size * Math.min(1, Math.log(1 + (segment.fileTokens[own] ?? 0)) / 9);
  parts.meaning = scores.meaning === null ? null : weights.meaning * (scores.meaning[file] ?? 0);
  parts.role = roleFactor(traits, asked);
  return parts;
}

type Scored = { readonly file: number; readonly score: number };

/** Keeps the best of many: those that cannot be among them are not kept at all. */
function createBest(most: number, pathOf: (file: number) => string) {
  let kept: Scored[] = [];
  let least = -1;
  const byScore = (one: Scored, other: Scored) =>
    other.score - one.score || (pathOf(one.file) < pathOf(other.file) ? -1 : 1);
  const cut = () => {
    kept = kept.sort(byScore).slice(0, most);
    if (kept.length === most) least = kept.at(-1)?.score ?? -1;
  };
  return {
    add(file: number, score: number): void {
      if (score < least) return;
      kept.push({ file, score });
      if (kept.length >= most * 4) cut();
    },
    sorted(): readonly Scored[] {
      cut();
      return kept;
    },
  };
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
  const highest = meaning === null ? highestScore : highestScore + weights.meaning;
  return Math.min(1, ((chunk + file + stem + folder + stemShare + name + size + (meaning ?? 0)) * role) / highest);
}

const roleWeights = (Object.keys(fileRoles) as FileRole[]).map(
  (role) => [fileRoles[role], weights.roles[role]] as const,
);

function roleFactor(traits: number, asked: number): number {
  let factor = 1;
  for (const [bit, weight] of roleWeights) {
    if ((traits & bit) !== 0) factor *= (asked & bit) === 0 ? weight : weights.askedRole;
  }
  return factor;
}

/** Inside a file, a chunk whose definitions are named with the question's words is what is looked for. */
function rankChunks(view: IndexView, scores: Scores, file: number): RankedChunk[] {
  const { segment, firstChunk, firstFile } = partOfFile(view, file);
  const own = file - firstFile;
  const ranked: RankedChunk[] = [];
  for (let at = segment.fileFirstChunk[own] ?? 0; at < (segment.fileFirstChunk[own + 1] ?? 0); at++) {
    const chunk = firstChunk + at;
    const score = (scores.chunk[chunk] ?? 0) + weights.definedSpan * (scores.defined[chunk] ?? 0);
    if (score > 0) ranked.push({ chunk, score });
  }
  return ranked.sort((one, other) => other.score - one.score || one.chunk - other.chunk);
}

/** The segment a file of the view lies in. */
export function partOfFile(view: IndexView, file: number) {
  const part = view.parts.findLast(({ firstFile }) => firstFile <= file);
  if (part === undefined) throw new RangeError(`No file ${file} in the index.`);
  return part;
}
