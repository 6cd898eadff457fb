/** Several indexes as one: a search of a project ranks the files of all its repositories together. */
import { findPart, type IndexView, joinViews, type ViewPart } from "./index/index-view.ts";
import type { PreparedIndex } from "./prepared-index.ts";
import { type Meaning, rateChunks } from "./rank/meaning.ts";
import type { RankedFile } from "./rank/rank.ts";
import type { Repository } from "./repository/repository.ts";

/** Several indexes as one view, with the index that each part is of. */
export type JoinedIndexes = {
  readonly view: IndexView;
  readonly accepted: Uint8Array | null;
  readonly meaning: Meaning | null;
  indexOf(part: ViewPart): PreparedIndex;
};

/** Joins the views of all indexes, and what is known of their files. */
export function joinIndexes(indexes: readonly PreparedIndex[]): JoinedIndexes {
  const view = joinViews(indexes.map((index) => index.view));
  const owners = indexes.flatMap((index) => index.view.parts.map(() => index));
  const byPart = new Map(view.parts.map((part, number) => [part, owners[number]]));
  return {
    view,
    accepted: joinFlags(indexes),
    meaning: joinNear(indexes),
    indexOf(part) {
      const index = byPart.get(part);
      if (index === undefined) throw new RangeError("A part of no index.");
      return index;
    },
  };
}

function joinFlags(indexes: readonly PreparedIndex[]): Uint8Array | null {
  const flags = indexes.flatMap(({ accepted }) => accepted ?? []);
  return flags.length < indexes.length ? null : Buffer.concat(flags);
}

/** Vectors count only where all indexes have them: else files without vectors would rank too low. */
function joinNear(indexes: readonly PreparedIndex[]): Meaning | null {
  if (indexes.some(({ near }) => near === null)) return null;
  return rateChunks(joinChunks(indexes, ({ near }) => near ?? []));
}

/** Chunks of all indexes, numbered as in the joined view. */
export function joinChunks<T extends { readonly chunk: number }>(
  indexes: readonly PreparedIndex[],
  chunksOf: (index: PreparedIndex) => readonly T[],
): T[] {
  const joined: T[] = [];
  let firstChunk = 0;
  for (const index of indexes) {
    for (const each of chunksOf(index)) joined.push({ ...each, chunk: firstChunk + each.chunk });
    firstChunk += index.view.chunkCount;
  }
  return joined;
}

/** A ranked file and where it is. */
export type PlacedFile = {
  readonly file: RankedFile;
  readonly id: number;
  readonly path: string;
  /** The file's first chunk in the view. */
  readonly firstChunk: number;
};

/** Calls `read` for each file with its index open; one index is open at a time. The order is that of the files. */
export async function readFiles<T>(
  { view, indexOf }: JoinedIndexes,
  files: readonly RankedFile[],
  read: (repository: Repository, file: PlacedFile, index: number) => T,
): Promise<T[]> {
  const groups = Map.groupBy(
    files.map((file, rank) => ({ file, rank, part: findPart(view, file.file) })),
    ({ part }) => indexOf(part),
  );
  const rows: { rank: number; value: T }[] = [];
  for (const [index, group] of groups) {
    await index.use((repository) => {
      for (const { file, rank, part } of group) {
        const number = file.file - part.firstFile;
        const id = part.segment.fileIds[number] ?? 0;
        const firstChunk = part.firstChunk + (part.segment.fileFirstChunk[number] ?? 0);
        const path = part.segment.path(number);
        rows.push({ rank, value: read(repository, { file, id, path, firstChunk }, rank) });
      }
    });
  }
  return rows.sort((one, other) => one.rank - other.rank).map(({ value }) => value);
}
