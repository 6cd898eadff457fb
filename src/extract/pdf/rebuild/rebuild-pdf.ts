/** Makes a PDF readable whose end is missing: finds its objects and pages, and lists them behind its bytes. */
import { type FoundObject, findObjects, readDictionary } from "./find-objects.ts";
import { type Dictionary, isArray, isDictionary, isReference, type PdfValue } from "./syntax.ts";
import { writeTail } from "./write-tail.ts";

/** How to read a file whose end is missing. */
export type RebuiltPdf = {
  /** The bytes to append to it. */
  readonly tail: Buffer;
  /** Whether the document's own list of pages was found, so that pages keep their numbers. */
  readonly hasPageList: boolean;
  /** Pages that use fonts which are missing, so that their characters are guesses. */
  readonly pagesWithoutFonts: number;
};

/** Undefined if no page is there. The bytes begin with the header `%PDF-`: offsets are counted from it. */
export function rebuildPdf(bytes: Buffer): RebuiltPdf | undefined {
  const { objects: found, trailer } = findObjects(bytes);
  const objects = new Map(found);
  for (const page of listPages(found)) {
    const version = chooseVersion(bytes, found, page);
    if (version === undefined) objects.delete(page);
    else objects.set(page, version);
  }
  const pages = listPages(objects);
  if (pages.length === 0) return undefined;
  const ownCatalog = findCatalog(bytes, objects, pages);
  const pagesWithoutFonts = countPagesWithoutFonts(bytes, objects, pages);
  const catalog = ownCatalog ?? addPageList(bytes, objects, pages);
  const tail = writeTail({ start: bytes.length, objects, trailer, catalog });
  return { tail, hasPageList: ownCatalog !== undefined, pagesWithoutFonts };
}

type Objects = ReadonlyMap<number, FoundObject>;

function listPages(objects: Objects): number[] {
  return [...objects].filter(([, { type }]) => type === "Page").map(([number]) => number);
}

/** The newest version of a page whose content is there. Content of an update at the end of the file may be missing. */
function chooseVersion(bytes: Buffer, objects: Objects, page: number): FoundObject | undefined {
  let version = objects.get(page);
  while (version !== undefined && !hasContents(bytes, objects, version)) version = version.older;
  return version;
}

/** False if all of its content is missing; a blank page has none to miss. */
function hasContents(bytes: Buffer, objects: Objects, page: FoundObject): boolean {
  const contents = readDictionary(bytes, page)?.get("Contents");
  const parts = isArray(contents) ? contents : [contents];
  return parts.length === 0 || parts.some((part) => !isReference(part) || objects.has(part.number));
}

/** Counts pages with a font that is missing. Pages share resources and fonts, so each is looked at once. */
function countPagesWithoutFonts(bytes: Buffer, objects: Objects, pages: readonly number[]): number {
  const answers = new Map<number, boolean>();

  function lacks(value: PdfValue | undefined, isLacking: (dictionary: Dictionary) => boolean): boolean {
    if (!isReference(value)) return isDictionary(value) && isLacking(value);
    const known = answers.get(value.number);
    if (known !== undefined) return known;
    const object = objects.get(value.number);
    const dictionary = object && readDictionary(bytes, object);
    const answer = dictionary !== undefined && isLacking(dictionary);
    answers.set(value.number, answer);
    return answer;
  }

  const lacksFont = (fonts: Dictionary): boolean =>
    [...fonts.values()].some((font) => isReference(font) && !objects.has(font.number));
  return pages.filter((page) =>
    lacks(readEntry(bytes, objects, page, "Resources"), (resources) => lacks(resources.get("Font"), lacksFont)),
  ).length;
}

/** The newest catalog, if its page tree holds every page that was found. */
function findCatalog(bytes: Buffer, objects: Objects, pages: readonly number[]): number | undefined {
  const [catalog = 0] = [...objects].findLast(([, { type }]) => type === "Catalog") ?? [];
  const root = readEntry(bytes, objects, catalog, "Pages");
  const reached = new Set(isReference(root) ? [root.number] : []);
  // A set that grows while it is iterated is visited to its new end.
  for (const node of reached) {
    const kids = readEntry(bytes, objects, node, "Kids");
    for (const kid of isArray(kids) ? kids : []) if (isReference(kid)) reached.add(kid.number);
  }
  return pages.every((page) => reached.has(page)) ? catalog : undefined;
}

/** For pages that inherited their size from a node that is missing: A4 and Letter fit in, upright and across. */
const LOST_PARENT = "<< /Type /Pages /MediaBox [0 0 842 842] >>";

/** Adds a catalog with these pages in the order of the file, and returns its number. */
function addPageList(bytes: Buffer, objects: Map<number, FoundObject>, pages: readonly number[]): number {
  for (const page of pages) {
    const parent = readEntry(bytes, objects, page, "Parent");
    if (isReference(parent) && !objects.has(parent.number)) objects.set(parent.number, toObject(LOST_PARENT));
  }
  const root = [...objects.keys()].reduce((highest, number) => Math.max(highest, number), 0) + 1;
  const kids = pages.map((page) => `${page} 0 R`).join(" ");
  objects.set(root, toObject(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`));
  objects.set(root + 1, toObject(`<< /Type /Catalog /Pages ${root} 0 R >>`));
  return root + 1;
}

function toObject(body: string): FoundObject {
  return { place: { body: Buffer.from(body, "latin1") } };
}

function readEntry(bytes: Buffer, objects: Objects, number: number, key: string): PdfValue | undefined {
  const object = objects.get(number);
  return object && readDictionary(bytes, object)?.get(key);
}
