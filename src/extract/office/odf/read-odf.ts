/** Reads OpenDocument files: texts in one piece, presentations by slide, spreadsheets by sheet. */
import { cleanText } from "../../clean.ts";
import { FailureError } from "../../failure-error.ts";
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import { toTextSegments } from "../../text-segments.ts";
import { scanXml, type XmlEvents } from "../../xml/scan-xml.ts";
import type { Zip, ZipMember } from "../../zip/open-zip.ts";
import type { OfficeFacts, SheetCounts, SlideCounts } from "../describe-office.ts";
import { openOdf } from "../encryption/decrypt-odf.ts";
import { readFacts, readXml, scanPart } from "../package-parts.ts";
import { type SheetSource, toSheetSegments } from "../sheet-segments.ts";
import type { SheetRow } from "../sheet-tables.ts";
import { readObjects } from "./odf-objects.ts";
import { MAX_SHEETS, OdfSheets } from "./odf-sheets.ts";
import { OdfStyles, skippedStyleElements } from "./odf-styles.ts";
import { type OdfContext, OdfText } from "./odf-text.ts";

/** A text document, or a drawing or formula, whose text is read in the same way. */
export async function* readOdt(packed: Zip, options: HandlerOptions): AsyncGenerator<ExtractItem> {
  const { zip, content } = await openPackage(packed, options);
  yield { info: await readFacts(zip, "meta.xml") };
  yield* toTextSegments(readText(zip, content), { from: options.from, isMarkdown: true });
}

async function* readText(zip: Zip, content: ZipMember): AsyncGenerator<string> {
  const styles = new OdfStyles();
  const context: OdfContext = { styles, objects: await readObjects(zip) };
  const { headers, footers } = await readStylesPart(zip, context);
  yield headers.map((text) => `${text}\n\n`).join("");
  const body = new OdfText(context);
  const scanner = scanXml(withStyles(body, styles));
  for await (const text of readXml(zip, content)) {
    scanner.write(text);
    yield body.blocks.take();
  }
  scanner.end();
  yield body.blocks.end() + writeAsides(body) + footers.map((text) => `\n${text}\n`).join("");
}

/** Events that reach the styles as well as the text: the head of the part defines them. */
function withStyles(text: XmlEvents, styles: OdfStyles): XmlEvents {
  return {
    skips: skippedStyleElements,
    open(name, tag, at, end) {
      styles.open(name, tag);
      text.open(name, tag, at, end);
    },
    close(name, end) {
      styles.close(name);
      text.close(name, end);
    },
    text: (piece) => text.text?.(piece),
  };
}

/** Collects the styles of `styles.xml` and returns the headers and footers of its page layouts, each text once. */
async function readStylesPart(zip: Zip, context: OdfContext) {
  const frames = { header: new Set<string>(), footer: new Set<string>() };
  let current: { readonly kind: "header" | "footer"; readonly element: string; readonly text: OdfText } | undefined;
  await scanPart(zip, "styles.xml", {
    skips: skippedStyleElements,
    open(name, tag) {
      const kind = /^(header|footer)(-left|-first)?$/.exec(name)?.[1];
      if (current) current.text.open(name, tag);
      else if (kind === "header" || kind === "footer") current = { kind, element: name, text: new OdfText(context) };
      else context.styles.open(name, tag);
    },
    close(name) {
      if (current?.element !== name) return current ? current.text.close(name) : context.styles.close(name);
      const text = current.text.blocks.end().trim();
      // A bare page number is not text.
      if (!/^\W*\d*\W*$/u.test(text)) frames[current.kind].add(text);
      current = undefined;
    },
    text: (text) => current?.text.text(text),
  });
  return { headers: [...frames.header], footers: [...frames.footer] };
}

/** Footnotes and comments, after the text. */
function writeAsides({ notes, comments }: OdfText): string {
  const written = notes.map((text, index) => `\n[^${index + 1}]: ${text}\n`).join("");
  return comments.length === 0 ? written : `${written}\nComments:\n\n${comments.map((text) => `- ${text}\n`).join("")}`;
}

/** A presentation: one segment a slide, with its notes. */
export async function* readOdp(packed: Zip, options: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  const { zip, content } = await openPackage(packed, options);
  const slides = await readSlides(zip, content);
  if (slides.length === 0) throw new FailureError("no_text", "the presentation has no slides");
  yield { info: { ...(await readFacts(zip, "meta.xml")), pageName: "slide", pageCount: slides.length } };
  for (const [index, { text: slide, isHidden }] of slides.entries()) {
    if (index < options.from) continue;
    const heading = `Slide ${index + 1}${isHidden ? " (hidden)" : ""}`;
    const { text } = cleanText(`## ${heading}\n\n${slide}`.trim());
    const marks = [{ label: heading, level: 2, at: 0 }];
    const counts: SlideCounts = { hiddenSlides: isHidden ? 1 : 0 };
    const segment = { index, kind: "slide", label: `slide ${index + 1}`, text, marks } as const;
    yield { segment, note: { verdict: "read", counts } };
  }
}

type OdfSlide = { readonly text: string; readonly isHidden: boolean };

async function readSlides(zip: Zip, content: ZipMember): Promise<OdfSlide[]> {
  const slides: OdfSlide[] = [];
  const styles = new OdfStyles();
  const context: OdfContext = { styles, objects: await readObjects(zip) };
  await scanPart(zip, "styles.xml", styles);
  let slide: { readonly text: OdfText; readonly isHidden: boolean } | undefined;
  const scanner = scanXml({
    skips: skippedStyleElements,
    open(name, tag) {
      if (name === "page" && tag.prefix === "draw" && slides.length < MAX_SLIDES) {
        const isHidden = styles.find(tag.get("style-name")).isHidden ?? false;
        slide = { text: new OdfText(context), isHidden };
      } else if (name === "notes") slide?.text.blocks.paragraph("Notes:");
      else if (slide) slide.text.open(name, tag);
      else styles.open(name, tag);
    },
    close(name) {
      if (name !== "page" || slide === undefined) return slide ? slide.text.close(name) : styles.close(name);
      const { text, isHidden } = slide;
      slides.push({ text: (text.blocks.end() + writeAsides(text)).trim().replace(/\s*\bNotes:$/, ""), isHidden });
      slide = undefined;
    },
    text: (text) => slide?.text.text(text),
  });
  for await (const text of readXml(zip, content)) scanner.write(text);
  scanner.end();
  return slides;
}

const MAX_SLIDES = 20_000;

/** A spreadsheet: each sheet as a table. All sheets are in one part. */
export async function* readOds(packed: Zip, options: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  const { zip, content } = await openPackage(packed, options);
  const sheets = await listSheets(zip, content);
  if (sheets.length === 0) throw new FailureError("corrupt", "the package has no sheets");
  const hiddenSheets = sheets.filter(({ isHidden }) => isHidden).length;
  const facts = await readFacts(zip, "meta.xml");
  yield { info: { ...facts, pageName: "sheet", pageCount: sheets.length, hiddenSheets } };
  const scan = new SheetScan(zip, content);
  yield* toSheetSegments(
    sheets.map((sheet, index) => scan.open(sheet, index)),
    options.from,
  );
}

type SheetName = Pick<SheetSource, "name" | "isHidden">;

/** The sheets by name. A style says whether a sheet is hidden, and styles come first. */
async function listSheets(zip: Zip, content: ZipMember): Promise<SheetName[]> {
  const sheets: SheetName[] = [];
  const hiddenStyles = new Set<string>();
  let style = "";
  let depth = 0;
  await scanPart(zip, content.name, {
    open(name, tag) {
      if (name === "style") style = tag.get("name") ?? "";
      if (name === "table-properties" && tag.get("display") === "false") hiddenStyles.add(style);
      if (name !== "table") return;
      const isHidden = hiddenStyles.has(tag.get("style-name") ?? "");
      if (depth++ === 0 && sheets.length < MAX_SHEETS) sheets.push({ name: tag.get("name") ?? "", isHidden });
    },
    close(name) {
      if (name === "table") depth--;
    },
  });
  return sheets;
}

/** One pass over the part that holds all sheets; they are read in order. */
class SheetScan {
  readonly #sheets = new OdfSheets();
  readonly #scanner = scanXml(this.#sheets);
  readonly #chunks: AsyncGenerator<string>;
  #hasEnded = false;

  constructor(zip: Zip, content: ZipMember) {
    this.#chunks = readXml(zip, content);
  }

  open({ name, isHidden }: SheetName, index: number): SheetSource {
    return { name, isHidden, rows: () => this.#readRows(index), finish: () => this.#finish(index) };
  }

  async *#readRows(index: number): AsyncGenerator<Iterable<SheetRow>> {
    for (;;) {
      const sheet = this.#sheets.sheets[index];
      if (sheet) yield sheet.rows.take();
      if (sheet?.hasEnded || this.#hasEnded) return;
      await this.#readChunk();
    }
  }

  async #readChunk(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) this.#scanner.end();
    else this.#scanner.write(value);
    this.#hasEnded = done ?? false;
  }

  async #finish(index: number) {
    const sheet = this.#sheets.sheets[index];
    const { hiddenRows = 0, hiddenColumns = 0, comments = [], rows, mergedCells } = sheet ?? {};
    const counts: SheetCounts = { hiddenRows, hiddenColumns, cutCells: rows?.cutCells ?? 0 };
    const blocks = [mergedCells?.write() ?? "", comments.length === 0 ? "" : `Comments:\n\n${comments.join("\n")}`];
    return { text: blocks.filter((block) => block !== "").join("\n\n"), counts };
  }
}

type OdfPackage = { readonly zip: Zip; readonly content: ZipMember };

async function openPackage(packed: Zip, { password }: HandlerOptions): Promise<OdfPackage> {
  const zip = await openOdf(packed, password);
  const content = zip.find("content.xml");
  if (content === undefined && zip.find("encrypted-package"))
    throw new FailureError("encrypted", "unsupported encryption");
  if (content === undefined) throw new FailureError("corrupt", "the package has no content.xml");
  return { zip, content };
}
