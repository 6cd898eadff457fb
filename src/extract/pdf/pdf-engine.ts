/** The PDF engine as it runs in a child: page after page from where it is wanted, with what is to think of each. */
import { readFile } from "node:fs/promises";
import { cleanText } from "../clean.ts";
import type { Extracted, Failure, LocalFile, Mark, PageNote, PageVerdict } from "../handler.ts";
import type { Engine } from "../pool/child-loop.ts";
import type { PdfCounts } from "./describe-pdf.ts";
import { openPdf, type PdfDocument } from "./document.ts";
import { openWithPdfjs } from "./pdfjs.ts";

/** Reads with PDFium. A page it cannot make sense of is marked, for the second reader. */
export const pdfium: Engine = {
  async *extract(file, { from, password }) {
    const source = "path" in file.content ? file.content : file.content.bytes;
    const opened = await openPdf(source, password === undefined ? {} : { password });
    if ("failed" in opened) return yield { failed: opened.failed };
    const { document } = opened;
    try {
      yield { info: infoOf(document) };
      const marks = outlineMarks(document);
      for (let index = from; index < document.pageCount; index++)
        yield readPage(document, index, marks.get(index) ?? []);
    } finally {
      document.close();
    }
  },
};

/** Reads with pdf.js: slower and hungrier, but better with poor fonts, and with some files that are damaged. */
export const pdfjs: Engine = {
  async *extract(file, { from, password }) {
    const document = await openWithPdfjs(await bytesOf(file), password).catch(passwordFailure);
    if ("failed" in document) return yield document;
    try {
      yield { info: { pageCount: document.pageCount } };
      for (let index = from; index < document.pageCount; index++) yield page(index, await document.pageText(index));
    } finally {
      await document.close();
    }
  },
};

/** pdf.js says by the name of its error that a password is missing or wrong. */
function passwordFailure(error: unknown): { readonly failed: Failure } {
  if (!(error instanceof Error) || error.name !== "PasswordException") throw error;
  const isMissing = "code" in error && error.code === 1;
  return { failed: { reason: "encrypted", detail: isMissing ? "password required" : "wrong password" } };
}

async function bytesOf({ content }: LocalFile): Promise<Uint8Array> {
  return "path" in content ? new Uint8Array(await readFile(content.path)) : content.bytes;
}

function infoOf({ pageCount, info }: PdfDocument) {
  const { title, author, language } = info;
  return {
    pageCount,
    ...(title && { title: cleanLine(title) }),
    ...(author && { author: cleanLine(author) }),
    ...(language && { language: cleanLine(language) }),
  };
}

/** What a document says of itself can mislead as well as its text. */
const cleanLine = (words: string): string => cleanText(words).text.replace(/\s+/g, " ").trim();

/** Bookmarks as headings of the page they lead to. */
function outlineMarks({ outline }: PdfDocument): Map<number, Omit<Mark, "at">[]> {
  const marks = new Map<number, Omit<Mark, "at">[]>();
  for (const { label, level, page } of outline) {
    if (page === null) continue;
    marks.set(page, [...(marks.get(page) ?? []), { label: cleanLine(label), level }]);
  }
  return marks;
}

function readPage(document: PdfDocument, index: number, headings: readonly Omit<Mark, "at">[]): Extracted {
  const { text, garbled, imageOnly, damaged, hiddenChars, unreadAnnotations } = document.pageText(index);
  const verdict: PageVerdict = garbled ? "garbled" : damaged ? "damaged" : imageOnly ? "image" : "read";
  const counts: PdfCounts = { hiddenChars, unreadAnnotations };
  return page(index, text, headings, { verdict, counts });
}

function page(
  index: number,
  text: string,
  headings: readonly Omit<Mark, "at">[] = [],
  note: PageNote = { verdict: "read" },
): Extracted {
  const clean = cleanText(text).text;
  const marks = headings.map((heading) => ({ ...heading, at: placeOf(heading.label, clean) }));
  return { segment: { index, kind: "page", label: `page ${index + 1}`, text: clean, marks }, note };
}

/** Where on its page a heading stands; one that is worded otherwise there begins with the page. */
function placeOf(label: string, text: string): number {
  return Math.max(0, text.toLowerCase().indexOf(label.toLowerCase()));
}
