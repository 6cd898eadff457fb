/** The PDF engines: pages in order from a start page, each with a verdict on its text. */
import { readFile } from "node:fs/promises";
import { cleanText } from "../clean.ts";
import type { ExtractItem, Failure, Info, LocalFile, Mark, Mode, PageNote, PageVerdict, Segment } from "../handler.ts";
import { createHeadingFinder } from "../headings.ts";
import type { Engine } from "../pool/child-loop.ts";
import type { PdfCounts, PdfFacts } from "./describe-pdf.ts";
import { openPdf, type PdfDocument } from "./document.ts";
import { cleanLine, outlineMarks, placeMarks } from "./outline-marks.ts";
import { openWithPdfjs } from "./pdfjs.ts";

/** Reads with PDFium. A page it cannot decode is marked for the second reader. */
export const pdfium: Engine = {
  async *extract(file, { from, mode, password, ocr, isAfterCrash = false }) {
    const source = "path" in file.content ? file.content : file.content.bytes;
    const result = await openPdf(source, password === undefined ? {} : { password });
    if ("failed" in result) return yield { failed: result.failed };
    const { document } = result;
    try {
      yield { info: toInfo(document) };
      const marks = outlineMarks(document);
      for (let index = from; index < document.pageCount; index++)
        yield readPage(
          document,
          index,
          { mode, isFirst: isAfterCrash, hasOcr: ocr !== undefined },
          marks.get(index) ?? [],
        );
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
      for (let index = from; index < document.pageCount; index++)
        yield toItem(index, await document.readPageText(index));
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

function readPage(
  document: PdfDocument,
  index: number,
  { mode, isFirst, hasOcr }: { readonly mode: Mode; readonly isFirst: boolean; readonly hasOcr: boolean },
  bookmarks: readonly Omit<Mark, "at">[],
): ExtractItem {
  const isMarkdown = mode === "markdown";
  const page = isMarkdown ? document.readPageMarkdown(index, { bookmarks, isFirst }) : document.readPageText(index);
  const { text, guessed, unknown, damaged, hiddenChars, unreadAnnotations } = page;
  const isImage = page.imageOnly || (hasOcr && page.isScan);
  const verdict: PageVerdict = guessed ? "garbled" : damaged ? "damaged" : isImage ? "image" : "read";
  const counts: PdfCounts = { hiddenChars, unreadAnnotations };
  const item = toItem(index, text, { verdict, counts, ...(guessed && unknown !== "" && { unknown }) });
  const marks = placeMarks(bookmarks, item.segment.text);
  const headings = isMarkdown ? findOtherHeadings(item.segment.text, marks) : [];
  return { ...item, segment: { ...item.segment, marks: [...marks, ...headings].sort((a, b) => a.at - b.at) } };
}

/** The headings of the text that no bookmark leads to. */
function findOtherHeadings(text: string, marks: readonly Mark[]): Mark[] {
  const labels = new Set(marks.map(({ label }) => label.toLowerCase()));
  return createHeadingFinder()(text).filter(({ label }) => !labels.has(label.toLowerCase()));
}

function toItem(index: number, text: string, note: PageNote = { verdict: "read" }): PageItem {
  const clean = cleanText(text).text;
  return { segment: { index, kind: "page", label: `page ${index + 1}`, text: clean, marks: [] }, note };
}

type PageItem = Extract<ExtractItem, { readonly segment: Segment }>;
