/** The HTML engine: parses the whole page, then yields it in segments with their headings. */
import { type Cleaner, cleanText, createCleaner } from "../clean.ts";
import { type DecodeTally, decodeText } from "../decode-text.ts";
import type { ExtractItem, Info, LocalFile, Mark } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import type { Engine } from "../pool/child-loop.ts";
import { splitSegments } from "../split-segments.ts";
import type { HtmlFacts } from "./describe-html.ts";
import { extractHtml, type HtmlExtract } from "./page.ts";
import { addTitleHeading } from "./title-heading.ts";

/** Reads the main content of a page as Markdown, or as plain text in mode text. */
export const htmlEngine: Engine = {
  async *extract(file, { mode, links, from }) {
    const tally = { undecoded: 0 };
    const writtenMode = mode === "text" ? "text" : "markdown";
    const page = extractHtml(await readSource(file, tally), { url: file.url, mode: writtenMode, links });
    const cleaner = createCleaner();
    const { text, marks } = cleanWithMarks(addTitleHeading(page, writtenMode), cleaner);
    yield { info: { ...toInfo(page), removed: cleaner.removed, ...tally } };
    yield* splitWithMarks(text, marks, from);
  },
};

async function readSource(file: LocalFile, tally: DecodeTally): Promise<string> {
  const texts = decodeText(readBytes(file, new AbortController().signal), file.charset, tally);
  return (await Array.fromAsync(texts)).join("");
}

function toInfo({ method, keptShare, needsJs, linkBase, metadata }: HtmlExtract): Info<HtmlFacts> {
  return { ...cleanFacts(metadata), method, keptShare, needsJs, ...(linkBase !== undefined && { linkBase }) };
}

/** Longer metadata is not a fact but text. */
const MAX_FACT_CHARS = 300;

function cleanFacts(facts: HtmlExtract["metadata"]): Info {
  const short = Object.entries(facts).filter(([, fact]) => fact.length <= MAX_FACT_CHARS);
  return Object.fromEntries(short.map(([name, fact]) => [name, cleanText(fact).text.replaceAll("\n", " ")]));
}

/** Cleans the text from heading to heading, so that every mark keeps its place. */
function cleanWithMarks({ text, marks }: Pick<HtmlExtract, "text" | "marks">, cleaner: Cleaner) {
  const cleaned: string[] = [];
  let chars = 0;
  let from = 0;
  const cleanUpTo = (to: number): number => {
    const clean = cleaner.push(text.slice(from, to)) + cleaner.flush();
    // Between the sign of a heading and its text, a removed character leaves the blank that followed it.
    const piece = cleaned.length === 0 ? clean : clean.replace(/^(#{1,6}) +/, "$1 ");
    cleaned.push(piece);
    from = to;
    chars += piece.length;
    return chars;
  };
  const cleanMarks = marks.map(({ label, level, at }) => ({
    label: cleanText(label).text.trim(),
    level,
    at: cleanUpTo(at),
  }));
  cleanUpTo(text.length);
  return { text: cleaned.join(""), marks: cleanMarks };
}

async function* splitWithMarks(text: string, marks: readonly Mark[], from: number): AsyncGenerator<ExtractItem> {
  let start = 0;
  let next = 0;
  for await (const piece of splitSegments([text])) {
    const end = start + piece.text.length;
    const segmentMarks: Mark[] = [];
    for (let mark = marks[next]; mark !== undefined && mark.at < end; mark = marks[++next]) {
      segmentMarks.push({ ...mark, at: mark.at - start });
    }
    if (piece.index >= from) yield { segment: { ...piece, kind: "whole", marks: segmentMarks } };
    start = end;
  }
}
