/** Reads presentations before PowerPoint 2007. https://learn.microsoft.com/openspecs/office_file_formats/ms-ppt */
import { u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { cleanText } from "../clean.ts";
import { openCompoundFile } from "../compound-file/open-compound-file.ts";
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, HandlerOptions } from "../handler.ts";
import type { OfficeFacts } from "../office/describe-office.ts";
import { findAll, findFirst, listRecords, type PptRecord } from "./ppt-records.ts";
import { readSummary } from "./summary.ts";

/** Numbers of record types. */
const types = {
  document: 1000,
  slide: 1006,
  slideAtom: 1007,
  notes: 1008,
  slidePersist: 1011,
  slideList: 4080,
  textHeader: 3999,
  textChars: 4000,
  textBytes: 4008,
  userEdit: 4085,
  persistDirectory: 6002,
} as const;

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_SLIDES = 20_000;
const MAX_EDITS = 1_000;
const ENCRYPTED_TOKEN = 0xf3d1c4df;

/** Facts, then a segment for each slide. */
export async function* readPpt(body: Body, { from }: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  const compound = await openCompoundFile(body);
  const main = compound.find("PowerPoint Document");
  if (main === undefined) throw new FailureError("corrupt", "the file has no presentation in it");
  const user = compound.find("Current User");
  const current = user === undefined ? new Uint8Array() : await compound.read(user, 0, 64);
  if (u32le(current, 12) === ENCRYPTED_TOKEN)
    throw new FailureError("encrypted", "the presentation is encrypted, and old presentations are not decrypted");
  const bytes = await compound.read(main, 0, MAX_BYTES);
  const slides = listSlides(bytes, u32le(current, 16));
  if (slides.length === 0) throw new FailureError("no_text", "the presentation has no slides");
  yield { info: { ...(await readSummary(compound)), pageName: "slide", pageCount: slides.length } };
  for (const [index, slide] of slides.entries()) if (index >= from) yield toItem(slide, index);
}

type Slide = { readonly title: string; readonly texts: readonly string[]; readonly notes: readonly string[] };

/** The slides that the document lists or, if it is damaged, all that there are. */
function listSlides(bytes: Uint8Array, editAt: number): Slide[] {
  const persisted = readPersisted(bytes, editAt);
  const document = recordAt(bytes, persisted.get(persisted.get(-1) ?? -1), types.document);
  const lists = document === undefined ? [] : findAll(document, types.slideList);
  const [slideList, , notesList] = [0, 1, 2].map((kind) => lists.find(({ instance }) => instance === kind));
  if (slideList === undefined) return scanSlides(bytes);
  const notesById = listPersists(notesList);
  const slides = listPersists(slideList).map(({ persistId, texts }) => {
    const slide = recordAt(bytes, persisted.get(persistId), types.slide);
    const notesId = slide === undefined ? 0 : u32le(findFirst(slide, types.slideAtom)?.data ?? new Uint8Array(), 16);
    const place = notesById.find(({ slideId }) => slideId === notesId && notesId !== 0);
    const notes = place === undefined ? undefined : recordAt(bytes, persisted.get(place.persistId), types.notes);
    return toSlide([...texts, ...(slide === undefined ? [] : readTexts(slide))], notes);
  });
  return slides.length > 0 ? slides : scanSlides(bytes);
}

/** Offsets of objects by id, newest first; -1 leads to the id of the document. */
function readPersisted(bytes: Uint8Array, editAt: number): Map<number, number> {
  const persisted = new Map<number, number>();
  const seen = new Set<number>();
  for (let at = editAt; at > 0 && !seen.has(at) && seen.size < MAX_EDITS; ) {
    seen.add(at);
    const edit = recordAt(bytes, at, types.userEdit);
    if (edit === undefined) break;
    if (!persisted.has(-1)) persisted.set(-1, u32le(edit.data, 16));
    const directory = recordAt(bytes, u32le(edit.data, 12), types.persistDirectory);
    if (directory) addDirectory(directory.data, persisted);
    at = u32le(edit.data, 8);
  }
  return persisted;
}

/** Runs of ids: the first id and their number in one word, then the offsets. */
function addDirectory(data: Uint8Array, persisted: Map<number, number>): void {
  for (let at = 0; at + 4 <= data.length; ) {
    const word = u32le(data, at);
    const [first, count] = [word & 0xfffff, word >>> 20];
    for (let index = 0; index < count && at + 8 + index * 4 <= data.length; index++) {
      const id = first + index;
      if (!persisted.has(id)) persisted.set(id, u32le(data, at + 4 + index * 4));
    }
    at += 4 + count * 4;
  }
}

function recordAt(bytes: Uint8Array, at: number | undefined, type: number): PptRecord | undefined {
  if (at === undefined || at + 8 > bytes.length) return undefined;
  const [record] = listRecords(bytes.subarray(at), 1);
  return record?.type === type ? record : undefined;
}

type Text = { readonly isTitle: boolean; readonly text: string };
type Persist = { readonly persistId: number; readonly slideId: number; readonly texts: readonly Text[] };

/** Each slide of a list, with the outline that follows it. */
function listPersists(list: PptRecord | undefined): Persist[] {
  const persists: (Persist & { records: PptRecord[] })[] = [];
  for (const record of list?.children() ?? []) {
    if (record.type !== types.slidePersist) persists.at(-1)?.records.push(record);
    else if (persists.length < MAX_SLIDES)
      persists.push({ persistId: u32le(record.data, 0), slideId: u32le(record.data, 12), texts: [], records: [] });
  }
  return persists.map(({ records, ...persist }) => ({ ...persist, texts: toTexts(records) }));
}

/** All slides in the order in which they are stored. */
function scanSlides(bytes: Uint8Array): Slide[] {
  return listRecords(bytes, MAX_SLIDES * 10)
    .filter(({ type }) => type === types.slide)
    .slice(0, MAX_SLIDES)
    .map((slide) => toSlide(readTexts(slide), undefined));
}

const readTexts = (container: PptRecord): Text[] =>
  toTexts(findAll(container, types.textHeader, types.textChars, types.textBytes));

/** Texts with the header that says what they are. */
function toTexts(records: readonly PptRecord[]): Text[] {
  const texts: Text[] = [];
  let kind = OTHER_TEXT;
  for (const { type, data } of records) {
    if (type === types.textHeader) kind = u32le(data, 0);
    if (type !== types.textChars && type !== types.textBytes) continue;
    const text = new TextDecoder(type === types.textChars ? "utf-16le" : "latin1").decode(data);
    texts.push({ isTitle: kind === TITLE || kind === CENTERED_TITLE, text: tidy(text) });
  }
  return texts.filter(({ text }) => text !== "");
}

const TITLE = 0;
const OTHER_TEXT = 4;
const CENTERED_TITLE = 6;

/** Paragraphs end in a carriage return, lines in a vertical tab. A star is where a number or date is inserted. */
function tidy(text: string): string {
  const lines = text.split(/[\r\u000b\n]/).map((line) => line.trim());
  return lines.filter((line) => line !== "" && line !== "*").join("\n");
}

function toSlide(texts: readonly Text[], notes: PptRecord | undefined): Slide {
  const title = texts.find(({ isTitle }) => isTitle)?.text.replaceAll("\n", " ") ?? "";
  const rest = texts.filter(({ text }) => text.replaceAll("\n", " ") !== title).map(({ text }) => text);
  return {
    title,
    texts: [...new Set(rest)],
    notes: notes === undefined ? [] : readTexts(notes).map(({ text }) => text),
  };
}

function toItem({ title, texts, notes }: Slide, index: number): ExtractItem<OfficeFacts> {
  const heading = cleanText(`Slide ${index + 1}${title === "" ? "" : `: ${title}`}`).text;
  const blocks = [`## ${heading}`, ...texts, ...(notes.length === 0 ? [] : [`Notes: ${notes.join("\n")}`])];
  const { text } = cleanText(blocks.join("\n\n"));
  const marks = [{ label: heading, level: 2, at: 0 }];
  const segment = { index, kind: "slide", label: `slide ${index + 1}`, text, marks } as const;
  return { segment, note: { verdict: "read" } };
}
