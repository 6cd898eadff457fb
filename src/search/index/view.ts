/** Several segments seen as one index: what a search reads. Files that are gone stay in their segment and count as dead. */
import type { Range, Segment } from "./segment.ts";

/** A segment's place among the others, and which of its files no longer count. */
export type ViewPart = {
  readonly segment: Segment;
  readonly firstFile: number;
  readonly firstChunk: number;
  /** 1 for each file that is gone or was replaced; null when all are there. */
  readonly dead: Uint8Array | null;
};

export type IndexView = {
  readonly parts: readonly ViewPart[];
  /** Numbers given out, dead ones included. */
  readonly fileCount: number;
  readonly chunkCount: number;
  readonly liveFiles: number;
  readonly liveChunks: number;
  readonly meanFileTokens: number;
  readonly meanChunkTokens: number;
  /** Terms looked up before: a view never changes, and the same words are asked for again. */
  readonly known: Map<string, readonly TermPostings[]>;
};

/** The view of these segments in which only the files with these ids count. Without ids, all do. */
export function viewOf(segments: readonly Segment[], liveIds: readonly number[] | null): IndexView {
  const parts: ViewPart[] = [];
  const sums = { files: 0, chunks: 0, liveFiles: 0, liveChunks: 0, tokens: 0 };
  const waiting = liveIds === null ? null : new Set(liveIds);
  for (const segment of segments) {
    const dead = waiting === null ? null : deadFiles(segment, waiting);
    parts.push({ segment, firstFile: sums.files, firstChunk: sums.chunks, dead });
    sums.files += segment.fileCount;
    sums.chunks += segment.chunkCount;
    addLive(sums, segment, dead);
  }
  return {
    parts,
    fileCount: sums.files,
    chunkCount: sums.chunks,
    liveFiles: sums.liveFiles,
    liveChunks: sums.liveChunks,
    meanFileTokens: sums.tokens / Math.max(1, sums.liveFiles),
    meanChunkTokens: sums.tokens / Math.max(1, sums.liveChunks),
    known: new Map(),
  };
}

/** A file counts in the first segment that has it. */
function deadFiles({ fileIds }: Segment, waiting: Set<number>): Uint8Array | null {
  const dead = Uint8Array.from(fileIds, (id) => (waiting.delete(id) ? 0 : 1));
  return dead.includes(1) ? dead : null;
}

function addLive(
  sums: { liveFiles: number; liveChunks: number; tokens: number },
  { fileCount, fileFirstChunk, fileTokens }: Segment,
  dead: Uint8Array | null,
): void {
  for (let file = 0; file < fileCount; file++) {
    if (dead?.[file] === 1) continue;
    sums.liveFiles += 1;
    sums.liveChunks += (fileFirstChunk[file + 1] ?? 0) - (fileFirstChunk[file] ?? 0);
    sums.tokens += fileTokens[file] ?? 0;
  }
}

/** A term's postings in one segment. */
export type TermPostings = Range & { readonly part: ViewPart };

/** More terms than this are not remembered. */
const mostKnown = 20_000;

/** A term's postings in all segments that have it. */
export function findTerm(view: IndexView, term: string): readonly TermPostings[] {
  const known = view.known.get(term);
  if (known !== undefined) return known;
  const found: TermPostings[] = [];
  for (const part of view.parts) {
    const range = part.segment.find(term);
    if (range !== null) found.push({ part, from: range.from, to: range.to });
  }
  if (view.known.size < mostKnown) view.known.set(term, found);
  return found;
}
