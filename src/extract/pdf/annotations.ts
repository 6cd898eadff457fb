/** Puts what form fields and annotations show into the page itself, since PDFium reads only the page. */
import type { Pdfium, Pointer } from "./pdfium.ts";

/** A loaded page, and which annotation (1, 2, ...) each object came from that is not the page's own. */
export type ShownPage = {
  readonly page: Pointer;
  readonly owners: ReadonlyMap<Pointer, number>;
  /** Annotations left out because there are too many. */
  readonly unreadAnnotations: number;
};

/** By page, how many objects it had of its own, for the pages of one document whose annotations are drawn in already. */
export type OwnObjects = Map<number, number>;

/** Loads a page with its annotations drawn in; null when the page is damaged. Close the page when done. */
export function loadShownPage(pdfium: Pdfium, document: Pointer, index: number, own: OwnObjects): ShownPage | null {
  const page = pdfium.call.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const ownObjects = own.get(index);
  if (ownObjects !== undefined) return { page, owners: ownersFrom(pdfium, page, ownObjects), unreadAnnotations: 0 };
  const annotations = pdfium.call.FPDFPage_GetAnnotCount(page);
  if (annotations > mostAnnotations) return { page, owners: none, unreadAnnotations: annotations };
  const bare = { page, owners: none, unreadAnnotations: 0 };
  // Drawing them in costs a second parse of the page, and nearly all annotations are links, which show no text.
  if (!prepareAnnotations(pdfium, page, annotations)) return bare;
  const objects = pdfium.call.FPDFPage_CountObjects(page);
  if (pdfium.call.FPDFPage_Flatten(page, forDisplay) !== flattened) return bare;
  own.set(index, objects);
  pdfium.call.FPDF_ClosePage(page);
  return loadShownPage(pdfium, document, index, own);
}

const forDisplay = 0;
const flattened = 1;
const none: ReadonlyMap<Pointer, number> = new Map();

/** Numbers of fpdf_annot.h. */
const freeText = 3;
const widget = 20;
const textless = { link: 2, highlight: 9, underline: 10, squiggly: 11, strikeOut: 12, ink: 15, popup: 16 } as const;
const textlessSubtypes: ReadonlySet<number> = new Set(Object.values(textless));

/** A page with more annotations than this is read without them: it is a drawing or an attack. */
const mostAnnotations = 5_000;

/** Makes missing appearances and hides what a screen does not show. True when some annotation may hold text. */
function prepareAnnotations(pdfium: Pdfium, page: Pointer, count: number): boolean {
  let any = false;
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium.call.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    any = prepareAnnotation(pdfium, annotation) || any;
    pdfium.call.FPDFPage_CloseAnnot(annotation);
  }
  return any;
}

const hidden = 2;
const noView = 32;
const normalAppearance = 0;

function prepareAnnotation({ call }: Pdfium, annotation: Pointer): boolean {
  const subtype = call.FPDFAnnot_GetSubtype(annotation);
  if (textlessSubtypes.has(subtype)) return false;
  const flags = call.FPDFAnnot_GetFlags(annotation);
  // Flattening for display leaves out hidden annotations only, not those that are for print alone.
  if (flags & noView) call.FPDFAnnot_SetFlags(annotation, flags | hidden);
  if (flags & (hidden | noView)) return false;
  if (call.EPDFAnnot_HasAppearanceStream(annotation, normalAppearance) !== 0) return true;
  if (subtype === widget) return call.EPDFAnnot_GenerateFormFieldAP(annotation) !== 0;
  return subtype === freeText && call.EPDFAnnot_GenerateAppearance(annotation) !== 0;
}

const formType = 5;
const deepestForm = 8;

/** The objects of a page from an index on, and those inside them: flattening appends one form for each annotation. */
function ownersFrom({ call }: Pdfium, page: Pointer, from: number): ReadonlyMap<Pointer, number> {
  const owners = new Map<Pointer, number>();
  const visit = (object: Pointer, owner: number, depth: number): void => {
    owners.set(object, owner);
    if (depth === deepestForm || call.FPDFPageObj_GetType(object) !== formType) return;
    const count = call.FPDFFormObj_CountObjects(object);
    for (let index = 0; index < count; index += 1) visit(call.FPDFFormObj_GetObject(object, index), owner, depth + 1);
  };
  const count = call.FPDFPage_CountObjects(page);
  for (let index = from; index < count; index += 1) visit(call.FPDFPage_GetObject(page, index), index - from + 1, 0);
  return owners;
}
