/** Reads Word documents before Word 2007. https://learn.microsoft.com/openspecs/office_file_formats/ms-doc */
import type { Body } from "../../../detect/kind.ts";
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import { requireText } from "../../require-text.ts";
import { toTextSegments } from "../../text-segments.ts";
import { readSummary } from "../summary.ts";
import { DocText } from "./doc-text.ts";
import { openDoc, type WordFile } from "./open-doc.ts";
import { readText, type TextRun } from "./pieces.ts";

/** The facts, then the text: body, text boxes, header and footer once, notes and comments. */
export async function* readDoc(body: Body, { from }: HandlerOptions): AsyncGenerator<ExtractItem> {
  const word = await openDoc(body);
  yield { info: word.compound === undefined ? {} : await readSummary(word.compound) };
  yield* requireText(toTextSegments(writeStories(word), { from, isMarkdown: true }), from);
}

async function* writeStories(word: WordFile): AsyncGenerator<string> {
  const { stories } = word;
  const main = new DocText(word);
  for await (const run of readText(word, stories.main)) {
    main.write(run);
    yield main.blocks.take();
  }
  yield main.end();
  yield* writeExtra(word, stories.textBoxes, "");
  yield* writeNotes(word, stories.footnotes, "");
  yield* writeNotes(word, stories.endnotes, "e");
  yield* writeExtra(word, stories.headers, "");
  yield* writeExtra(word, stories.comments, "Comments:");
}

type Story = { readonly start: number; readonly end: number };

/** Short lines of text that repeat, such as headers of each section, once. */
async function* writeExtra(word: WordFile, story: Story, title: string): AsyncGenerator<string> {
  const lines = (await readPlain(word, story)).split("\n").map((line) => line.trim());
  const texts = [...new Set(lines)].filter((line) => /\p{L}/u.test(line));
  if (texts.length > 0) yield `\n${title === "" ? "" : `${title}\n\n`}${texts.join("\n\n")}\n`;
}

/** Each note begins with its mark. */
async function* writeNotes(word: WordFile, story: Story, prefix: string): AsyncGenerator<string> {
  const notes = (await readPlain(word, story)).split(NOTE_MARK).slice(1);
  for (const [index, note] of notes.entries())
    yield `\n[^${prefix}${index + 1}]: ${note.replaceAll(/\s+/g, " ").trim()}\n`;
}

const NOTE_MARK = "\u0002";
const MAX_PLAIN_CHARS = 4 * 1024 * 1024;

async function readPlain(word: WordFile, story: Story): Promise<string> {
  let text = "";
  for await (const run of readText(word, story)) {
    text += plainText(run);
    if (text.length > MAX_PLAIN_CHARS) break;
  }
  return text;
}

/** Without instructions of fields; every mark that ends something becomes a line break. */
function plainText({ text }: TextRun): string {
  return text
    .replaceAll(
      /\u0013[^\u0013-\u0015]*\u0014|\u0013[^\u0013-\u0015]*\u0015|[\u0014\u0015\u0001\u0003-\u0006\u0008]/g,
      "",
    )
    .replaceAll(/[\r\u0007\u000b\u000c]/g, "\n");
}
