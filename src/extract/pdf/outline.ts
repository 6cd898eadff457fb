/** Reads the outline of a PDF: its bookmarks in reading order, bounded even if they are deep, many or circular. */
import { type Pdfium, type Pointer, readPdfString } from "./pdfium.ts";

/** One bookmark. `page` is null if its target is not in this file. */
export type OutlineItem = { readonly label: string; readonly level: number; readonly page: number | null };

const MAX_ITEMS = 2_000;
const MAX_LEVEL = 12;

/** The bookmarks of a document, parents before children; level 1 is the top. */
export function readOutline(pdfium: Pdfium, document: Pointer): OutlineItem[] {
  const items: OutlineItem[] = [];
  const visited = new Set<Pointer>();
  const firstChild = (parent: Pointer): Pointer => pdfium.call.FPDFBookmark_GetFirstChild(document, parent);
  // The next bookmark of each level; not recursive, because a file may nest deeper than the call stack.
  const nextByLevel = [firstChild(0)];
  while (nextByLevel.length > 0 && items.length < MAX_ITEMS) {
    const bookmark = nextByLevel.pop() ?? 0;
    if (bookmark === 0 || visited.has(bookmark)) continue;
    visited.add(bookmark);
    const level = nextByLevel.length + 1;
    const item = readItem(pdfium, document, bookmark, level);
    if (item.label !== "") items.push(item);
    nextByLevel.push(pdfium.call.FPDFBookmark_GetNextSibling(document, bookmark));
    if (level < MAX_LEVEL) nextByLevel.push(firstChild(bookmark));
  }
  return items;
}

function readItem(pdfium: Pdfium, document: Pointer, bookmark: Pointer, level: number): OutlineItem {
  const title = readPdfString(pdfium, (pointer, sizeBytes) =>
    pdfium.call.FPDFBookmark_GetTitle(bookmark, pointer, sizeBytes),
  );
  const label = title.replace(/\s+/g, " ").trim();
  return { label, level, page: findPage(pdfium, document, bookmark) };
}

function findPage({ call }: Pdfium, document: Pointer, bookmark: Pointer): number | null {
  const direct = call.FPDFBookmark_GetDest(document, bookmark);
  const target = direct === 0 ? call.FPDFAction_GetDest(document, call.FPDFBookmark_GetAction(bookmark)) : direct;
  const index = target === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, target);
  return index < 0 ? null : index;
}
