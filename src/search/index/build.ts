/** Builds a segment: the inverted index of some files, in memory, file by file. */
import { basename } from "node:path/posix";
import { type Chunk, measureLines } from "./chunk.ts";
import { type Definition, definitionIn } from "./definitions.ts";
import { createPostings, createTally } from "./growable.ts";
import { createLexicon, plainName, termsOfWord } from "./lexicon.ts";
import { rolesOf } from "./role.ts";
import { encodeSegment, mostOccurrences, type SegmentParts, stemTermsShift, termKinds } from "./segment.ts";
import { createUnits, type Units } from "./word-table.ts";

/** A file as the index takes it. */
export type IndexedFile = {
  /** The number of this version of the file in the store. */
  readonly id: number;
  readonly path: string;
  readonly text: string;
  readonly chunks: readonly Chunk[];
};

export type SegmentBuilder = {
  readonly fileCount: () => number;
  readonly textChars: () => number;
  add(file: IndexedFile): void;
  /** The finished segment as bytes; the builder is of no use after. */
  finish(): Uint8Array;
};

/** Segments are built one after the other from much the same words, so they share a lexicon until it is too large. */
let shared = createLexicon();
const unitsOf = createUnits();
const mostWords = 400_000;

/** A builder without files. */
export function createSegmentBuilder(): SegmentBuilder {
  if (shared.wordCount() > mostWords) shared = createLexicon();
  const lexicon = shared;
  const parts = emptyParts();
  const postings = createPostings();
  const words = createTally();
  const terms = createTally();
  let textChars = 0;

  function add({ id, path, text, chunks }: IndexedFile): void {
    const definitions = definitionsOf(text);
    const units = unitsOf(text);
    let fileTokens = 0;
    let next = 0;
    for (const chunk of chunks) {
      const first = next;
      while (next < definitions.length && (definitions[next]?.start ?? 0) < chunk.end) next++;
      fileTokens += addChunk(units, chunk, definitions.slice(first, next));
    }
    addPath(parts.fileIds.length, path);
    parts.fileIds.push(id);
    parts.paths.push(path);
    parts.fileTokens.push(fileTokens);
    parts.fileTraits.push(traitsOf(path));
    parts.fileFirstChunk.push(parts.chunkStart.length);
    textChars += text.length;
  }

  function addChunk(units: Units, chunk: Chunk, definitions: readonly Definition[]): number {
    const tokens = countTerms(units, chunk);
    for (const defined of definitions) markDefined(units, defined);
    postTerms(parts.chunkStart.length);
    parts.chunkStart.push(chunk.start);
    parts.chunkEnd.push(chunk.end);
    parts.chunkStartLine.push(chunk.startLine);
    parts.chunkEndLine.push(chunk.endLine);
    parts.chunkTokens.push(tokens);
    return tokens;
  }

  function countTerms(units: Units, { start, end }: Chunk): number {
    const tokens = lexicon.scan(words, units, start, end);
    for (const word of words.touched()) lexicon.count(terms, word, words.count(word));
    words.clear();
    return tokens;
  }

  function markDefined(units: Units, { start, end, rank }: Definition): void {
    lexicon.mark(terms, units, start, end, rank);
    const whole = lexicon.nameTerm(termKinds.definition, units, start, end);
    terms.add(whole, 1);
    terms.mark(whole, rank);
  }

  /** Words of the folders are counted; those of the file's own name are marked as well. */
  function addPath(file: number, path: string): void {
    const name = basename(path);
    const pathTerm = (term: string) => lexicon.term(termKinds.path + term);
    for (const term of pathTerms(path.slice(0, path.length - name.length))) terms.add(pathTerm(term), 1);
    for (const term of pathTerms(stemOf(name))) terms.mark(pathTerm(term), 1);
    postTerms(file);
  }

  function postTerms(place: number): void {
    const touched = terms.touched();
    postings.reserve(touched.length);
    for (const term of touched) {
      postings.push(term, place, Math.min(terms.count(term), mostOccurrences) | (terms.rank(term) << 6));
    }
    terms.clear();
  }

  return {
    fileCount: () => parts.fileIds.length,
    textChars: () => textChars,
    add,
    finish: () => encodeSegment(parts, lexicon.terms(), postings.view()),
  };
}

/** The terms of a path or a part of one. */
export function pathTerms(path: string): string[] {
  return (path.match(/[\p{L}\p{M}\p{N}_$]+/gu) ?? []).flatMap(termsOfWord);
}

/** The name of a file without its ending, which says how it is written and not what is in it. */
function stemOf(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}

function traitsOf(path: string): number {
  const stem = stemOf(basename(path));
  const terms = new Set(pathTerms(stem));
  const whole = plainName(stem);
  if (terms.size > 1) terms.delete(whole);
  return rolesOf(path) | (Math.min(terms.size, 255) << stemTermsShift);
}

function definitionsOf(text: string): Definition[] {
  const { count, starts, indents } = measureLines(text);
  const found: Definition[] = [];
  for (let line = 0; line < count; line++) {
    const indent = indents[line] ?? -1;
    if (indent === -1) continue;
    const defined = definitionIn(text, starts[line] ?? 0, starts[line + 1] ?? 0, indent);
    if (defined !== null) found.push(defined);
  }
  return found;
}

function emptyParts(): SegmentParts {
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
