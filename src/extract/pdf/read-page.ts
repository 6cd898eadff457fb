/** Reads one page of an open PDF: its text, and how reliable it is. */
import { type LoadedPage, loadPage, type PageObjectCounts } from "./annotations.ts";
import {
  countDrawnChars,
  hasForeignSigns,
  isGuessed,
  isReadable,
  looksLikeProse,
  readAsGlyphNumbers,
} from "./garbled.ts";
import { type Box, type Glyphs, readGlyphs } from "./glyphs.ts";
import { findImageBoxes } from "./page-objects.ts";
import { writeLines } from "./page-text.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";
import { findRules } from "./structure/drawn-rules.ts";
import type { PageBookmark } from "./structure/headings.ts";
import type { PageLines } from "./structure/running-lines.ts";
import { noTags, readTags } from "./structure/tags.ts";
import { writeMarkdown } from "./structure/write-markdown.ts";
import { type Line, readTextLines } from "./text-lines.ts";
import { replaceUnknown } from "./unknown-glyphs.ts";

/** The text of a page and what limits its use. */
export type PageText = {
  readonly text: string;
  /** The fonts do not say which characters many of the glyphs are: another reader should confirm the text. */
  readonly guessed: boolean;
  /** What the replaced characters would be if the numbers of their glyphs were characters. */
  readonly unknown: string;
  /** No text, but an image: most likely a scan. */
  readonly imageOnly: boolean;
  /** Little or no text and an image over most of the page: a scan, perhaps with a stamp or a page number. */
  readonly isScan: boolean;
  /** This page cannot be read; others may be readable. */
  readonly damaged: boolean;
  /** Characters that a viewer does not show: drawn without ink, and not the recognised text of a scan. */
  readonly hiddenChars: number;
  /** Annotations that were skipped because there are too many. */
  readonly unreadAnnotations: number;
};

/** What is remembered between the pages of one document. */
export type PageMemory = {
  /** So that rereading a page gives the same. */
  readonly objectCounts: PageObjectCounts;
  /** The lines of the last pages, by index. */
  readonly recentLines: Map<number, PageLines>;
};

export type WantedPage = {
  /** Counted from 0. */
  readonly index: number;
  /** The bookmarks that lead to it, if its structure is wanted as Markdown. */
  readonly bookmarks?: readonly PageBookmark[];
  /** The pages before it must not be read. */
  readonly isFirst?: boolean;
};

/** The text of a page. */
export function readPage(pdfium: Pdfium, document: Pointer, wanted: WantedPage, memory: PageMemory): PageText {
  const loaded = loadPage(pdfium, document, wanted.index, memory.objectCounts);
  if (loaded === null) return damagedPage;
  try {
    return readLoadedPage(pdfium, document, loaded, wanted, memory);
  } finally {
    pdfium.call.FPDF_ClosePage(loaded.page);
  }
}

const damagedPage: PageText = {
  text: "",
  guessed: false,
  unknown: "",
  imageOnly: false,
  isScan: false,
  damaged: true,
  hiddenChars: 0,
  unreadAnnotations: 0,
};

function readLoadedPage(
  pdfium: Pdfium,
  document: Pointer,
  { page, owners, notes, unreadAnnotations }: LoadedPage,
  wanted: WantedPage,
  memory: PageMemory,
): PageText {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return damagedPage;
  try {
    const tags = wanted.bookmarks === undefined ? noTags : readTags(pdfium, page);
    const glyphs = replaceUnknown(readGlyphs(pdfium, textPage, { owners, blockByContent: tags.blockByContent }));
    const findImages = (): Box[] => findImageBoxes(pdfium, page);
    const view = readView(pdfium, page);
    const { bookmarks } = wanted;
    const lines = readTextLines(glyphs, view.box, view.upsideDownTurns);
    // The text of a page does not depend on the pages before it.
    if (bookmarks !== undefined) rememberLines(memory, wanted.index, { lines, box: view.box });
    const { text: pageText, guessed } = readText(glyphs, view, lines, () => {
      if (bookmarks === undefined) return writeLines(lines);
      const before = readLinesBefore(pdfium, document, wanted, memory);
      return writeMarkdown({ lines, box: view.box }, before, {
        tags: tags.blocks,
        bookmarks,
        rules: findRules(pdfium, page),
      });
    });
    const text = [...(pageText === "" ? [] : [pageText]), ...notes].join("\n\n");
    const imageOnly = text === "" && !guessed && findImages().length > 0;
    const isScan = text.length < MAX_STAMP_CHARS && !guessed && coversPage(findImages(), view.box);
    const hiddenChars = countHiddenChars(glyphs, view.box, findImages);
    const { unknown } = glyphs;
    return { text, guessed, unknown, imageOnly, isScan, damaged: false, hiddenChars, unreadAnnotations };
  } finally {
    pdfium.call.FPDFText_ClosePage(textPage);
  }
}

/** A stamp, a page number or the name of an archive has fewer. */
const MAX_STAMP_CHARS = 200;
const MIN_SCAN_SHARE = 0.5;

/** Whether images cover most of the page. Strips of one scan do not overlap, so their areas can be added. */
function coversPage(images: readonly Box[], page: Box): boolean {
  const areas = images.map((image) => {
    const width = Math.min(image.right, page.right) - Math.max(image.left, page.left);
    const height = Math.min(image.top, page.top) - Math.max(image.bottom, page.bottom);
    return Math.max(0, width) * Math.max(0, height);
  });
  const covered = areas.reduce((sum, area) => sum + area, 0);
  return covered > MIN_SCAN_SHARE * (page.right - page.left) * (page.top - page.bottom);
}

/**
 * Counts text without ink that a viewer of the page cannot see. Over an image it is the recognised text of a scan, and
 * without other text it represents drawn letters; both are visible.
 */
function countHiddenChars({ codes, invisible, boxes }: Glyphs, view: Box, findImages: () => readonly Box[]): number {
  if (!invisible.includes(1) || !invisible.includes(0)) return 0;
  const scans = findImages();
  const isHidden = (code: number, index: number): boolean =>
    invisible[index] === 1 &&
    code > 0x20 &&
    containsCenter(view, boxes, index) &&
    !scans.some((scan) => containsCenter(scan, boxes, index));
  return codes.reduce((sum, code, index) => (isHidden(code, index) ? sum + 1 : sum), 0);
}

function containsCenter(box: Box, boxes: Float32Array, index: number): boolean {
  const offset = index * 4;
  const x = ((boxes[offset] ?? 0) + (boxes[offset + 2] ?? 0)) / 2;
  const y = ((boxes[offset + 1] ?? 0) + (boxes[offset + 3] ?? 0)) / 2;
  return x >= box.left && x <= box.right && y >= box.bottom && y <= box.top;
}

/** `write` is for text that is certain. Guessed text is written plainly, as the second reader does. */
function readText(
  glyphs: Glyphs,
  { box, upsideDownTurns }: PageView,
  lines: readonly Line[],
  write: () => string,
): { readonly text: string; readonly guessed: boolean } {
  if (!isGuessed(glyphs) && !hasForeignSigns(lines)) return { text: write(), guessed: false };
  const text = writeLines(lines);
  const chars = countDrawnChars(glyphs);
  if (isReadable(text, chars)) return { text, guessed: true };
  for (const reading of readAsGlyphNumbers(glyphs)) {
    const decoded = writeLines(readTextLines(reading, box, upsideDownTurns));
    if (looksLikeProse(decoded, chars)) return { text: decoded, guessed: true };
  }
  return { text, guessed: true };
}

/** A page needs the lines of this many pages before it. */
const PAGES_BEFORE = 2;

function rememberLines({ recentLines }: PageMemory, index: number, page: PageLines): void {
  recentLines.set(index, page);
  for (const other of recentLines.keys()) if (Math.abs(other - index) > PAGES_BEFORE) recentLines.delete(other);
}

/** The lines of the pages before a page, which show what is repeated and how the text is set. Nearest first. */
function readLinesBefore(pdfium: Pdfium, document: Pointer, { index, isFirst }: WantedPage, memory: PageMemory) {
  const indexes = [index - 1, index - 2].filter((other) => other >= 0);
  return indexes.flatMap(
    (other) => memory.recentLines.get(other) ?? (isFirst ? [] : readLines(pdfium, document, other, memory)),
  );
}

function readLines(pdfium: Pdfium, document: Pointer, index: number, memory: PageMemory): PageLines[] {
  readPage(pdfium, document, { index, bookmarks: [], isFirst: true }, memory);
  const read = memory.recentLines.get(index);
  return read === undefined ? [] : [read];
}

type PageView = {
  /** The visible part of the page: the crop box within the media box. */
  readonly box: Box;
  /** Quarter turns of text that a viewer sees upside down. */
  readonly upsideDownTurns: number;
};

function readView(pdfium: Pdfium, page: Pointer): PageView {
  const box = withMemory(pdfium, 16, (pointer) => {
    pdfium.call.FPDF_GetPageBoundingBox(page, pointer);
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.memory(), pointer, 4);
    return { left, top, right, bottom };
  });
  const everywhere = { left: -Infinity, top: Infinity, right: Infinity, bottom: -Infinity };
  return { box: box ?? everywhere, upsideDownTurns: (pdfium.call.FPDFPage_GetRotation(page) + 2) & 3 };
}
