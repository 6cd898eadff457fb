/** The outline of a PDF: its bookmarks in reading order, however deep, long or circular the file makes them. */
import { type Pdfium, type Pointer, readText } from "./pdfium.ts";

/** One bookmark. `page` is null where it leads nowhere in this file. */
export type OutlineItem = { readonly label: string; readonly level: number; readonly page: number | null };

const mostItems = 2_000;
const deepestLevel = 12;

/** The bookmarks of a document, parents before children; level 1 is the top. */
export function readOutline(pdfium: Pdfium, document: Pointer): OutlineItem[] {
  const items: OutlineItem[] = [];
  const seen = new Set<Pointer>();
  const firstChild = (parent: Pointer): Pointer => pdfium.call.FPDFBookmark_GetFirstChild(document, parent);
  // A stack of where to go on, one for each level, since a file may nest deeper than the call stack.
  const open = [firstChild(0)];
  while (open.length > 0 && items.length < mostItems) {
    const bookmark = open.pop() ?? 0;
    if (bookmark === 0 || seen.has(bookmark)) continue;
    seen.add(bookmark);
    const level = open.length + 1;
    const item = readItem(pdfium, document, bookmark, level);
    if (item.label !== "") items.push(item);
    open.push(pdfium.call.FPDFBookmark_GetNextSibling(document, bookmark));
    if (level < deepestLevel) open.push(firstChild(bookmark));
  }
  return items;
}

function readItem(pdfium: Pdfium, document: Pointer, bookmark: Pointer, level: number): OutlineItem {
  const title = readText(pdfium, (at, sizeBytes) => pdfium.call.FPDFBookmark_GetTitle(bookmark, at, sizeBytes));
  const label = title.replace(/\s+/g, " ").trim();
  return { label, level, page: pageOf(pdfium, document, bookmark) };
}

function pageOf({ call }: Pdfium, document: Pointer, bookmark: Pointer): number | null {
  const direct = call.FPDFBookmark_GetDest(document, bookmark);
  const target = direct === 0 ? call.FPDFAction_GetDest(document, call.FPDFBookmark_GetAction(bookmark)) : direct;
  const index = target === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, target);
  return index < 0 ? null : index;
}
