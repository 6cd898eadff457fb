/** Reads the tags of a page: which marked content is a heading, a cell of a table, an item of a list or plain text. */
import { type Pdfium, type Pointer, readPdfString } from "../pdfium.ts";

/** What the author's program says about a block of text. */
export type TagBlock =
  | { readonly kind: "text" | "note" }
  | { readonly kind: "heading"; readonly level: number }
  | { readonly kind: "item"; readonly depth: number }
  | { readonly kind: "cell"; readonly table: number; readonly row: number };

/** The tagged blocks of a page, from number 1 on, and the number of the block of each marked content. */
export type PageTags = {
  readonly blocks: readonly TagBlock[];
  readonly blockByContent: ReadonlyMap<number, number>;
};

export const noTags: PageTags = { blocks: [], blockByContent: new Map() };

/** A page with more elements is read as far as that. */
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 60;

/** Reads the structure tree of a page; empty if the document is not tagged. */
export function readTags(pdfium: Pdfium, page: Pointer): PageTags {
  const { call } = pdfium;
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) return noTags;
  try {
    const walker = createWalker(pdfium);
    const count = call.FPDF_StructTree_CountChildren(tree);
    for (let index = 0; index < count; index += 1)
      walker.visit(call.FPDF_StructTree_GetChildAtIndex(tree, index), outside, 0);
    return walker.tags;
  } finally {
    call.FPDF_StructTree_Close(tree);
  }
}

/** Where an element is: inside a block, a table's row, and lists. */
type Place = { readonly block: number; readonly table: number; readonly row: number; readonly depth: number };
const outside: Place = { block: 0, table: 0, row: 0, depth: 0 };

function createWalker(pdfium: Pdfium) {
  const { call } = pdfium;
  const blocks: TagBlock[] = [{ kind: "text" }];
  const blockByContent = new Map<number, number>();
  let elements = 0;

  const open = (block: TagBlock): number => blocks.push(block) - 1;

  /** A cell, an item or a heading contains paragraphs; these do not end it. */
  function enter(type: string, place: Place): Place {
    const heading = /^H([1-6])?$|^Title$/.exec(type);
    if (heading) return { ...place, block: open({ kind: "heading", level: Number(heading[1] ?? 1) }) };
    if (type === "Table") return { ...place, block: 0, table: elements };
    if (type === "TR") return { ...place, row: elements };
    if ((type === "TH" || type === "TD") && place.table > 0)
      return { ...place, block: open({ kind: "cell", table: place.table, row: place.row }) };
    if (type === "L") return { ...place, depth: place.depth + 1 };
    if (place.block !== 0 && blocks[place.block]?.kind === "cell") return place;
    if (type === "LI") return { ...place, block: open({ kind: "item", depth: place.depth }) };
    if (type === "Note" || type === "FENote") return { ...place, block: open({ kind: "note" }) };
    if (type === "P" && place.block === 0) return { ...place, block: open({ kind: "text" }) };
    return place;
  }

  function visit(element: Pointer, outer: Place, depth: number): void {
    elements += 1;
    if (element === 0 || elements > MAX_ELEMENTS || depth > MAX_DEPTH) return;
    const type = readPdfString(pdfium, (pointer, size) => call.FPDF_StructElement_GetType(element, pointer, size));
    const place = enter(type, outer);
    const count = call.FPDF_StructElement_CountChildren(element);
    for (let index = 0; index < count; index += 1) {
      const content = call.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (content >= 0) blockByContent.set(content, place.block);
      else visit(call.FPDF_StructElement_GetChildAtIndex(element, index), place, depth + 1);
    }
  }

  return { visit, tags: { blocks, blockByContent } };
}
