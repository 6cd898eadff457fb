/** Builds an index segment: the inverted index of some files, in memory, file by file. */
import { basename } from "node:path/posix";
import { createVectorSum, loadLearntTable, VECTOR_DIMENSIONS } from "../../learnt/learnt-table.ts";
import { type Chunk, measureLines } from "../chunk.ts";
import { type Definition, definitionRanks, findDefinition } from "../definitions.ts";
import { fileRoles, findFileRoles } from "../file-roles.ts";
import { createCountTable, createPostings } from "../growable.ts";
import { createLexicon, findTerms, toPlainName } from "../lexicon.ts";
import { findInnerDefinitions, LONG_LINE_CHARS } from "../long-lines.ts";
import { LONG_LINES, OUTLINE_CUT } from "../outline.ts";
import { createUnitReader, type Units } from "../word-table.ts";
import { encodeSegment, hashNumbers, type SegmentColumns } from "./encode-segment.ts";
import { MAX_OCCURRENCES, STEM_TERMS_SHIFT, termKinds } from "./index-segment.ts";

/** A file to be indexed. */
type IndexedFile = {
  /** The number of this version of the file in the store. */
  readonly id: number;
  readonly path: string;
  /** The hash of its bytes. A segment that is not stored needs none. */
  readonly hash?: string;
  readonly text: string;
  readonly chunks: readonly Chunk[];
  /** Why the text has only the definitions of the file; null for a whole text. */
  readonly outline?: string | null;
};

/** Collects files into one segment. */
type SegmentBuilder = {
  readonly fileCount: () => number;
  readonly textChars: () => number;
  add(file: IndexedFile): void;
  /** The finished segment as bytes. The builder cannot be used afterwards. */
  finish(): Uint8Array;
};

/** Segments are built one after the other from much the same words, so they share a lexicon until it is too large. */
let shared: ReturnType<typeof createSharedLexicon> | undefined;
const readUnits = createUnitReader();
const MAX_LEXICON_WORDS = 400_000;

/** A lexicon, and the row of the learnt table for each of its terms that has one. */
function createSharedLexicon() {
  const lexicon = createLexicon();
  const table = loadLearntTable();
  const rows = new Int32Array(table.terms.length * 2).fill(-1);
  for (const [row, term] of table.terms.entries()) rows[lexicon.term(term)] = row;
  return { lexicon, table, rows };
}

/** A builder without files. */
export function createSegmentBuilder(): SegmentBuilder {
  if (shared === undefined || shared.lexicon.wordCount() > MAX_LEXICON_WORDS) shared = createSharedLexicon();
  const { lexicon, table, rows } = shared;
  const [pathSum, nameSum, chunkSum] = [createVectorSum(table), createVectorSum(table), createVectorSum(table)];
  let vectors = new Int8Array(VECTOR_DIMENSIONS * 1_024);
  let fileVectors = new Int8Array(VECTOR_DIMENSIONS * 64);
  const columns = emptyColumns();
  const postings = createPostings();
  const words = createCountTable();
  const terms = createCountTable();
  let textChars = 0;

  function add({ id, path, hash, text, chunks, outline = null }: IndexedFile): void {
    const definitions = findDefinitions(text, outline !== null);
    sumPath(path);
    nameSum.numbers.fill(0);
    const units = readUnits(text);
    let fileTokens = 0;
    let next = 0;
    for (const chunk of chunks) {
      const first = next;
      while (next < definitions.length && (definitions[next]?.start ?? 0) < chunk.end) next++;
      fileTokens += addChunk(units, chunk, definitions.slice(first, next));
    }
    addPath(columns.fileIds.length, path);
    writeFileVector(columns.fileIds.length);
    columns.fileIds.push(id);
    columns.paths.push(path);
    columns.fileHashes.push(...hashNumbers(hash, outline));
    columns.fileTokens.push(fileTokens);
    const definesSomething = definitions.some(({ rank }) => rank > definitionRanks.value);
    columns.fileTraits.push(traitsOf(path, findRoles(path, text, definesSomething, outline)));
    columns.fileChars.push(chunks.at(-1)?.end ?? 0);
    columns.fileFirstChunk.push(columns.chunkTokens.length);
    textChars += text.length;
  }

  function addChunk(units: Units, chunk: Chunk, definitions: readonly Definition[]): number {
    const tokens = countTerms(units, chunk);
    for (const definition of definitions) markDefinition(units, definition);
    writeVector(columns.chunkTokens.length);
    postTerms(columns.chunkTokens.length);
    columns.chunkTokens.push(tokens);
    return tokens;
  }

  function countTerms(units: Units, { start, end }: Chunk): number {
    const tokens = lexicon.scan(words, units, start, end);
    for (const word of words.numbers()) lexicon.count(terms, word, words.count(word));
    words.clear();
    return tokens;
  }

  function sumPath(path: string): void {
    pathSum.numbers.fill(0);
    const name = basename(path);
    const ownTerms = findNameTerms(name.replace(/\.[^.]*$/, ""));
    for (const term of new Set([...findFolderTerms(path.slice(0, -name.length)), ...ownTerms])) {
      const row = table.rows.get(term);
      if (row !== undefined) pathSum.add(row);
    }
  }

  /** A chunk means what its terms and those of its path mean. */
  function writeVector(chunk: number): void {
    const offset = chunk * VECTOR_DIMENSIONS;
    if (offset === vectors.length) vectors = doubled(vectors);
    chunkSum.copyFrom(pathSum);
    const numbers = terms.numbers();
    for (let index = 0; index < numbers.length; index++) {
      const row = rows[numbers[index] as number] ?? -1;
      if (row < 0) continue;
      chunkSum.add(row);
      if (terms.rank(numbers[index] as number) > definitionRanks.value) nameSum.add(row);
    }
    chunkSum.writeTo(vectors, offset);
  }

  /** A file means what its path and the functions and types that it defines are called. */
  function writeFileVector(file: number): void {
    const offset = file * VECTOR_DIMENSIONS;
    if (offset === fileVectors.length) fileVectors = doubled(fileVectors);
    nameSum.addEqually(pathSum);
    nameSum.writeTo(fileVectors, offset);
  }

  function markDefinition(units: Units, { start, end, rank }: Definition): void {
    lexicon.mark(terms, units, start, end, rank);
    const name = lexicon.nameTerm(termKinds.definition, units, start, end);
    terms.add(name, 1);
    terms.mark(name, rank);
  }

  /** Words of the folders are counted; those of the file name are marked. */
  function addPath(file: number, path: string): void {
    const name = basename(path);
    const pathTerm = (term: string) => lexicon.term(termKinds.path + term);
    for (const term of findFolderTerms(path.slice(0, -name.length))) terms.add(pathTerm(term), 1);
    for (const term of findNameTerms(stemOf(name))) terms.mark(pathTerm(term), 1);
    postTerms(file);
  }

  function postTerms(place: number): void {
    const numbers = terms.numbers();
    postings.reserve(numbers.length);
    for (const term of numbers) {
      postings.push(term, place, Math.min(terms.count(term), MAX_OCCURRENCES) | (terms.rank(term) << 6));
    }
    terms.clear();
  }

  return {
    fileCount: () => columns.fileIds.length,
    textChars: () => textChars,
    add,
    finish() {
      const chunkVectors = vectors.subarray(0, columns.chunkTokens.length * VECTOR_DIMENSIONS);
      const ofFiles = fileVectors.subarray(0, columns.fileIds.length * VECTOR_DIMENSIONS);
      return encodeSegment({ ...columns, chunkVectors, fileVectors: ofFiles }, lexicon.terms(), postings.view());
    },
  };
}

function doubled(bytes: Int8Array): Int8Array<ArrayBuffer> {
  const larger = new Int8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}

/** Files come folder by folder, and the name of each is needed several times. */
const findFolderTerms = rememberLast(findPathTerms);
const findNameTerms = rememberLast(findPathTerms);

/** The terms of a path, or of a part of one. */
function findPathTerms(path: string): readonly string[] {
  return (path.match(/[\p{L}\p{M}\p{N}_$]+/gu) ?? []).flatMap(findTerms);
}

/** Keeps the last result. */
function rememberLast<T>(find: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: find(text) };
    return last.result;
  };
}

/** The name of a file without its extension, which says nothing about the content. */
function stemOf(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}

function traitsOf(path: string, roles: number): number {
  const stem = stemOf(basename(path));
  const terms = new Set(findNameTerms(stem));
  if (terms.size > 1) terms.delete(toPlainName(stem));
  return roles | (Math.min(terms.size, 255) << STEM_TERMS_SHIFT);
}

/** A file with very long lines was made by a tool. */
function findRoles(path: string, text: string, definesSomething: boolean, outline: string | null): number {
  const roles = findFileRoles(path, text, definesSomething);
  return outline === LONG_LINES ? roles | fileRoles.generated : roles;
}

/** Definitions inside a line that are indexed. */
const MAX_LINE_DEFINITIONS = 1_000;

function findDefinitions(text: string, isOutline: boolean): Definition[] {
  const { count, starts, indents } = measureLines(text);
  const definitions: Definition[] = [];
  for (let line = 0; line < count; line++) {
    const indent = indents[line] ?? -1;
    if (indent === -1) continue;
    const [start, end] = [starts[line] ?? 0, starts[line + 1] ?? 0];
    if (end - start > LONG_LINE_CHARS || (isOutline && text.slice(start, end).includes(OUTLINE_CUT))) {
      definitions.push(...findInnerDefinitions(text, start, end, MAX_LINE_DEFINITIONS));
      continue;
    }
    const definition = findDefinition(text, start, end, indent);
    if (definition !== null) definitions.push(definition);
  }
  return definitions;
}

function emptyColumns(): Omit<SegmentColumns, "chunkVectors" | "fileVectors"> {
  return {
    fileIds: [],
    paths: [],
    fileChars: [],
    fileTokens: [],
    fileTraits: [],
    fileHashes: [],
    fileFirstChunk: [0],
    chunkTokens: [],
  };
}
