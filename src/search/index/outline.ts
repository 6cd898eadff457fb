/** The outline of a text that is too large to index whole: the lines that define something, each where it was. */
import { type Chunk, chunkText, measureLines } from "./chunk.ts";
import { findDefinition } from "./definitions.ts";
import { findInnerDefinitions, LONG_LINE_CHARS } from "./long-lines.ts";

/** Definitions of one file; those after them are left out. */
const MAX_OUTLINE_DEFINITIONS = 5_000;
/** Of a line that defines something, so much is kept. */
const MAX_KEPT_CHARS = 200;
/** Around a name in a very long line, so much is kept. */
const CHARS_BEFORE = 30;
const CHARS_AFTER = 60;

/** Why a file with very long lines has an outline. */
export const LONG_LINES = "minified or data: its lines are too long";

/** Where an outline leaves out a part of a line. */
export const OUTLINE_CUT = " ... ";

/** All lines of the text, of which those that define nothing are empty; null if none defines anything. */
export function outlineText(text: string): string | null {
  const { count, starts, indents } = measureLines(text);
  const kept: string[] = [];
  let definitions = 0;
  for (let line = 0; line < count; line++) {
    const [start, end] = [starts[line] ?? 0, starts[line + 1] ?? 0];
    const room = MAX_OUTLINE_DEFINITIONS - definitions;
    const found =
      room === 0 || indents[line] === -1 ? noExcerpt : outlineLine(text, start, end, indents[line] ?? 0, room);
    definitions += found.definitions;
    kept.push(found.text);
  }
  return definitions === 0 ? null : `${kept.join("\n")}\n`;
}

/** The chunks of an outline; those without any definition are left out. */
export function chunkOutline(outline: string): Chunk[] {
  return chunkText(outline).filter(({ start, end }) => outline.slice(start, end).trim() !== "");
}

type Excerpt = { readonly text: string; readonly definitions: number };
const noExcerpt: Excerpt = { text: "", definitions: 0 };

function outlineLine(text: string, start: number, end: number, indent: number, room: number): Excerpt {
  if (end - start > LONG_LINE_CHARS) return outlineLongLine(text, start, end, room);
  if (findDefinition(text, start, end, indent) === null) return noExcerpt;
  return { text: text.slice(start, Math.min(end, start + MAX_KEPT_CHARS)).trimEnd(), definitions: 1 };
}

/** Excerpts around the names that the line defines; neighbours that overlap become one. */
function outlineLongLine(text: string, start: number, end: number, room: number): Excerpt {
  const definitions = findInnerDefinitions(text, start, end, room);
  const excerpts: { from: number; to: number }[] = [];
  for (const definition of definitions) {
    const last = excerpts.at(-1);
    const [from, to] = [Math.max(start, definition.start - CHARS_BEFORE), Math.min(end, definition.end + CHARS_AFTER)];
    if (last !== undefined && from <= last.to) last.to = to;
    else excerpts.push({ from, to });
  }
  const texts = excerpts.map(({ from, to }) => text.slice(from, to).trim().toWellFormed());
  return { text: texts.join(OUTLINE_CUT), definitions: definitions.length };
}
