/** Reads OpenDocument files: texts in one piece, presentations by slide, spreadsheets by sheet. */
import { cleanText } from "../../clean.ts";
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import { toTextSegments } from "../../text-segments.ts";
import { scanXml, type XmlTag } from "../../xml/scan-xml.ts";
import { type Zip, ZipError, type ZipMember } from "../../zip/open-zip.ts";
import { readFacts, readXml, scanPart } from "../package-parts.ts";
import { type SheetSource, toSheetSegments } from "../sheet-segments.ts";
import { OdfSheets } from "./odf-sheets.ts";
import { OdfText } from "./odf-text.ts";

/** A text document, or a drawing or formula, whose text is read in the same way. */
export async function* readOdt(zip: Zip, { from }: HandlerOptions): AsyncGenerator<ExtractItem> {
  const content = await findContent(zip);
  yield { info: await readFacts(zip, "meta.xml") };
  yield* toTextSegments(readText(zip, content), { from, isMarkdown: true });
}

async function* readText(zip: Zip, content: ZipMember): AsyncGenerator<string> {
  const body = new OdfText();
  const scanner = scanXml(body);
  for await (const text of readXml(zip, content)) {
    scanner.write(text);
    yield body.blocks.take();
  }
  scanner.end();
  yield body.blocks.end() + writeAsides(body);
}

/** Footnotes and comments, after the text. */
function writeAsides({ notes, comments }: OdfText): string {
  const written = notes.map((text, index) => `\n[^${index + 1}]: ${text}\n`).join("");
  return comments.length === 0 ? written : `${written}\nComments:\n\n${comments.map((text) => `- ${text}\n`).join("")}`;
}

/** A presentation: one segment a slide, with its notes. */
export async function* readOdp(zip: Zip, { from }: HandlerOptions): AsyncGenerator<ExtractItem> {
  const content = await findContent(zip);
  const slides = await readSlides(zip, content);
  yield { info: { ...(await readFacts(zip, "meta.xml")), pageCount: slides.length } };
  for (const [index, slide] of slides.entries()) {
    if (index < from) continue;
    const { text } = cleanText(`## Slide ${index + 1}\n\n${slide}`.trim());
    const marks = [{ label: `Slide ${index + 1}`, level: 2, at: 0 }];
    yield { segment: { index, kind: "slide", label: `slide ${index + 1}`, text, marks }, note: { verdict: "read" } };
  }
}

async function readSlides(zip: Zip, content: ZipMember): Promise<string[]> {
  const slides: string[] = [];
  let slide: OdfText | undefined;
  const scanner = scanXml({
    open(name: string, tag: XmlTag) {
      if (name === "page" && tag.prefix === "draw" && slides.length < MAX_SLIDES) slide = new OdfText();
      else if (name === "notes") slide?.blocks.paragraph("Notes:");
      else slide?.open(name, tag);
    },
    close(name) {
      if (name !== "page" || slide === undefined) return slide?.close(name);
      slides.push((slide.blocks.end() + writeAsides(slide)).trim());
      slide = undefined;
    },
    text: (text) => slide?.text(text),
  });
  for await (const text of readXml(zip, content)) scanner.write(text);
  scanner.end();
  return slides;
}

const MAX_SLIDES = 20_000;

/** A spreadsheet: each sheet as a table. All sheets are in one part, so it is scanned once for each. */
export async function* readOds(
  zip: Zip,
  { from }: HandlerOptions,
): AsyncGenerator<ExtractItem<{ readonly sheetCount: number }>> {
  const content = await findContent(zip);
  const names: { name: string }[] = [];
  await scanPart(zip, content.name, {
    open(name, tag) {
      if (name === "table" && names.length < MAX_SHEETS) names.push({ name: tag.get("name") ?? "" });
    },
    close: () => undefined,
  });
  yield { info: { ...(await readFacts(zip, "meta.xml")), sheetCount: names.length } };
  const sources = names.map(
    ({ name }, index): SheetSource => ({ name, isHidden: false, rows: () => readRows(zip, content, index) }),
  );
  yield* toSheetSegments(sources, from);
}

const MAX_SHEETS = 1_000;

async function* readRows(zip: Zip, content: ZipMember, index: number) {
  const sheets = new OdfSheets(index);
  const scanner = scanXml(sheets);
  for await (const text of readXml(zip, content)) {
    scanner.write(text);
    yield sheets.take();
    if (sheets.hasEnded) return;
  }
  scanner.end();
  yield sheets.take();
}

async function findContent(zip: Zip): Promise<ZipMember> {
  let isEncrypted = false;
  await scanPart(zip, "META-INF/manifest.xml", {
    open(name) {
      if (name === "encryption-data") isEncrypted = true;
    },
    close: () => undefined,
  });
  if (isEncrypted) throw new ZipError("encrypted", "the document is encrypted");
  const content = zip.find("content.xml");
  if (content === undefined) throw new ZipError("corrupt", "the package has no content.xml");
  return content;
}
