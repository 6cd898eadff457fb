/** The HTML engine as it runs in a child: the whole page is read, then handed on in pieces with their headings. */
import { type Cleaner, cleanText, createCleaner } from "../clean.ts";
import { decodeText } from "../decode-text.ts";
import type { Extracted, Info, LocalFile, Mark } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import type { Engine } from "../pool/child-loop.ts";
import { splitSegments } from "../split-segments.ts";
import type { HtmlFacts } from "./describe-html.ts";
import { extractHtml, type HtmlExtract } from "./page.ts";

/** Reads the main content of a page as Markdown, or as text where that is asked for. */
export const html: Engine = {
  async *extract(file, { mode, from }) {
    const page = extractHtml(await sourceOf(file), { url: file.url, mode: mode === "text" ? "text" : "markdown" });
    const cleaner = createCleaner();
    const { text, marks } = cleanWithMarks(page, cleaner);
    yield { info: { ...infoOf(page), removed: cleaner.removed } };
    yield* segmentsOf(text, marks, from);
  },
};

async function sourceOf(file: LocalFile): Promise<string> {
  const texts = decodeText(readBytes(file, new AbortController().signal), file.charset);
  return (await Array.fromAsync(texts)).join("");
}

function infoOf({ method, keptShare, needsJs, metadata }: HtmlExtract): Info<HtmlFacts> {
  return { ...cleanFacts(metadata), method, keptShare, needsJs };
}

const longestFactChars = 300;

function cleanFacts(facts: HtmlExtract["metadata"]): Info {
  const told = Object.entries(facts).filter(([, fact]) => fact.length <= longestFactChars);
  return Object.fromEntries(told.map(([name, fact]) => [name, cleanText(fact).text.replaceAll("\n", " ")]));
}

/** Cleans the text from heading to heading, so that each is still found where it stands. */
function cleanWithMarks({ text, marks }: Pick<HtmlExtract, "text" | "marks">, cleaner: Cleaner) {
  const pieces: string[] = [];
  let chars = 0;
  let from = 0;
  const cleanUpTo = (to: number): number => {
    const piece = cleaner.push(text.slice(from, to)) + cleaner.flush();
    pieces.push(piece);
    from = to;
    chars += piece.length;
    return chars;
  };
  const placed = marks.map(({ label, level, at }) => ({ label: cleanText(label).text, level, at: cleanUpTo(at) }));
  cleanUpTo(text.length);
  return { text: pieces.join(""), marks: placed };
}

async function* segmentsOf(text: string, marks: readonly Mark[], from: number): AsyncGenerator<Extracted> {
  let start = 0;
  let next = 0;
  for await (const piece of splitSegments([text])) {
    const end = start + piece.text.length;
    const own: Mark[] = [];
    for (let mark = marks[next]; mark !== undefined && mark.at < end; mark = marks[++next]) {
      own.push({ ...mark, at: mark.at - start });
    }
    if (piece.index >= from) yield { segment: { ...piece, kind: "whole", marks: own } };
    start = end;
  }
}
