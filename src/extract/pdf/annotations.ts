/** Draws form fields and annotations into the page, because PDFium reads only the text of the page. */
import { FORM_OBJECT, MAX_FORM_DEPTH } from "./page-objects.ts";
import { type Pdfium, type Pointer, readPdfString, withName } from "./pdfium.ts";

/** A loaded page, with the annotation (1, 2, ...) that each drawn-in object belongs to. */
export type LoadedPage = {
  readonly page: Pointer;
  readonly owners: ReadonlyMap<Pointer, number>;
  /** The texts of annotations that cannot be drawn in. */
  readonly notes: readonly string[];
  /** Annotations that were skipped because there are too many. */
  readonly unreadAnnotations: number;
};

/** The number of objects each page had before its annotations were drawn in, and its notes. */
export type PageObjectCounts = Map<number, { readonly objectCount: number; readonly notes: readonly string[] }>;

/** Loads a page with its annotations drawn in; null if the page is damaged. The caller must close the page. */
export function loadPage(
  pdfium: Pdfium,
  document: Pointer,
  index: number,
  objectCounts: PageObjectCounts,
): LoadedPage | null {
  const page = pdfium.call.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const drawn = objectCounts.get(index);
  if (drawn !== undefined)
    return { page, owners: findOwners(pdfium, page, drawn.objectCount), notes: drawn.notes, unreadAnnotations: 0 };
  const annotationCount = pdfium.call.FPDFPage_GetAnnotCount(page);
  if (annotationCount > MAX_ANNOTATIONS)
    return { page, owners: noOwners, notes: [], unreadAnnotations: annotationCount };
  const { notes, mayHaveText } = prepareAnnotations(pdfium, page, annotationCount);
  const withoutAnnotations = { page, owners: noOwners, notes, unreadAnnotations: 0 };
  // Drawing them in costs a second parse of the page, and nearly all annotations are links without text.
  if (!mayHaveText) return withoutAnnotations;
  const objectCount = pdfium.call.FPDFPage_CountObjects(page);
  if (pdfium.call.FPDFPage_Flatten(page, FLATTEN_FOR_DISPLAY) !== FLATTEN_SUCCESS) return withoutAnnotations;
  objectCounts.set(index, { objectCount, notes });
  pdfium.call.FPDF_ClosePage(page);
  return loadPage(pdfium, document, index, objectCounts);
}

const FLATTEN_FOR_DISPLAY = 0;
const FLATTEN_SUCCESS = 1;
const noOwners: ReadonlyMap<Pointer, number> = new Map();

/** Annotation subtypes of fpdf_annot.h. */
const FREE_TEXT = 3;
const WIDGET = 20;
const textless = { link: 2, highlight: 9, underline: 10, squiggly: 11, strikeOut: 12, ink: 15, popup: 16 } as const;
const textlessSubtypes: ReadonlySet<number> = new Set(Object.values(textless));

/** A page with more annotations than this is read without them: it is a drawing or an attack. */
const MAX_ANNOTATIONS = 5_000;

/** Generates missing appearances and hides what a screen does not show. */
function prepareAnnotations(pdfium: Pdfium, page: Pointer, count: number) {
  const notes: string[] = [];
  let mayHaveText = false;
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium.call.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const text = prepareAnnotation(pdfium, annotation);
    if (typeof text === "string") notes.push(text);
    else mayHaveText ||= text;
    pdfium.call.FPDFPage_CloseAnnot(annotation);
  }
  return { notes, mayHaveText };
}

const FLAG_HIDDEN = 2;
const FLAG_NO_VIEW = 32;
const NORMAL_APPEARANCE = 0;

/** Whether it may have text when it is drawn in, or its text if its letters cannot be drawn. */
function prepareAnnotation(pdfium: Pdfium, annotation: Pointer): boolean | string {
  const { call } = pdfium;
  const subtype = call.FPDFAnnot_GetSubtype(annotation);
  if (textlessSubtypes.has(subtype)) return false;
  const flags = call.FPDFAnnot_GetFlags(annotation);
  // Flattening for display skips hidden annotations, but not those that are only for printing.
  if (flags & FLAG_NO_VIEW) call.FPDFAnnot_SetFlags(annotation, flags | FLAG_HIDDEN);
  if (flags & (FLAG_HIDDEN | FLAG_NO_VIEW)) return false;
  if (call.EPDFAnnot_HasAppearanceStream(annotation, NORMAL_APPEARANCE) !== 0) return true;
  if (subtype === WIDGET) return call.EPDFAnnot_GenerateFormFieldAP(annotation) !== 0;
  if (subtype !== FREE_TEXT) return false;
  const text = readContents(pdfium, annotation);
  return drawable.test(text) ? call.EPDFAnnot_GenerateAppearance(annotation) !== 0 : text;
}

/** The letters of the font that generated appearances use. */
const drawable = /^[\s\x20-\xff]*$/;

function readContents(pdfium: Pdfium, annotation: Pointer): string {
  const text = withName(pdfium, "Contents", (name) =>
    readPdfString(pdfium, (pointer, sizeBytes) =>
      pdfium.call.FPDFAnnot_GetStringValue(annotation, name, pointer, sizeBytes),
    ),
  );
  return (text ?? "").replace(/\r\n?/g, "\n").trim();
}

/**
 * The objects of each annotation, with their children. Flattening appends a form to the page, which has one form for each
 * annotation that is drawn.
 */
function findOwners({ call }: Pdfium, page: Pointer, firstIndex: number): ReadonlyMap<Pointer, number> {
  const owners = new Map<Pointer, number>();
  const visit = (object: Pointer, owner: number, depth: number): void => {
    owners.set(object, owner);
    if (depth === MAX_FORM_DEPTH) return;
    for (const child of listChildren(call, object)) visit(child, owner, depth + 1);
  };
  const count = call.FPDFPage_CountObjects(page);
  const appended = Array.from({ length: count - firstIndex }, (_, index) =>
    call.FPDFPage_GetObject(page, firstIndex + index),
  );
  const drawn = appended.flatMap((object) => listChildren(call, object));
  for (const [index, object] of drawn.entries()) visit(object, index + 1, 1);
  return owners;
}

function listChildren(call: Pdfium["call"], object: Pointer): Pointer[] {
  if (call.FPDFPageObj_GetType(object) !== FORM_OBJECT) return [];
  const count = Math.max(0, call.FPDFFormObj_CountObjects(object));
  return Array.from({ length: count }, (_, index) => call.FPDFFormObj_GetObject(object, index));
}
