/** The PDF engines: pages in order from a start page, each with a verdict on its text. */
import { readFile } from "node:fs/promises";
import { cleanText } from "../clean.ts";
import type { ExtractItem, Failure, Info, LocalFile, Mark, PageNote, PageVerdict } from "../handler.ts";
import type { Engine } from "../pool/child-loop.ts";
import type { PdfCounts, PdfFacts } from "./describe-pdf.ts";
import { openPdf, type PdfDocument } from "./document.ts";
import { cleanLine, outlineMarks, placeMarks } from "./outline-marks.ts";
import { openWithPdfjs } from "./pdfjs.ts";

/** Reads with PDFium. A page it cannot decode is marked for the second reader. */
export const pdfium: Engine = {
  async *extract(file, { from, password }) {
    const source = "path" in file.content ? file.content : file.content.bytes;
    const result = await openPdf(source, password === undefined ? {} : { password });
    if ("failed" in result) return yield { failed: result.failed };
    const { document } = result;
    try {
      yield { info: toInfo(document) };
      const marks = outlineMarks(document);
      for (let index = from; index < document.pageCount; index++)
        yield readPage(document, index, marks.get(index) ?? []);
    } finally {
      document.close();
    }
  },
};

/** Reads with pdf.js: slower and with more memory, but better with poor fonts and some damaged files. */
export const pdfjs: Engine = {
  async *extract(file, { from, password }) {
    const document = await openWithPdfjs(await readBytes(file), password).catch(passwordFailure);
    if ("failed" in document) return yield document;
    try {
      yield { info: { pageCount: document.pageCount } };
      for (let index = from; index < document.pageCount; index++) yield page(index, await document.readPageText(index));
    } finally {
      await document.close();
    }
  },
};

/** pdf.js names a missing or wrong password in its error. */
function passwordFailure(error: unknown): { readonly failed: Failure } {
  if (!(error instanceof Error) || error.name !== "PasswordException") throw error;
  const isMissing = "code" in error && error.code === 1;
  return { failed: { reason: "encrypted", detail: isMissing ? "password required" : "wrong password" } };
}

async function readBytes({ content }: LocalFile): Promise<Uint8Array> {
  return "path" in content ? new Uint8Array(await readFile(content.path)) : content.bytes;
}

function toInfo({ pageCount, info, rebuilt }: PdfDocument): Info<PdfFacts> {
  const { title, author, language } = info;
  return {
    pageCount,
    ...(rebuilt && { rebuilt }),
    ...(title && { title: cleanLine(title) }),
    ...(author && { author: cleanLine(author) }),
    ...(language && { language: cleanLine(language) }),
  };
}

function readPage(document: PdfDocument, index: number, headings: readonly Omit<Mark, "at">[]): ExtractItem {
  const { text, guessed, imageOnly, damaged, hiddenChars, unreadAnnotations } = document.readPageText(index);
  const verdict: PageVerdict = guessed ? "garbled" : damaged ? "damaged" : imageOnly ? "image" : "read";
  const counts: PdfCounts = { hiddenChars, unreadAnnotations };
  return page(index, text, headings, { verdict, counts });
}

function page(
  index: number,
  text: string,
  headings: readonly Omit<Mark, "at">[] = [],
  note: PageNote = { verdict: "read" },
): ExtractItem {
  const clean = cleanText(text).text;
  const marks = placeMarks(headings, clean);
  return { segment: { index, kind: "page", label: `page ${index + 1}`, text: clean, marks }, note };
}
