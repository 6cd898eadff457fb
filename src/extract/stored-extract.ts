/** The stored extract of one blob: its segments, joined into one text that can be read at any offset without parsing. */
import { createHash } from "node:crypto";
import { extractsKey } from "../artifacts/keys.ts";
import { type Objects, readObject } from "../artifacts/objects.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { SpillwayError } from "../errors.ts";
import { countLines } from "../fit/measure.ts";
import type { Failure, Handler, HandlerOptions, Info, Segment, TextTotal } from "./handler.ts";

/** A segment at its place in the joined text. */
export type PlacedSegment = {
  readonly segment: Segment;
  /** The segment's text with the blank line that separates it from the one before. */
  readonly text: string;
  /** Characters before `text`, and the number of the line it begins in, from 1. */
  readonly offset: number;
  readonly line: number;
  /** Where the segment's own text begins, after that blank line. */
  readonly start: number;
};

/** How much was extracted. Characters and line ends are those of the joined text; only complete pages count. */
export type ExtractSize = {
  readonly segments: number;
  readonly pages: number;
  readonly chars: number;
  readonly lineEnds: number;
};

/** A number of characters, or of line ends, before the wanted place. */
type Position = { readonly chars: number } | { readonly lineEnds: number };

export type StoredExtract = {
  readonly size: ExtractSize;
  /** Set once there is nothing more to extract. */
  readonly ended: { readonly failed: Failure | null } | null;
  /** Set where the time for one call was used up: how to read on. Never stored. */
  readonly paused?: string;
  readonly info: Info;
  /** The files that hold it. */
  readonly files: readonly ExtractFile[];
  /** All segments in order. */
  segments(): AsyncGenerator<PlacedSegment>;
  /** The segments from the first one on that reaches past this position. */
  segmentsFrom(position: Position): AsyncGenerator<PlacedSegment>;
};

/** One file of the extract. Its key contains where it starts and ends, so that a listing is an index. */
export type ExtractFile = {
  readonly key: string;
  readonly start: ExtractSize;
  readonly end: ExtractSize;
  readonly last: boolean;
};

/** What one file holds. */
export type FileContent = {
  readonly info: Info;
  readonly segments: readonly Segment[];
  readonly failed: Failure | null;
};

/** Nothing extracted. */
export const emptySize: ExtractSize = { segments: 0, pages: 0, chars: 0, lineEnds: 0 };

/** What the text of an artifact depends on beside its bytes. */
type KeyOptions = Pick<HandlerOptions, "mode"> & {
  readonly links?: HandlerOptions["links"] | undefined;
  readonly owner: string;
  readonly ocr?: HandlerOptions["ocr"] | undefined;
  readonly showsLocation?: boolean | undefined;
};

/** The key prefix names everything the text depends on (bytes, handler and version, mode, links, claims), and its owner. */
export function makeExtractPrefix(
  { name, version }: Pick<Handler, "name" | "version">,
  facts: Pick<ArtifactFacts, "sha256" | "content_kind" | "media_type" | "charset" | "source_url" | "final_url">,
  { mode, links = "inline", owner, ocr, showsLocation = false }: KeyOptions,
): string {
  const { sha256, media_type, charset } = facts;
  const style = links === "inline" ? mode : `${mode} ${links}`;
  const pictureKeys = [...toOcrKey(ocr), ...(showsLocation ? ["location"] : [])];
  const options = createHash("sha256")
    .update(JSON.stringify([style, media_type, charset, findLinkBase(facts), owner, ...pictureKeys]))
    .digest("hex");
  return `${extractsKey(sha256)}${name}-${version}-${options.slice(0, 12)}.`;
}

/** What the text of pictures depends on; nothing where OCR is off. */
function toOcrKey(ocr: HandlerOptions["ocr"] | undefined): unknown[] {
  if (ocr === undefined) return [];
  return "missingPackages" in ocr ? [ocr] : [ocr.languages, ocr.pageCpuMs];
}

/** The URL that links in a web page are relative to; null for other kinds and for pages without a URL. */
export function findLinkBase(facts: Pick<ArtifactFacts, "content_kind" | "source_url" | "final_url">): string | null {
  const { content_kind, final_url, source_url } = facts;
  const url = final_url ?? source_url;
  return content_kind === "html" && /^https?:/i.test(url) ? url : null;
}

/** Opens what is stored under a prefix; an extract of size 0 where nothing is. */
export async function openExtract(objects: Objects, prefix: string): Promise<StoredExtract> {
  const objectList = await Array.fromAsync(objects.list(prefix));
  const files = findLongestChain(objectList.map(({ key, sizeBytes }) => parseKey(key, sizeBytes)));
  const last = files.at(-1);
  return assembleExtract(objects, files, last && (await readFileContent(objects, last)));
}

/** The extract that these files make up; `content` is that of the last one. */
export function assembleExtract(
  objects: Objects,
  files: readonly ExtractFile[],
  content: FileContent | undefined,
): StoredExtract {
  const last = files.at(-1);
  // For most sources the last file is the only one.
  const read = async (file: ExtractFile) => (file === last && content ? content : readFileContent(objects, file));
  return {
    size: last?.end ?? emptySize,
    ended: last?.last && content ? { failed: content.failed } : null,
    info: content?.info ?? {},
    files,
    segments: () => segmentsFrom(files, read, { chars: -1 }),
    segmentsFrom: (position) => segmentsFrom(files, read, position),
  };
}

/** Appends segments that follow what is stored; the file's end is the new size of the extract. */
export async function appendFile(
  objects: Objects,
  prefix: string,
  start: ExtractSize,
  { last, ...content }: FileContent & { readonly last: boolean },
): Promise<ExtractFile> {
  const end = content.segments.reduce(addSegment, start);
  const bytes = formatContent(content);
  const key = `${prefix}${formatKey({ start, end, last }, bytes.length)}`;
  await objects.put(key, bytes, { durable: false, isLengthInKey: true });
  return { key, start, end, last };
}

/** One line of JSON without the texts, then the texts: as JSON strings they would take several times as long. */
function formatContent({ info, failed, segments }: FileContent): Buffer {
  const outlines = segments.map(({ text, ...outline }) => ({ ...outline, chars: text.length }));
  // Not joined as text first: the copy of a long text costs more than encoding it.
  const parts = [`${JSON.stringify({ info, failed, segments: outlines })}\n`, ...segments.map(({ text }) => text)];
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let offset = 0;
  for (const part of parts) offset += bytes.write(part, offset);
  return bytes;
}

type SegmentOutline = Omit<Segment, "text"> & { readonly chars: number };

/** Undefined for a damaged file. Earlier versions wrote everything as one line of JSON. */
function parseContent(written: string): FileContent | undefined {
  const headEnd = written.indexOf("\n");
  const head = JSON.parse(headEnd < 0 ? written : written.slice(0, headEnd));
  if (!Array.isArray(head.segments)) return undefined;
  return headEnd < 0 ? head : addTexts(head, written, headEnd + 1);
}

function addTexts(
  head: Omit<FileContent, "segments"> & { readonly segments: readonly SegmentOutline[] },
  written: string,
  textsStart: number,
): FileContent | undefined {
  let start = textsStart;
  const segments = head.segments.map(({ chars, ...outline }) => {
    const text = written.slice(start, start + chars);
    start += chars;
    return { ...outline, text };
  });
  return start === written.length ? { ...head, segments } : undefined;
}

/** The size of an extract with one more segment. */
export function addSegment(before: ExtractSize, segment: Segment): ExtractSize {
  const breakChars = breakBefore(segment).length;
  return {
    segments: segment.index + 1,
    pages: before.pages + (segment.isContinued ? 0 : 1),
    chars: before.chars + breakChars + segment.text.length,
    // A break is nothing but line ends.
    lineEnds: before.lineEnds + breakChars + countLineEnds(segment),
  };
}

/** Counted once for each segment: storing, placing and showing it all ask, and a text may be long. */
function countLineEnds(segment: Segment): number {
  const lineEnds = countedLineEnds.get(segment) ?? countLines(segment.text) - 1;
  countedLineEnds.set(segment, lineEnds);
  return lineEnds;
}

const countedLineEnds = new WeakMap<Segment, number>();

/** The length of a text of this size; every line end closes a line, and text after the last one is a line too. */
export function toTotal({ chars, lineEnds }: ExtractSize, lastText: string): TextTotal {
  return { chars, lines: chars === 0 || lastText.endsWith("\n") ? lineEnds : lineEnds + 1 };
}

/** Pages, sheets and slides are separated by a blank line; segments of kind `whole` follow each other directly. */
function breakBefore({ kind, index }: Segment): "" | "\n\n" {
  return kind === "whole" || index === 0 ? "" : "\n\n";
}

async function* segmentsFrom(
  files: readonly ExtractFile[],
  read: (file: ExtractFile) => Promise<FileContent>,
  position: Position,
): AsyncGenerator<PlacedSegment> {
  for (const file of files.filter(({ end }) => reaches(end, position))) {
    const content = await read(file);
    let start = file.start;
    for (const segment of content.segments) {
      const end = addSegment(start, segment);
      if (reaches(end, position)) yield placeSegment(segment, start);
      start = end;
    }
  }
}

function placeSegment(segment: Segment, { chars, lineEnds }: ExtractSize): PlacedSegment {
  const before = breakBefore(segment);
  return { segment, text: before + segment.text, offset: chars, line: lineEnds + 1, start: chars + before.length };
}

function reaches(end: ExtractSize, position: Position): boolean {
  return "chars" in position ? end.chars > position.chars : end.lineEnds >= position.lineEnds;
}

/** The content of one file; a damaged one is deleted. */
export async function readFileContent(objects: Objects, { key }: Pick<ExtractFile, "key">): Promise<FileContent> {
  const bytes = await readObject(objects, key);
  try {
    const content = parseContent(bytes?.toString("utf8") ?? "");
    if (content !== undefined) return content;
  } catch {
    // A file that cannot be parsed is treated like one of another shape.
  }
  // Without this file the extract ends before it, and the next read extracts from there again.
  await objects.delete(key);
  throw new SpillwayError("artifact_damaged", "A part of the stored text was damaged and has been deleted.", {
    hint: "Call again: the text is extracted again.",
  });
}

/**
 * Several processes may have stored overlapping files, each unaware of the others. Of the unbroken chains of files the
 * one that reaches furthest counts. Going through the keys backwards, what may follow a file is known before it.
 */
function findLongestChain(files: readonly (ExtractFile | undefined)[]): ExtractFile[] {
  const best = new Map<string, Chain>();
  for (const file of files.toReversed()) {
    if (file === undefined) continue;
    const next = file.last ? undefined : best.get(formatSize(file.end));
    const chain = { file, next, end: next?.end ?? file.end, last: next?.last ?? file.last };
    const knownChain = best.get(formatSize(file.start));
    if (knownChain === undefined || reachesFurther(chain, knownChain)) best.set(formatSize(file.start), chain);
  }
  const chained: ExtractFile[] = [];
  for (let link = best.get(formatSize(emptySize)); link; link = link.next) chained.push(link.file);
  return chained;
}

/** A file and the best of what follows it; `end` and `last` are those of the whole chain. */
type Chain = {
  readonly file: ExtractFile;
  readonly next: Chain | undefined;
  readonly end: ExtractSize;
  readonly last: boolean;
};

function reachesFurther(one: Chain, other: Chain): boolean {
  if (one.end.segments !== other.end.segments) return one.end.segments > other.end.segments;
  return one.last && !other.last;
}

const formatSize = (size: ExtractSize): string => listCounts(size).join("-");

const listCounts = (size: ExtractSize): number[] => [size.segments, size.pages, size.chars, size.lineEnds];

function formatKey({ start, end, last }: Omit<ExtractFile, "key">, sizeBytes: number): string {
  const numbers = [...listCounts(start), ...listCounts(end), sizeBytes].map((count) => String(count).padStart(10, "0"));
  return `${numbers.join("-")}-${last ? "end" : "more"}`;
}

/** A file shorter than its key says was cut by a power loss and does not count. */
function parseKey(key: string, sizeBytes: number): ExtractFile | undefined {
  const match = /(\d+(?:-\d+){8})-(end|more)$/.exec(key);
  const counts = match?.[1]?.split("-").map(Number) ?? [];
  if (counts.at(-1) !== sizeBytes) return undefined;
  return { key, start: toSize(counts.slice(0, 4)), end: toSize(counts.slice(4, 8)), last: match?.[2] === "end" };
}

const toSize = ([segments = 0, pages = 0, chars = 0, lineEnds = 0]: readonly number[]): ExtractSize => ({
  segments,
  pages,
  chars,
  lineEnds,
});
