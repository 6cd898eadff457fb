/** A smallest document for each engine that runs in a child process, all with the same text. */
import { crc32 } from "node:zlib";
import type { ContentKind } from "../../../detect/kind.ts";
import type { Purpose } from "../../../extract/pool/pools.ts";

export const SAMPLE_TEXT = "Spillway reads this sample.";

export type EngineSample = {
  /** As a person calls the engine, and as the child process does. */
  readonly name: string;
  readonly engine: string;
  readonly purpose: Purpose;
  readonly kind: ContentKind;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
};

export const samples: readonly EngineSample[] = [
  {
    name: "PDFium",
    engine: "pdfium",
    purpose: "parse",
    kind: "pdf",
    mediaType: "application/pdf",
    content: writePdf(SAMPLE_TEXT),
  },
  {
    name: "pdf.js",
    engine: "pdfjs",
    purpose: "second",
    kind: "pdf",
    mediaType: "application/pdf",
    content: writePdf(SAMPLE_TEXT),
  },
  {
    name: "HTML",
    engine: "html",
    purpose: "parse",
    kind: "html",
    mediaType: "text/html",
    content: `<!doctype html><title>Sample</title><main><h1>Sample</h1><p>${SAMPLE_TEXT}</p></main>`,
  },
  {
    name: "office documents",
    engine: "office",
    purpose: "parse",
    kind: "office_doc",
    mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    content: writeZip({
      "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
      "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${SAMPLE_TEXT}</w:t></w:r></w:p></w:body></w:document>`,
    }),
  },
  {
    name: "old office documents",
    engine: "legacy",
    purpose: "parse",
    kind: "office_doc",
    mediaType: "application/vnd.ms-excel",
    content: writeWorkbook(SAMPLE_TEXT),
  },
  {
    name: "e-books",
    engine: "epub",
    purpose: "parse",
    kind: "office_doc",
    mediaType: "application/epub+zip",
    content: writeZip({
      "META-INF/container.xml": `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`,
      "book.opf": `<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>`,
      "a.xhtml": `<html><body><p>${SAMPLE_TEXT}</p></body></html>`,
    }),
  },
  {
    name: "Apple documents",
    engine: "iwork",
    purpose: "parse",
    kind: "office_doc",
    mediaType: "application/vnd.apple.pages",
    content: writeZip({ "index.xml": `<sl:document><sf:p>${SAMPLE_TEXT}</sf:p></sl:document>` }),
  },
  {
    name: "mail",
    engine: "mail",
    purpose: "parse",
    kind: "text",
    mediaType: "message/rfc822",
    content: `Subject: Sample\r\nContent-Type: text/plain\r\n\r\n${SAMPLE_TEXT}\r\n`,
  },
  {
    name: "notebooks",
    engine: "notebook",
    purpose: "parse",
    kind: "text",
    mediaType: "application/x-ipynb+json",
    content: JSON.stringify({ nbformat: 4, metadata: {}, cells: [{ cell_type: "markdown", source: [SAMPLE_TEXT] }] }),
  },
  {
    name: "packed archives",
    engine: "archive",
    purpose: "parse",
    kind: "archive",
    mediaType: "application/x-7z-compressed",
    content: readSevenZipSample(),
  },
  {
    name: "databases",
    engine: "database",
    purpose: "parse",
    kind: "unknown_binary",
    mediaType: "application/vnd.apache.parquet",
    content: readParquetSample(),
  },
];

/** A 7z archive of one file, whose name is the sample. */
function readSevenZipSample(): Uint8Array {
  return Buffer.from(
    "N3q8ryccAAQLfiaYAQAAAAAAAABaAAAAAAAAAMzoXOx4AQQGAAEJAQAHCwEAAQEADAEACAoBgxbcjAAABQEROQBTAHAAaQBsAGwAdwBhAHkAIAByAGUAYQBkAHMAIAB0AGgAaQBzACAAcwBhAG0AcABsAGUALgAAAAAA",
    "base64",
  );
}

/** A Parquet file of one column and one row. */
function readParquetSample(): Uint8Array {
  return Buffer.from(
    "UEFSMRUAFT4VPiwVAhUAFQYVBgAAGwAAAFNwaWxsd2F5IHJlYWRzIHRoaXMgc2FtcGxlLhUCGSxIBnNjaGVtYRUCABUMJQAYBHRleHQlAAAWAhkcGRwmCBwVDBkVABkYBHRleHQVABYCFmAWYCYIAAAW0A8WAgAoBmEgdGVzdABMAAAAUEFSMQ==",
    "base64",
  );
}

/** The smallest valid PDF with one line of text; the text must not hold parentheses. */
function writePdf(text: string): string {
  const page = `BT /F1 12 Tf 20 50 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join("")}`;
  return `${body}${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}

/** The parts as a ZIP package, without compression. */
function writeZip(parts: Readonly<Record<string, string>>): Uint8Array {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [partName, text] of Object.entries(parts)) {
    const [name, data] = [Buffer.from(partName), Buffer.from(text)];
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt32LE(crc32(data), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(data.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, name, data]);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), facts, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** A workbook of Excel 2 with one cell: a record that begins it, one for the cell, and one that ends it. */
function writeWorkbook(text: string): Uint8Array {
  const begin = Buffer.from([0x09, 0x00, 0x04, 0x00, 0x02, 0x00, 0x10, 0x00]);
  const cell = Buffer.from([0x04, 0x00, 8 + text.length, 0x00, 0, 0, 0, 0, 0, 0, 0, text.length]);
  const end = Buffer.from([0x0a, 0x00, 0x00, 0x00]);
  return Buffer.concat([begin, cell, Buffer.from(text, "latin1"), end]);
}
