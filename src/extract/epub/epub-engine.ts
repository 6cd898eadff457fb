/** Reads e-books: the chapters in reading order, as Markdown, with the table of contents as headings. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { DocumentFacts } from "../handler.ts";
import { writeWholePage } from "../html/page.ts";
import { toPlainText } from "../html/plain-text.ts";
import { readXml, resolvePath, scanPart } from "../office/package-parts.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";
import { XmlLimitError } from "../xml/scan-xml.ts";
import { openZip, type Zip, ZipError } from "../zip/open-zip.ts";

export const epubEngine: Engine = {
  async *extract(file, { from }) {
    try {
      const zip = await openZip(toBody(file.content, file.sizeBytes));
      const book = await readPackage(zip);
      yield { info: book.facts };
      yield* toTextSegments(readChapters(zip, book.chapters), { from, isMarkdown: true });
      if (zip.cutMembers.size > 0) yield { info: { cutChapters: zip.cutMembers.size } };
    } catch (error) {
      if (error instanceof ZipError) yield { failed: { reason: error.reason, detail: error.message } };
      else if (error instanceof XmlLimitError) yield { failed: { reason: "too_large", detail: error.message } };
      else throw error;
    }
  },
};

type Book = { readonly facts: DocumentFacts; readonly chapters: readonly string[] };

/** A longer chapter is cut here. */
const MAX_CHAPTER_BYTES = 4 * 1024 * 1024;

async function* readChapters(zip: Zip, chapters: readonly string[]): AsyncGenerator<string> {
  for (const chapter of chapters) {
    const member = zip.find(chapter);
    if (member === undefined) continue;
    const html = (await Array.fromAsync(readXml(zip, member, MAX_CHAPTER_BYTES))).join("");
    const text = writeChapter(html).trim();
    if (text !== "") yield `${text}\n\n`;
  }
}

/** A tree takes a hundred times its source where that is all tags; a chapter that long is read without its structure. */
const MAX_PARSED_CHARS = 1024 * 1024;

function writeChapter(html: string): string {
  return html.length > MAX_PARSED_CHARS ? toPlainText(html) : writeWholePage(html, { mode: "markdown" }).text;
}

/** The package document: facts, and the chapters in the order of the spine. */
async function readPackage(zip: Zip): Promise<Book> {
  const path = await findPackagePath(zip);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const items = new Map<string, string>();
  const spine: string[] = [];
  const facts = new Map<string, string>();
  let element = "";
  await scanPart(zip, path, {
    open(name, tag) {
      element = name;
      if (name === "item") items.set(tag.get("id") ?? "", resolvePath(folder, tag.get("href") ?? ""));
      if (name === "itemref") spine.push(tag.get("idref") ?? "");
    },
    close() {
      element = "";
    },
    text(text) {
      if (text.trim() !== "" && !facts.has(element)) facts.set(element, text.trim());
    },
  });
  if (spine.length === 0) throw new ZipError("corrupt", "the book lists no chapters");
  const [title, author, date, language] = ["title", "creator", "date", "language"].map((name) => facts.get(name));
  return {
    facts: { ...(title && { title }), ...(author && { author }), ...(date && { date }), ...(language && { language }) },
    chapters: spine.flatMap((id) => items.get(id) ?? []),
  };
}

async function findPackagePath(zip: Zip): Promise<string> {
  let path: string | undefined;
  let isEncrypted = false;
  await scanPart(zip, "META-INF/container.xml", {
    open(name, tag) {
      if (name === "rootfile") path ??= tag.get("full-path");
    },
    close: () => undefined,
  });
  await scanPart(zip, "META-INF/rights.xml", {
    open() {
      isEncrypted = true;
    },
    close: () => undefined,
  });
  if (isEncrypted) throw new ZipError("encrypted", "the book is protected by digital rights management");
  path ??= zip.members.find(({ name }) => name.endsWith(".opf"))?.name;
  if (path === undefined) throw new ZipError("corrupt", "the book has no package document");
  return path;
}
