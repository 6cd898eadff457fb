/** The PDF engines that this bench compares, ours first. Peers are installed in this folder only. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compareReadings } from "../src/extract/pdf/compare-readings.ts";
import { openPdf, type PdfDocument } from "../src/extract/pdf/document.ts";
import { openWithPdfjs } from "../src/extract/pdf/pdfjs.ts";
import type { PageText } from "../src/extract/pdf/read-page.ts";

export type Text = { readonly text: string; readonly pages: number };
export type Engine = { readonly name: string; load(): Promise<(bytes: Uint8Array) => Promise<Text>> };

/** Engines that run inside Node, in the order of the table. */
export const engines: readonly Engine[] = [
  { name: "ours, PDFium only", load: async () => (bytes) => readOurs(bytes, false) },
  { name: "ours, with pdf.js", load: async () => (bytes) => readOurs(bytes, true) },
  { name: "pdf-parse", load: loadPdfParse },
  { name: "unpdf", load: loadUnpdf },
  { name: "pdfjs-dist", load: loadPdfjs },
  { name: "liteparse", load: () => loadLiteparse("text") },
];

/** Engines that write Markdown, for documents whose structure is known. */
export const markdownEngines: readonly Engine[] = [
  { name: "ours, Markdown", load: async () => readOurMarkdown },
  { name: "liteparse, Markdown", load: () => loadLiteparse("markdown") },
  { name: "pdf-inspector, Markdown", load: loadPdfInspector },
];

async function readOurMarkdown(bytes: Uint8Array): Promise<Text> {
  const opened = await openPdf(bytes);
  if ("failed" in opened) throw new Error(opened.failed.detail);
  const bookmarks = Map.groupBy(opened.document.outline, ({ page }) => page);
  return readPages(bytes, opened.document, true, (index) =>
    opened.document.readPageMarkdown(index, { bookmarks: bookmarks.get(index) ?? [] }),
  );
}

async function readOurs(bytes: Uint8Array, withFallback: boolean): Promise<Text> {
  const opened = await openPdf(bytes);
  if ("document" in opened)
    return readPages(bytes, opened.document, withFallback, (index) => opened.document.readPageText(index));
  const { reason, detail } = opened.failed;
  if (reason !== "corrupt" || !withFallback) throw new Error(`${reason}: ${detail}`);
  return readAllWithPdfjs(bytes);
}

async function readPages(
  bytes: Uint8Array,
  document: PdfDocument,
  withFallback: boolean,
  read: (index: number) => PageText,
): Promise<Text> {
  const texts: string[] = [];
  const guessed = new Map<number, string>();
  try {
    for (let index = 0; index < document.pageCount; index += 1) {
      const page = read(index);
      texts.push(page.text);
      if (page.guessed) guessed.set(index, page.unknown);
    }
  } finally {
    document.close();
  }
  if (withFallback && guessed.size > 0) await rereadGuessed(bytes, texts, guessed);
  return { text: texts.join("\n\n"), pages: texts.length };
}

async function rereadGuessed(bytes: Uint8Array, texts: string[], guessed: ReadonlyMap<number, string>): Promise<void> {
  const fallback = await openWithPdfjs(bytes);
  for (const [index, unknown] of guessed) {
    texts[index] = compareReadings(texts[index] ?? "", await fallback.readPageText(index), unknown).text;
  }
  await fallback.close();
}

/** pdf.js opens some files that PDFium rejects. */
async function readAllWithPdfjs(bytes: Uint8Array): Promise<Text> {
  const fallback = await openWithPdfjs(bytes);
  const texts: string[] = [];
  for (let index = 0; index < fallback.pageCount; index += 1) texts.push(await fallback.readPageText(index));
  await fallback.close();
  return { text: texts.join("\n\n"), pages: texts.length };
}

/** Hides the import from the compiler, because the package may not be installed. */
async function load<T>(specifier: string): Promise<T> {
  return import(specifier);
}

/** What pdf.js needs beside its code to read every font; its callers have to say where these files are. */
type PdfjsOptions = {
  readonly data: Uint8Array;
  readonly verbosity: number;
  readonly cMapUrl: string;
  readonly cMapPacked: boolean;
  readonly standardFontDataUrl: string;
};

/** Without CMaps, pdf.js loses CJK text that it can read. They are taken from the copy that the importing module uses. */
function pdfjsOptions(importer: string): Omit<PdfjsOptions, "data"> {
  const folder = dirname(createRequire(importer).resolve("pdfjs-dist/package.json"));
  return {
    verbosity: 0,
    cMapUrl: join(folder, "cmaps/"),
    cMapPacked: true,
    standardFontDataUrl: join(folder, "standard_fonts/"),
  };
}

type PdfParse = {
  PDFParse: new (
    options: PdfjsOptions,
  ) => {
    getText(): Promise<{ text: string; total: number }>;
    destroy(): Promise<void>;
  };
};

async function loadPdfParse() {
  const { PDFParse } = await load<PdfParse>("pdf-parse");
  const options = pdfjsOptions(import.meta.resolve("pdf-parse"));
  return async (data: Uint8Array): Promise<Text> => {
    const parser = new PDFParse({ data, ...options });
    try {
      const { text, total } = await parser.getText();
      // It inserts a line between pages, which no other engine does.
      return { text: text.replace(/^-- \d+ of \d+ --$/gm, ""), pages: total };
    } finally {
      await parser.destroy();
    }
  };
}

async function loadUnpdf() {
  const { extractText, getDocumentProxy } = await load<typeof import("unpdf")>("unpdf");
  return async (bytes: Uint8Array): Promise<Text> => {
    const document = await getDocumentProxy(bytes, { verbosity: 0 });
    const { text, totalPages } = await extractText(document, { mergePages: false });
    await document.loadingTask.destroy();
    return { text: text.join("\n"), pages: totalPages };
  };
}

type PdfjsItem = { readonly str?: string; readonly hasEOL?: boolean };
type PdfjsPage = { getTextContent(): Promise<{ items: PdfjsItem[] }>; cleanup(): void };
type PdfjsDocument = { numPages: number; getPage(number: number): Promise<PdfjsPage> };
type PdfjsTask = { promise: Promise<PdfjsDocument>; destroy(): Promise<void> };
type Pdfjs = { getDocument(options: PdfjsOptions): PdfjsTask };

async function loadPdfjs() {
  const { getDocument } = await load<Pdfjs>("pdfjs-dist/legacy/build/pdf.mjs");
  const options = pdfjsOptions(import.meta.url);
  return async (data: Uint8Array): Promise<Text> => {
    const task = getDocument({ data, ...options });
    try {
      const document = await task.promise;
      let text = "";
      for (let number = 1; number <= document.numPages; number += 1) {
        const page = await document.getPage(number);
        const { items } = await page.getTextContent();
        text += `${items.map(({ str = "", hasEOL = false }) => str + (hasEOL ? "\n" : "")).join("")}\n`;
        page.cleanup();
      }
      return { text, pages: document.numPages };
    } finally {
      await task.destroy();
    }
  };
}

type Liteparse = {
  LiteParse: new (options: {
    ocrEnabled: boolean;
    outputFormat: string;
  }) => {
    parse(bytes: Uint8Array): Promise<{ text: string; totalPages: number }>;
  };
};

async function loadLiteparse(outputFormat: "text" | "markdown") {
  const { LiteParse } = await load<Liteparse>("@llamaindex/liteparse");
  const parser = new LiteParse({ ocrEnabled: false, outputFormat });
  return async (bytes: Uint8Array): Promise<Text> => {
    const { text, totalPages } = await parser.parse(bytes);
    return { text, pages: totalPages };
  };
}

type PdfInspector = { processPdf(bytes: Buffer): { markdown?: string; pageCount: number } };

async function loadPdfInspector() {
  const { processPdf } = await load<PdfInspector>("@firecrawl/pdf-inspector");
  return async (bytes: Uint8Array): Promise<Text> => {
    const { markdown = "", pageCount } = processPdf(Buffer.from(bytes));
    return { text: markdown, pages: pageCount };
  };
}
