/** The stored extract of one blob: its segments joined into one text that any place of can be read without parsing. */
import { createHash } from "node:crypto";
import { extractsKey } from "../artifacts/keys.ts";
import { type Objects, readObject } from "../artifacts/objects.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { SpillwayError } from "../errors.ts";
import { countLines } from "../fit/measure.ts";
import type { Failure, Handler, Info, Mode, Segment } from "./handler.ts";

/** A segment where it stands in the joined text. */
export type Placed = {
  readonly segment: Segment;
  /** The segment's text with the blank line that parts it from the one before. */
  readonly text: string;
  /** Characters before `text`, and the number of the line it begins in, from 1. */
  readonly offset: number;
  readonly line: number;
  /** Where the segment's own text begins, after that blank line. */
  readonly start: number;
};

/** How far the extract goes. Counts are over the joined text. */
export type Extent = { readonly segments: number; readonly chars: number; readonly lineEnds: number };

type Position = { readonly chars: number } | { readonly lineEnds: number };

export type StoredExtract = {
  readonly extent: Extent;
  /** Set once there is nothing more to extract. */
  readonly ended: { readonly failed: Failure | null } | null;
  readonly info: Info;
  /** The files it lies in. */
  readonly parts: readonly Part[];
  /** All segments in order. */
  all(): AsyncGenerator<Placed>;
  /** The segments from the one on that reaches past this many characters or holds this many line ends. */
  from(at: Position): AsyncGenerator<Placed>;
};

/** One file of the extract; its key tells its extent, so that a listing is an index. */
export type Part = {
  readonly key: string;
  readonly start: Extent;
  readonly end: Extent;
  readonly last: boolean;
};

export type PartContent = {
  readonly info: Info;
  readonly segments: readonly Segment[];
  readonly failed: Failure | null;
};

const nothing: Extent = { segments: 0, chars: 0, lineEnds: 0 };

/** Everything the text depends on is in the prefix: the bytes, the handler and its version, the mode and the claims. */
export function extractPrefixOf(
  { name, version }: Pick<Handler, "name" | "version">,
  facts: Pick<ArtifactFacts, "sha256" | "content_kind" | "media_type" | "charset" | "source_url" | "final_url">,
  mode: Mode,
): string {
  const { sha256, media_type, charset } = facts;
  const options = createHash("sha256")
    .update(JSON.stringify([mode, media_type, charset, linkBaseOf(facts)]))
    .digest("hex");
  return `${extractsKey(sha256)}${name}-${version}-${options.slice(0, 12)}.`;
}

/** The address that links in a web page are relative to; null for what has no links or came from no address. */
export function linkBaseOf(facts: Pick<ArtifactFacts, "content_kind" | "source_url" | "final_url">): string | null {
  const { content_kind, final_url, source_url } = facts;
  const url = final_url ?? source_url;
  return content_kind === "html" && /^https?:/i.test(url) ? url : null;
}

export async function openExtract(objects: Objects, prefix: string): Promise<StoredExtract> {
  const listed = await Array.fromAsync(objects.list(prefix));
  const parts = chain(listed.map(({ key, sizeBytes }) => parseKey(key, sizeBytes)));
  const last = parts.at(-1);
  return extractIn(objects, parts, last && (await readPart(objects, last)));
}

/** The extract that these parts make up; the content of the last one is at hand. */
export function extractIn(objects: Objects, parts: readonly Part[], content: PartContent | undefined): StoredExtract {
  const last = parts.at(-1);
  // For most sources the last part is the only one.
  const read = async (part: Part) => (part === last && content ? content : readPart(objects, part));
  return {
    extent: last?.end ?? nothing,
    ended: last?.last && content ? { failed: content.failed } : null,
    info: content?.info ?? {},
    parts,
    all: () => segmentsFrom(parts, read, { chars: -1 }),
    from: (at) => segmentsFrom(parts, read, at),
  };
}

/** Appends segments that follow what is stored; the part's end is how far the extract goes now. */
export async function appendPart(
  objects: Objects,
  prefix: string,
  start: Extent,
  { last, ...content }: PartContent & { readonly last: boolean },
): Promise<Part> {
  const end = content.segments.reduce(advance, start);
  const json = Buffer.from(JSON.stringify(content));
  const key = `${prefix}${formatKey({ start, end, last }, json.length)}`;
  await objects.put(key, json, { durable: false });
  return { key, start, end, last };
}

export function advance(before: Extent, segment: Segment): Extent {
  const text = joinedText(segment);
  return {
    segments: segment.index + 1,
    chars: before.chars + text.length,
    lineEnds: before.lineEnds + countLines(text) - 1,
  };
}

/** Pages, sheets and slides are parted by a blank line; pieces of one whole follow each other directly. */
function joinedText(segment: Segment): string {
  return segment.kind === "whole" || segment.index === 0 ? segment.text : `\n\n${segment.text}`;
}

async function* segmentsFrom(
  parts: readonly Part[],
  read: (part: Part) => Promise<PartContent>,
  at: Position,
): AsyncGenerator<Placed> {
  for (const part of parts.filter(({ end }) => reaches(end, at))) {
    const content = await read(part);
    let start = part.start;
    for (const segment of content.segments) {
      const end = advance(start, segment);
      if (reaches(end, at)) yield place(segment, start);
      start = end;
    }
  }
}

function place(segment: Segment, { chars, lineEnds }: Extent): Placed {
  const text = joinedText(segment);
  return { segment, text, offset: chars, line: lineEnds + 1, start: chars + text.length - segment.text.length };
}

function reaches(end: Extent, at: Position): boolean {
  return "chars" in at ? end.chars > at.chars : end.lineEnds >= at.lineEnds;
}

async function readPart(objects: Objects, { key }: Part): Promise<PartContent> {
  const json = await readObject(objects, key);
  try {
    const content = JSON.parse(json?.toString("utf8") ?? "") as PartContent;
    if (Array.isArray(content.segments)) return content;
  } catch {
    // What cannot be parsed is as bad as what has another shape.
  }
  // An extract can be made again: without this part it ends before it, and the next reading goes on from there.
  await objects.delete(key);
  throw new SpillwayError("artifact_damaged", "A part of the stored text was damaged and has been dropped.", {
    hint: "Repeat the call: the text is extracted again.",
  });
}

/**
 * Several processes may have stored overlapping parts, each unaware of the others. Of the unbroken chains of parts the
 * one that reaches furthest counts. Parts come in the order of their keys, so what may follow one is known before it.
 */
function chain(parts: readonly (Part | undefined)[]): Part[] {
  const best = new Map<string, Chain>();
  for (const part of parts.toReversed()) {
    if (part === undefined) continue;
    const next = part.last ? undefined : best.get(nameOf(part.end));
    const made = { part, next, end: next?.end ?? part.end, last: next?.last ?? part.last };
    const known = best.get(nameOf(part.start));
    if (known === undefined || reachesFurther(made, known)) best.set(nameOf(part.start), made);
  }
  const chained: Part[] = [];
  for (let link = best.get(nameOf(nothing)); link; link = link.next) chained.push(link.part);
  return chained;
}

/** A part and the best of what follows it; `end` and `last` are of the whole. */
type Chain = { readonly part: Part; readonly next: Chain | undefined; readonly end: Extent; readonly last: boolean };

function reachesFurther(one: Chain, other: Chain): boolean {
  if (one.end.segments !== other.end.segments) return one.end.segments > other.end.segments;
  return one.last && !other.last;
}

const nameOf = (extent: Extent): string => counts(extent).join("-");

const counts = (extent: Extent): number[] => [extent.segments, extent.chars, extent.lineEnds];

function formatKey({ start, end, last }: Omit<Part, "key">, sizeBytes: number): string {
  const numbers = [...counts(start), ...counts(end), sizeBytes].map((count) => String(count).padStart(10, "0"));
  return `${numbers.join("-")}-${last ? "end" : "more"}`;
}

/** A part shorter than its key says was cut by a power loss: then it is not there. */
function parseKey(key: string, sizeBytes: number): Part | undefined {
  const match = /(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(end|more)$/.exec(key);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, size] = match.slice(1, 8).map(Number);
  if (size !== sizeBytes) return undefined;
  return {
    key,
    start: { segments: a, chars: b, lineEnds: c },
    end: { segments: d, chars: e, lineEnds: f },
    last: match[8] === "end",
  };
}
