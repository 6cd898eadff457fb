/** Several segments as one index, which a search reads. Deleted files stay in their segment and count as dead. */
import { ALL_ROLES, fileRoles } from "./file-roles.ts";
import { createIdSet, type IdSet } from "./id-set.ts";
import type { RankedSegment } from "./segments/index-segment.ts";
import type { PostingRange } from "./segments/packed-postings.ts";

/** A segment, its place among the others, and its dead files. */
export type ViewPart = {
  readonly segment: RankedSegment;
  readonly firstFile: number;
  readonly firstChunk: number;
  /** 1 for each file that was deleted or replaced; null if all are live. */
  readonly dead: Uint8Array | null;
};

/** Segments, with their files and chunks numbered consecutively. */
export type IndexView = {
  readonly parts: readonly ViewPart[];
  /** Files and chunks of all segments, including dead ones. */
  readonly fileCount: number;
  readonly chunkCount: number;
  readonly liveFiles: number;
  readonly liveChunks: number;
  readonly meanFileTokens: number;
  readonly meanChunkTokens: number;
  /** Live files without any role: the code itself. */
  readonly plainFiles: number;
  /** Live files of tests. */
  readonly testFiles: number;
  /** Terms that were looked up before: a view never changes. */
  readonly cachedTerms: Map<string, readonly TermPostings[]>;
};

/** The view of these segments in which the files with these ids are live; null makes all live. */
export function createView(segments: readonly RankedSegment[], liveIds: readonly number[] | null): IndexView {
  const parts: ViewPart[] = [];
  const sums = emptySums();
  const remaining = liveIds === null ? null : createIdSet(liveIds);
  for (const segment of segments) {
    const dead = remaining === null ? null : findDead(segment, remaining);
    parts.push({ segment, firstFile: sums.files, firstChunk: sums.chunks, dead });
    sums.files += segment.fileCount;
    sums.chunks += segment.chunkCount;
    addLive(sums, segment, dead);
  }
  return toView(parts, sums);
}

/** Several views as one: files and chunks are numbered through, and words are as rare as they are in all of them. */
export function joinViews(views: readonly IndexView[]): IndexView {
  const [first] = views;
  if (views.length === 1 && first !== undefined) return first;
  const parts: ViewPart[] = [];
  const sums = emptySums();
  for (const view of views) {
    for (const { segment, firstFile, firstChunk, dead } of view.parts) {
      parts.push({ segment, firstFile: sums.files + firstFile, firstChunk: sums.chunks + firstChunk, dead });
    }
    sums.files += view.fileCount;
    sums.chunks += view.chunkCount;
    sums.liveFiles += view.liveFiles;
    sums.liveChunks += view.liveChunks;
    sums.tokens += view.meanFileTokens * view.liveFiles;
    sums.plainFiles += view.plainFiles;
    sums.testFiles += view.testFiles;
  }
  return toView(parts, sums);
}

const emptySums = () => {
  return { files: 0, chunks: 0, liveFiles: 0, liveChunks: 0, tokens: 0, plainFiles: 0, testFiles: 0 };
};
type Sums = ReturnType<typeof emptySums>;

function toView(parts: readonly ViewPart[], sums: Sums): IndexView {
  return {
    parts,
    fileCount: sums.files,
    chunkCount: sums.chunks,
    liveFiles: sums.liveFiles,
    liveChunks: sums.liveChunks,
    meanFileTokens: sums.tokens / Math.max(1, sums.liveFiles),
    meanChunkTokens: sums.tokens / Math.max(1, sums.liveChunks),
    plainFiles: sums.plainFiles,
    testFiles: sums.testFiles,
    cachedTerms: new Map(),
  };
}

/** A file is live in the first segment that has it. */
function findDead({ fileIds }: RankedSegment, remaining: IdSet): Uint8Array | null {
  const dead = new Uint8Array(fileIds.length);
  for (let file = 0; file < dead.length; file++) if (!remaining.delete(fileIds[file] as number)) dead[file] = 1;
  return dead.includes(1) ? dead : null;
}

function addLive(
  sums: Sums,
  { fileCount, fileFirstChunk, fileTokens, fileTraits }: RankedSegment,
  dead: Uint8Array | null,
): void {
  for (let file = 0; file < fileCount; file++) {
    if (dead?.[file] === 1) continue;
    sums.liveFiles += 1;
    sums.liveChunks += (fileFirstChunk[file + 1] ?? 0) - (fileFirstChunk[file] ?? 0);
    sums.tokens += fileTokens[file] ?? 0;
    const roles = (fileTraits[file] ?? 0) & ALL_ROLES;
    if (roles === 0) sums.plainFiles += 1;
    if ((roles & fileRoles.test) !== 0) sums.testFiles += 1;
  }
}

/** A term's postings in one segment. */
export type TermPostings = PostingRange & { readonly part: ViewPart };

const MAX_CACHED_TERMS = 20_000;

/** A term's postings in all segments that have it. */
export function findTerm(view: IndexView, term: string): readonly TermPostings[] {
  const cached = view.cachedTerms.get(term);
  if (cached !== undefined) return cached;
  const postings: TermPostings[] = [];
  for (const part of view.parts) {
    const range = part.segment.find(term);
    if (range !== null) postings.push({ part, from: range.from, to: range.to });
  }
  if (view.cachedTerms.size < MAX_CACHED_TERMS) view.cachedTerms.set(term, postings);
  return postings;
}

/** The part of the view that has this file. */
export function findPart(view: IndexView, file: number): ViewPart {
  for (let index = view.parts.length - 1; index >= 0; index--) {
    const part = view.parts[index];
    if (part !== undefined && part.firstFile <= file) return part;
  }
  throw new RangeError(`No file ${file} in the index.`);
}
