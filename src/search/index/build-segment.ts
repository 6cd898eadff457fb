/** Builds an index segment: the inverted index of some files, in memory, file by file. */
import { basename } from "node:path/posix";
import { type Chunk, measureLines } from "./chunk.ts";
import { type Definition, findDefinition } from "./definitions.ts";
import { findFileRoles } from "./file-roles.ts";
import { createCountTable, createPostings } from "./growable.ts";
import { encodeSegment, MAX_OCCURRENCES, type SegmentColumns, STEM_TERMS_SHIFT, termKinds } from "./index-segment.ts";
import { createLexicon, findTerms, toPlainName } from "./lexicon.ts";
import { createUnitReader, type Units } from "./word-table.ts";

/** A file to be indexed. */
type IndexedFile = {
  /** The number of this version of the file in the store. */
  readonly id: number;
  readonly path: string;
  readonly text: string;
  readonly chunks: readonly Chunk[];
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
let sharedLexicon = createLexicon();
const readUnits = createUnitReader();
const MAX_LEXICON_WORDS = 400_000;

/** A builder without files. */
export function createSegmentBuilder(): SegmentBuilder {
  if (sharedLexicon.wordCount() > MAX_LEXICON_WORDS) sharedLexicon = createLexicon();
  const lexicon = sharedLexicon;
  const columns = emptyColumns();
  const postings = createPostings();
  const words = createCountTable();
  const terms = createCountTable();
  let textChars = 0;

  function add({ id, path, text, chunks }: IndexedFile): void {
    const definitions = findDefinitions(text);
    const units = readUnits(text);
    let fileTokens = 0;
    let next = 0;
    for (const chunk of chunks) {
      const first = next;
      while (next < definitions.length && (definitions[next]?.start ?? 0) < chunk.end) next++;
      fileTokens += addChunk(units, chunk, definitions.slice(first, next));
    }
    addPath(columns.fileIds.length, path);
    columns.fileIds.push(id);
    columns.paths.push(path);
    columns.fileTokens.push(fileTokens);
    columns.fileTraits.push(traitsOf(path));
    columns.fileFirstChunk.push(columns.chunkStart.length);
    textChars += text.length;
  }

  function addChunk(units: Units, chunk: Chunk, definitions: readonly Definition[]): number {
    const tokens = countTerms(units, chunk);
    for (const definition of definitions) markDefinition(units, definition);
    postTerms(columns.chunkStart.length);
    columns.chunkStart.push(chunk.start);
    columns.chunkEnd.push(chunk.end);
    columns.chunkStartLine.push(chunk.startLine);
    columns.chunkEndLine.push(chunk.endLine);
    columns.chunkTokens.push(tokens);
    return tokens;
  }

  function countTerms(units: Units, { start, end }: Chunk): number {
    const tokens = lexicon.scan(words, units, start, end);
    for (const word of words.numbers()) lexicon.count(terms, word, words.count(word));
    words.clear();
    return tokens;
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
    for (const term of findPathTerms(path.slice(0, path.length - name.length))) terms.add(pathTerm(term), 1);
    for (const term of findPathTerms(stemOf(name))) terms.mark(pathTerm(term), 1);
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
    finish: () => encodeSegment(columns, lexicon.terms(), postings.view()),
  };
}

/** The terms of a path, or of a part of one. */
function findPathTerms(path: string): string[] {
  return (path.match(/[\p{L}\p{M}\p{N}_$]+/gu) ?? []).flatMap(findTerms);
}

/** The name of a file without its extension, which says nothing about the content. */
function stemOf(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}

function traitsOf(path: string): number {
  const stem = stemOf(basename(path));
  const terms = new Set(findPathTerms(stem));
  if (terms.size > 1) terms.delete(toPlainName(stem));
  return findFileRoles(path) | (Math.min(terms.size, 255) << STEM_TERMS_SHIFT);
}

function findDefinitions(text: string): Definition[] {
  const { count, starts, indents } = measureLines(text);
  const definitions: Definition[] = [];
  for (let line = 0; line < count; line++) {
    const indent = indents[line] ?? -1;
    if (indent === -1) continue;
    const definition = findDefinition(text, starts[line] ?? 0, starts[line + 1] ?? 0, indent);
    if (definition !== null) definitions.push(definition);
  }
  return definitions;
}

function emptyColumns(): SegmentColumns {
  return {
    fileIds: [],
    paths: [],
    fileTokens: [],
    fileTraits: [],
    fileFirstChunk: [0],
    chunkStart: [],
    chunkEnd: [],
    chunkStartLine: [],
    chunkEndLine: [],
    chunkTokens: [],
  };
}
