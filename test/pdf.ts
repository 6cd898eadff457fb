/** Writes small PDFs for tests, so that no third-party files are needed. */
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { openPdf } from "../src/extract/pdf/document.ts";

/** One page of a test document. */
export type FixturePage = {
  /** Operators of the content stream; `drawLine` writes the usual ones. */
  readonly content: string;
  readonly rotate?: number;
  readonly cropBox?: string;
  /** Further entries of the page's dictionary, such as `/Annots [20 0 R]`. */
  readonly entries?: string;
};

/** Options of `writePdf`. */
export type FixtureOptions = {
  /** Objects by number, from 20 on, for fonts, annotations and outlines. */
  readonly objects?: Readonly<Record<number, string>>;
  /** Further entries of the catalog. */
  readonly catalog?: string;
  readonly info?: string;
  readonly ownerPassword?: string;
  readonly userPassword?: string;
};

/** The Markdown of pages with these texts, as it is read: each begins with its mark. */
export function withPageMarks(texts: readonly string[], firstPage = 1): string {
  return texts.map((text, index) => `<!-- page ${firstPage + index} -->\n\n${text}`).join("\n\n");
}

/** One line of text at a position, in 12 point Helvetica by default. */
export function drawLine(text: string, x: number, y: number, font = "/F1 12 Tf"): string {
  return `BT ${font} ${x} ${y} Td (${text}) Tj ET\n`;
}

/** A stream object with its length, for `objects`. */
export function makeStream(dictionary: string, data: string): string {
  return `<< ${dictionary} /Length ${data.length} >>\nstream\n${data}\nendstream`;
}

const FIRST_PAGE_OBJECT = 100;

/** A whole document: catalog 1, page tree 2, font 3, info 4, then the given objects and two for each page. */
export function writePdf(pages: readonly FixturePage[], options: FixtureOptions = {}): Uint8Array {
  const kids = pages.map((_, index) => `${FIRST_PAGE_OBJECT + 2 * index} 0 R`).join(" ");
  const objects = new Map<number, string>([
    [1, `<< /Type /Catalog /Pages 2 0 R ${options.catalog ?? ""} >>`],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 600 800] >>`],
    [3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"],
    [4, `<< ${options.info ?? ""} >>`],
    ...Object.entries(options.objects ?? {}).map(([number, body]): [number, string] => [Number(number), body]),
  ]);
  const encryption =
    options.userPassword === undefined ? null : createEncryption(options.userPassword, options.ownerPassword);
  for (const [index, page] of pages.entries()) {
    const number = FIRST_PAGE_OBJECT + 2 * index;
    const content = encryption === null ? page.content : encryption.encrypt(page.content, number + 1);
    objects.set(number, pageObject(page, number + 1));
    objects.set(number + 1, makeStream("", content));
  }
  return assemble(objects, encryption === null ? "" : encryption.trailer);
}

function pageObject({ rotate, cropBox, entries }: FixturePage, contents: number): string {
  const crop = cropBox === undefined ? "" : `/CropBox [${cropBox}]`;
  const resources = entries?.includes("/Resources") ? "" : "/Resources << /Font << /F1 3 0 R >> >>";
  return `<< /Type /Page /Parent 2 0 R /Contents ${contents} 0 R /Rotate ${rotate ?? 0} ${crop} ${resources} ${entries ?? ""} >>`;
}

function assemble(objects: ReadonlyMap<number, string>, trailer: string): Uint8Array {
  let file = "%PDF-1.7\n";
  const size = objects.keys().reduce((largest, number) => Math.max(largest, number)) + 1;
  const table = Array.from({ length: size }, () => "0000000000 65535 f \n");
  for (const [number, body] of objects) {
    table[number] = `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const start = file.length;
  file += `xref\n0 ${size}\n${table.join("")}trailer << /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\n`;
  return Buffer.from(`${file}startxref\n${start}\n%%EOF\n`, "latin1");
}

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");
const permissions = -4;
const documentId = "0123456789abcdef";

/** The oldest encryption of PDF, RC4 with a key of 40 bits (ISO 32000-1, 7.6.3), which every reader supports. */
function createEncryption(userPassword: string, ownerPassword = userPassword) {
  const owner = rc4(md5(pad(ownerPassword)).subarray(0, 5), pad(userPassword));
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions);
  const key = md5(Buffer.concat([pad(userPassword), owner, flags, Buffer.from(documentId, "latin1")])).subarray(0, 5);
  const user = rc4(key, padding);
  const dictionary = `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString("hex")}> /U <${user.toString("hex")}> /P ${permissions} >>`;
  const id = Buffer.from(documentId, "latin1").toString("hex");
  return {
    trailer: `/Encrypt ${dictionary} /ID [<${id}> <${id}>]`,
    encrypt(data: string, objectNumber: number): string {
      const salt = Buffer.from([objectNumber & 255, objectNumber >> 8, 0, 0, 0]);
      return rc4(md5(Buffer.concat([key, salt])).subarray(0, 10), Buffer.from(data, "latin1")).toString("latin1");
    },
  };
}

function pad(password: string): Buffer {
  return Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32);
}

function md5(data: Uint8Array): Buffer {
  return createHash("md5").update(data).digest();
}

/** Implemented here because OpenSSL 3 has no RC4. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const stateAt = (index: number): number => state[index & 255] ?? 0;
  const swap = (a: number, b: number): void => {
    [state[a & 255], state[b & 255]] = [stateAt(b), stateAt(a)];
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + stateAt(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(data).map((byte) => {
    i = (i + 1) & 255;
    j = (j + stateAt(i)) & 255;
    swap(i, j);
    return byte ^ stateAt(stateAt(i) + stateAt(j));
  }) as Buffer;
}

/** A PDF with one line of text on each page; an empty text makes a blank page. */
export function makePdfWithPages(texts: readonly string[]): Buffer {
  const pages = texts.map((text) => ({ content: text === "" ? "" : drawLine(escapeText(text), 72, 700) }));
  return Buffer.from(writePdf(pages));
}

const escapeText = (text: string): string => text.replace(/[\\()]/g, "\\$&");

/** A PDF with many lines on each page, like a report. */
export function makePdfWithLines(pages: readonly (readonly string[])[]): Uint8Array {
  return writePdf(
    pages.map((lines) => ({
      content: lines.map((text, index) => drawLine(text, 30, 780 - 11 * index, "/F1 8 Tf")).join(""),
    })),
  );
}

/** A PDF whose pages are pictures of the given lines, as a scanner writes them, perhaps with a stamp that is text. */
export async function makeScannedPdf(
  pages: readonly (readonly string[])[],
  { stamp = "", isUpsideDown = false }: { readonly stamp?: string; readonly isUpsideDown?: boolean } = {},
): Promise<Uint8Array> {
  const drawings = await drawPages(pages);
  const objects = drawings.map(({ width, height, pixels }, index): [number, string] => {
    const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
    const data = deflateSync(isUpsideDown ? pixels.toReversed() : pixels).toString("latin1");
    return [20 + index, makeStream(`${entries} /Filter /FlateDecode`, data)];
  });
  const scans = drawings.map((_, index) => ({
    content: `q 600 0 0 200 0 0 cm /Im Do Q ${stamp === "" ? "" : drawLine(stamp, 400, 20)}`,
    entries: `/MediaBox [0 0 600 200] /Resources << /Font << /F1 3 0 R >> /XObject << /Im ${20 + index} 0 R >> >>`,
  }));
  return writePdf(scans, { objects: Object.fromEntries(objects) });
}

/** Pictures of lines of text, as portable graymaps. */
export async function drawGraymaps(pages: readonly (readonly string[])[]): Promise<Uint8Array[]> {
  const content = (lines: readonly string[]) =>
    lines.map((text, index) => drawLine(escapeText(text), 60, 150 - 40 * index, "/F1 18 Tf")).join("");
  const opened = await openPdf(
    writePdf(pages.map((lines) => ({ content: content(lines), entries: "/MediaBox [0 0 600 200]" }))),
  );
  if ("failed" in opened) throw new Error(opened.failed.detail);
  const graymaps = pages.map((_, index) => opened.document.renderPage(index) ?? new Uint8Array());
  opened.document.close();
  return graymaps;
}

async function drawPages(pages: readonly (readonly string[])[]) {
  const graymaps = await drawGraymaps(pages);
  return graymaps.map((graymap) => {
    const [header = "", width = "", height = ""] = /^P5\n(\d+) (\d+)\n255\n/.exec(toLatin1(graymap)) ?? [];
    return { width: Number(width), height: Number(height), pixels: graymap.subarray(header.length) };
  });
}

const toLatin1 = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 100)).toString("latin1");
