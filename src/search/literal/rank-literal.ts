/** Orders the files that contain a text exactly: by its words as in any search, else by how often they contain it. */
import { findPart, type IndexView } from "../index/index-view.ts";
import type { ParsedQuery } from "../rank/query.ts";
import { type RankedFile, rankFiles } from "../rank/rank.ts";
import { roleFactor, weighRoles } from "../rank/signals/role-factors.ts";
import { noParts } from "../rank/signals/score-parts.ts";
import type { LiteralMatch } from "./literal-matches.ts";

/** The files of these matches, best first. */
export function rankLiteral(
  view: IndexView,
  query: ParsedQuery,
  matches: readonly LiteralMatch[],
  limit: number,
): RankedFile[] {
  const counts = new Map(matches.map(({ chunk, count }) => [fileOf(view, chunk), count]));
  const ranked = query.terms.length === 0 ? [] : rankFiles(view, query, { limit, accepted: markFiles(view, counts) });
  for (const { file } of ranked) counts.delete(file);
  const lowest = ranked.at(-1)?.score ?? 1;
  return [...ranked, ...rankByCount(view, query, counts, lowest)].slice(0, limit);
}

function fileOf({ parts }: IndexView, chunk: number): number {
  const part = parts.findLast(({ firstChunk }) => firstChunk <= chunk);
  return part === undefined ? 0 : part.firstFile + (part.segment.chunkFile[chunk - part.firstChunk] ?? 0);
}

function markFiles({ fileCount }: IndexView, counts: ReadonlyMap<number, number>): Uint8Array {
  const marks = new Uint8Array(fileCount);
  for (const file of counts.keys()) marks[file] = 1;
  return marks;
}

/** Files without a whole word of the query: those that contain the text more often come first, and tests later. */
function rankByCount(
  view: IndexView,
  query: ParsedQuery,
  counts: ReadonlyMap<number, number>,
  highest: number,
): RankedFile[] {
  const roleFactors = weighRoles(view, query.roles);
  let max = 0;
  for (const count of counts.values()) max = Math.max(max, count);
  const rows = [...counts].map(([file, count]) => {
    const { segment, firstFile } = findPart(view, file);
    const role = roleFactor(segment.fileTraits[file - firstFile] ?? 0, roleFactors);
    const score = (highest * role * Math.log(1 + count)) / Math.log(1 + max);
    return { file, score, parts: { ...noParts, role }, ownShare: 0, chunks: [], path: segment.path(file - firstFile) };
  });
  rows.sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
  return rows.map(({ path: _, ...file }) => file);
}
