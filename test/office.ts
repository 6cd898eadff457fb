/** Writes small office documents for tests: Office Open XML and OpenDocument packages, stored so that bytes never vary. */
import { makeZip, type ZipPart } from "./zip.ts";

/** XML or other members by their path in the package. */
export type PackageParts = Readonly<Record<string, string | Uint8Array>>;

/** A relation of a part: `rId1`, `styles`, `styles.xml`. */
export type TestRelation = {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly isExternal?: boolean;
};

export type DocumentParts = {
  /** Relations of the main part. */
  readonly relations?: readonly TestRelation[];
  /** Further members; they replace ours of the same name. */
  readonly parts?: PackageParts;
};

const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
].join(" ");

const openXml = "application/vnd.openxmlformats-officedocument.";

/** A package of these members, in order. */
export function makePackage(parts: PackageParts): Buffer {
  return makeZip(Object.entries(parts).map(([name, data]) => ({ name, data, stored: true })));
}

/** A Word document with this content of its body. */
export function makeDocx(body: string, { relations = [], parts = {} }: DocumentParts = {}): Buffer {
  return makePackage({
    ...makeRoot("word/document.xml", `${openXml}wordprocessingml.document.main+xml`),
    "word/document.xml": `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": makeRelations(relations),
    ...parts,
  });
}

/** A paragraph of a Word document; the text is escaped, the properties are XML. */
export const makeParagraph = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`;

export type TestSheet = {
  readonly name: string;
  /** The content of `sheetData`, or rows of texts and numbers. */
  readonly rows: string | readonly (readonly (string | number | null)[])[];
  readonly state?: "hidden" | "veryHidden";
  /** XML before and after the rows. */
  readonly before?: string;
  readonly after?: string;
  readonly relations?: readonly TestRelation[];
};

/** A workbook with these sheets. */
export function makeXlsx(sheets: readonly TestSheet[], { relations = [], parts = {} }: DocumentParts = {}): Buffer {
  const entries = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"${state ? ` state="${state}"` : ""}/>`,
  );
  const links = sheets.map((_, index) => ({
    id: `rId${index + 1}`,
    type: "worksheet",
    target: `worksheets/sheet${index + 1}.xml`,
  }));
  return makePackage({
    ...makeRoot("xl/workbook.xml", `${openXml}spreadsheetml.sheet.main+xml`),
    "xl/workbook.xml": `<workbook ${namespaces}><sheets>${entries.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": makeRelations([...links, ...relations]),
    ...Object.fromEntries(sheets.flatMap(makeSheetParts)),
    ...parts,
  });
}

function makeSheetParts(sheet: TestSheet, index: number): [string, string][] {
  const { rows, before = "", after = "", relations = [] } = sheet;
  const data = typeof rows === "string" ? rows : rows.map(makeRow).join("");
  return [
    [
      `xl/worksheets/sheet${index + 1}.xml`,
      `<worksheet ${namespaces}>${before}<sheetData>${data}</sheetData>${after}</worksheet>`,
    ],
    [`xl/worksheets/_rels/sheet${index + 1}.xml.rels`, makeRelations(relations)],
  ];
}

function makeRow(cells: readonly (string | number | null)[], index: number): string {
  const written = cells.map((cell, column) => {
    const reference = `${String.fromCharCode(65 + column)}${index + 1}`;
    if (cell === null) return "";
    return typeof cell === "number"
      ? `<c r="${reference}"><v>${cell}</v></c>`
      : `<c r="${reference}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`;
  });
  return `<row r="${index + 1}">${written.join("")}</row>`;
}

export type TestSlide = {
  /** Shapes as XML. */
  readonly shapes: string;
  readonly isHidden?: boolean;
  readonly notes?: string;
  readonly relations?: readonly TestRelation[];
};

/** A presentation of these slides. */
export function makePptx(slides: readonly TestSlide[], { relations = [], parts = {} }: DocumentParts = {}): Buffer {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`);
  const links = slides.map((_, index) => ({
    id: `rId${index + 1}`,
    type: "slide",
    target: `slides/slide${index + 1}.xml`,
  }));
  return makePackage({
    ...makeRoot("ppt/presentation.xml", `${openXml}presentationml.presentation.main+xml`),
    "ppt/presentation.xml": `<p:presentation ${namespaces}><p:sldIdLst>${ids.join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": makeRelations([...links, ...relations]),
    ...Object.fromEntries(slides.flatMap(makeSlideParts)),
    ...parts,
  });
}

function makeSlideParts(slide: TestSlide, index: number): [string, string][] {
  const { shapes, isHidden = false, notes, relations = [] } = slide;
  const target = `../notesSlides/notesSlide${index + 1}.xml`;
  const notesRelation = notes === undefined ? [] : [{ id: "rIdNotes", type: "notesSlide", target }];
  const name = `slide${index + 1}.xml`;
  const show = isHidden ? ' show="0"' : "";
  const parts: [string, string][] = [
    [`ppt/slides/${name}`, `<p:sld ${namespaces}${show}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`],
    [`ppt/slides/_rels/${name}.rels`, makeRelations([...relations, ...notesRelation])],
  ];
  if (notes !== undefined) parts.push([`ppt/notesSlides/notesSlide${index + 1}.xml`, makeNotes(notes)]);
  return parts;
}

const makeNotes = (text: string): string =>
  `<p:notes ${namespaces}><p:cSld><p:spTree>${makeShape([text], "body")}${makeShape(["7"], "sldNum")}</p:spTree></p:cSld></p:notes>`;

/** A shape with paragraphs; a placeholder such as `title` says what it is for. */
export function makeShape(paragraphs: readonly string[], placeholder?: string): string {
  const kind = placeholder === undefined ? "" : `<p:ph type="${placeholder}"/>`;
  const lines = paragraphs.map((text) => `<a:p><a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p>`);
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:txBody>${lines.join("")}</p:txBody></p:sp>`;
}

/** An OpenDocument file: `text`, `spreadsheet` or `presentation`, with the XML inside that element of the body. */
export function makeOdf(
  kind: "text" | "spreadsheet" | "presentation",
  body: string,
  { styles = "", parts = {} }: { readonly styles?: string; readonly parts?: PackageParts } = {},
): Buffer {
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const prefixes = ["office", "text", "table", "draw", "style", "presentation", "fo", "meta"];
  const declared = prefixes.map((prefix) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${prefix}:1.0"`);
  const names = `${declared.join(" ")} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`;
  return makePackage({
    mimetype: type,
    "META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/></manifest:manifest>`,
    "content.xml": `<office:document-content ${names}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...parts,
  });
}

/** The relations part of a package or of one of its parts. */
export function makeRelations(relations: readonly TestRelation[]): string {
  const base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const items = relations.map(
    ({ id, type, target, isExternal = false }) =>
      `<Relationship Id="${id}" Type="${base}/${type}" Target="${escapeXml(target)}"${isExternal ? ' TargetMode="External"' : ""}/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join("")}</Relationships>`;
}

function makeRoot(main: string, type: string): PackageParts {
  return {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${main}" ContentType="${type}"/></Types>`,
    "_rels/.rels": makeRelations([{ id: "rId1", type: "officeDocument", target: main }]),
  };
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The members of a package that was made without compression. */
export function readStored(bytes: Buffer): ZipPart[] {
  const parts: ZipPart[] = [];
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [size, nameBytes] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const start = at + 30 + nameBytes;
    parts.push({ name: bytes.toString("utf8", at + 30, start), data: bytes.subarray(start, start + size) });
    at = start + size;
  }
  return parts;
}

/** The package with its members compressed. */
export function compressPackage(bytes: Buffer): Buffer {
  return makeZip(readStored(bytes));
}
