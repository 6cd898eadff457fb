/** Reads a Word document: headers once, the body, then notes and comments, footers once. */
import { FailureError } from "../../failure-error.ts";
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import { toTextSegments } from "../../text-segments.ts";
import { scanXml } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { readChart } from "../charts.ts";
import {
  findMainPart,
  findTarget,
  findTargets,
  readFacts,
  readRelations,
  readXml,
  scanPart,
} from "../package-parts.ts";
import { type Inclusions, readAltChunks, startInclusions } from "./alt-chunks.ts";
import { DocxBody, type DocxContext } from "./body.ts";
import { readNumbering } from "./numbering.ts";
import { readStyles } from "./styles.ts";

/** Notes and comments are kept until the body ends; a document that has more loses the rest. */
const MAX_NOTES_CHARS = 8 * 1024 * 1024;

/** Headers and footers that are read; each section of a document may have three. */
const MAX_FRAMES = 500;

/** Facts, then the text in Markdown. */
export async function* readDocx(zip: Zip, { from }: HandlerOptions): AsyncGenerator<ExtractItem> {
  yield { info: await readFacts(zip, "docProps/core.xml") };
  yield* toTextSegments(readText(zip, startInclusions()), { from, isMarkdown: true });
}

async function* readText(zip: Zip, inclusions: Inclusions): AsyncGenerator<string> {
  const part = await findMainPart(zip, "word/document.xml");
  const member = zip.find(part);
  if (member === undefined) throw new FailureError("corrupt", "the package has no document");
  const relations = await readRelations(zip, part);
  const context: DocxContext = {
    relations,
    styles: await readStyles(zip, findTarget(relations, "styles")),
    numbering: await readNumbering(zip, findTarget(relations, "numbering")),
    notePrefix: inclusions.notePrefix,
  };
  yield* readFrames(zip, context, "header");
  const body = new DocxBody(context);
  yield* writeBody(body, readXml(zip, member));
  yield* readAltChunks(zip, relations, inclusions, readText);
  for (const reference of body.references) yield `\n${await readChart(zip, reference)}\n`;
  yield* readNotes(zip, context, body.notes);
  yield* readFrames(zip, context, "footer");
}

/** The text of the body; before an error, what was read up to it. */
async function* writeBody(body: DocxBody, xml: AsyncIterable<string>): AsyncGenerator<string> {
  const scanner = scanXml(body);
  try {
    for await (const text of xml) {
      scanner.write(text);
      yield body.blocks.take();
    }
    scanner.end();
  } catch (error) {
    yield body.blocks.end();
    throw error;
  }
  yield body.blocks.end();
}

/** The headers or footers of all sections, each text once. */
async function* readFrames(zip: Zip, context: DocxContext, type: "header" | "footer"): AsyncGenerator<string> {
  const seen = new Set<string>();
  const targets = new Set(findTargets(context.relations, type));
  for (const target of [...targets].slice(0, MAX_FRAMES)) {
    const text = (await readStory(zip, target, context)).trim();
    // A bare page number is no text.
    if (text === "" || /^\W*\d*\W*$/u.test(text) || seen.has(text)) continue;
    seen.add(text);
    yield type === "header" ? `${text}\n\n` : `\n${text}\n`;
  }
}

async function readStory(zip: Zip, part: string, context: DocxContext): Promise<string> {
  const body = new DocxBody({ ...context, relations: await readRelations(zip, part) });
  await scanPart(zip, part, body);
  return body.blocks.end();
}

async function* readNotes(zip: Zip, context: DocxContext, notes: DocxBody["notes"]): AsyncGenerator<string> {
  if (notes.length === 0) return;
  const read = (kind: NoteKind): Promise<ReadonlyMap<string, Note>> =>
    readNoteTexts(zip, context, kind, new Set(notes.flatMap((note) => (note.kind === kind ? [note.id] : []))));
  const texts = { footnote: await read("footnote"), endnote: await read("endnote"), comment: await read("comment") };
  const marked = notes.filter(({ kind }) => kind !== "comment");
  for (const [index, { kind, id }] of marked.entries())
    yield `\n[^${context.notePrefix}${index + 1}]: ${texts[kind].get(id)?.text ?? ""}\n`;
  const comments = notes.flatMap(({ kind, id }) => (kind === "comment" ? [texts.comment.get(id)] : []));
  const written = comments.flatMap((note) => (note?.text ? [`- ${note.author || "Comment"}: ${note.text}\n`] : []));
  if (written.length > 0) yield `\nComments:\n\n${written.join("")}`;
}

type Note = { readonly text: string; readonly author: string };
type NoteKind = DocxBody["notes"][number]["kind"];

/** The notes with these ids. */
async function readNoteTexts(
  zip: Zip,
  context: DocxContext,
  kind: NoteKind,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Note>> {
  const notes = new Map<string, Note>();
  const part = findTarget(context.relations, `${kind}s`);
  if (part === undefined || ids.size === 0) return notes;
  const body = new DocxBody({ ...context, relations: await readRelations(zip, part) });
  let current: { readonly id: string; readonly author: string } | undefined;
  let chars = 0;
  await scanPart(zip, part, {
    open(name, tag) {
      if (current) return body.open(name, tag);
      const id = name === kind ? (tag.get("id") ?? "") : undefined;
      if (id !== undefined && ids.has(id) && !notes.has(id)) current = { id, author: tag.get("author") ?? "" };
    },
    close(name) {
      if (current === undefined) return;
      if (name !== kind) return body.close(name);
      const text = body.blocks
        .end()
        .trim()
        .replaceAll(/\s*\n\s*/g, " ");
      chars += text.length;
      if (chars < MAX_NOTES_CHARS) notes.set(current.id, { text, author: current.author });
      current = undefined;
    },
    text(text) {
      if (current) body.text(text);
    },
  });
  return notes;
}
