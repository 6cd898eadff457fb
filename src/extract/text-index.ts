/** The extract of a very long text: an index of its parts, made in one pass; their text is read in place. */
import { isAscii } from "node:buffer";
import { open } from "node:fs/promises";
import type { Content } from "../acquire/spool.ts";
import { type Objects, readObject } from "../artifacts/objects.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { hasControlByte } from "../detect/text/control-bytes.ts";
import { countLines } from "../fit/measure.ts";
import { cleanText } from "./clean.ts";
import type { Handler, Segment } from "./handler.ts";
import type { PlacedSegment, StoredExtract } from "./stored-extract.ts";

export type IndexedText = {
  readonly objects: Objects;
  readonly facts: Pick<ArtifactFacts, "size_bytes" | "charset" | "media_type">;
  readonly content: Content;
  readonly handler: Pick<Handler, "name">;
  readonly signal: AbortSignal;
};

/** A part ends after the last line end within this many bytes, or, in a longer line, between two characters. */
const PART_BYTES = 256 * 1024;

/** Charsets in which the byte of a line end is never part of another character. */
const lineSafeCharset = /^(utf-8|us-ascii|windows-\d+|iso-8859-\d+)$/i;

/** Whether a long source is a text that can be read in place. Headings of Markdown need the stored form. */
export function isIndexedText({ facts, content, handler }: IndexedText): boolean {
  const { charset, media_type } = facts;
  const isPlain = handler.name === "text" && media_type !== "text/markdown";
  return isPlain && "path" in content && lineSafeCharset.test(charset ?? "utf-8");
}

/** Where a part ends: in the bytes, in the text, and in its lines. */
type PartEnd = readonly [byte: number, chars: number, lineEnds: number];

/** The whole text. The first call reads it once; later ones read only the parts that they need. */
export async function openTextIndex(text: IndexedText, prefix: string): Promise<StoredExtract> {
  const key = `${prefix}index`;
  const ends = (await readIndex(text, key)) ?? (await buildIndex(text, key));
  const [, chars = 0, lineEnds = 0] = ends.at(-1) ?? [];
  const from = (first: number) => readParts(text, ends, first);
  return {
    size: { segments: ends.length, pages: 0, chars, lineEnds },
    ended: { failed: null },
    info: {},
    files: [],
    segments: () => from(0),
    segmentsFrom: (position) => from(findPart(ends, position)),
  };
}

async function readIndex({ objects, facts }: IndexedText, key: string): Promise<PartEnd[] | undefined> {
  const json = await readObject(objects, key);
  try {
    const ends = JSON.parse(json?.toString("utf8") ?? "") as PartEnd[];
    return ends.at(-1)?.[0] === facts.size_bytes ? ends : undefined;
  } catch {
    return undefined; // It is built again.
  }
}

async function buildIndex(text: IndexedText, key: string): Promise<PartEnd[]> {
  const ends: PartEnd[] = [];
  let [byte, chars, lineEnds] = [0, 0, 0];
  for await (const bytes of splitParts(text)) {
    const counts = countPart(bytes, text.facts.charset);
    byte += bytes.length;
    chars += counts.chars;
    lineEnds += counts.lineEnds;
    ends.push([byte, chars, lineEnds]);
  }
  await text.objects.put(key, Buffer.from(JSON.stringify(ends)), { durable: false });
  return ends;
}

/** The parts in order, all in one buffer: each is valid until the next one is asked for. */
async function* splitParts({ content, facts, signal }: IndexedText): AsyncGenerator<Uint8Array> {
  await using file = await openFile(content);
  const buffer = Buffer.allocUnsafe(PART_BYTES + 1);
  for (let position = 0; position < facts.size_bytes; ) {
    signal.throwIfAborted();
    const wanted = Math.min(buffer.length, facts.size_bytes - position);
    const { bytesRead } = await file.read(buffer, 0, wanted, position);
    if (bytesRead === 0) return;
    const bytes = buffer.subarray(0, bytesRead);
    const end = position + bytesRead === facts.size_bytes ? bytesRead : findCut(bytes);
    yield bytes.subarray(0, end);
    position += end;
  }
}

const LINE_END = 0x0a;

function findCut(bytes: Uint8Array): number {
  const maxEnd = bytes.length - 1;
  const lineEnd = bytes.lastIndexOf(LINE_END, maxEnd - 1) + 1;
  if (lineEnd > maxEnd / 2) return lineEnd;
  // A byte 10xxxxxx continues a character of UTF-8; in a charset of one byte the cut is then a little earlier.
  let end = maxEnd;
  while (end > maxEnd - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return Math.max(1, end);
}

/**
 * The characters and line ends of a part. One that has neither a character of several bytes nor a control character is
 * not made a string: a gigabyte of short-lived strings takes 30 MB until they are collected, and twice the time.
 */
function countPart(bytes: Uint8Array, charset: string | null): { readonly chars: number; readonly lineEnds: number } {
  if (isAscii(bytes) && !hasControlByte(bytes) && !bytes.includes(CARRIAGE_RETURN)) {
    return { chars: bytes.length, lineEnds: countLineEnds(bytes) };
  }
  const part = decodePart(bytes, charset);
  return { chars: part.length, lineEnds: countLines(part) - 1 };
}

const CARRIAGE_RETURN = 0x0d;

function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === LINE_END) count += 1;
  return count;
}

/** Each part is decoded and cleaned alone, so that it is the same text whenever it is read. */
function decodePart(bytes: Uint8Array, charset: string | null): string {
  return cleanText(new TextDecoder(charset ?? "utf-8").decode(bytes)).text;
}

function openFile(content: Content) {
  if (!("path" in content)) throw new TypeError("A text in memory has no index.");
  return open(content.path);
}

/** The first part that reaches past a number of characters, or that has this line end or more before its end. */
function findPart(
  ends: readonly PartEnd[],
  position: { readonly chars: number } | { readonly lineEnds: number },
): number {
  const reaches = ([, chars, lineEnds]: PartEnd) =>
    "chars" in position ? chars > position.chars : lineEnds >= position.lineEnds;
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const end = ends[middle];
    if (end !== undefined && reaches(end)) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function* readParts(
  { content, facts, signal }: IndexedText,
  ends: readonly PartEnd[],
  first: number,
): AsyncGenerator<PlacedSegment> {
  const buffer = Buffer.allocUnsafe(PART_BYTES + 1);
  for (let index = first; index < ends.length; index++) {
    signal.throwIfAborted();
    const [start, chars, lineEnds] = ends[index - 1] ?? [0, 0, 0];
    const end = ends[index]?.[0] ?? start;
    const text = decodePart(await readPart(content, buffer, start, end), facts.charset);
    const segment: Segment = { index, label: `part ${index + 1}`, kind: "whole", text, marks: [] };
    yield { segment, text, offset: chars, line: lineEnds + 1, start: chars };
  }
}

/** Opened for each part: a reader that stops early would leave the file open. */
async function readPart(content: Content, buffer: Buffer, start: number, end: number): Promise<Uint8Array> {
  await using file = await openFile(content);
  const { bytesRead } = await file.read(buffer, 0, end - start, start);
  return buffer.subarray(0, bytesRead);
}
