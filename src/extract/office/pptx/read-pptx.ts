/** Reads a presentation: one segment a slide, in the order of the show, with speaker notes and comments. */
import { cleanText } from "../../clean.ts";
import type { ExtractItem, HandlerOptions, Segment } from "../../handler.ts";
import { type Zip, ZipError } from "../../zip/open-zip.ts";
import { findTarget, findTargets, type Relation, readFacts, readRelations, scanPart } from "../package-parts.ts";
import { SlideText } from "./slide-text.ts";

/** Facts, then a segment for each slide. */
export async function* readPptx(zip: Zip, { from }: HandlerOptions): AsyncGenerator<ExtractItem> {
  const slides = await listSlides(zip);
  if (slides.length === 0 && zip.find("ppt/presentation.xml") === undefined)
    throw new ZipError("corrupt", "the package has no presentation");
  yield { info: { ...(await readFacts(zip, "docProps/core.xml")), pageCount: slides.length } };
  for (const [index, part] of slides.entries()) {
    if (index < from) continue;
    yield { segment: await readSlide(zip, part, index), note: { verdict: "read" } };
  }
}

/** The parts of the slides in order. */
async function listSlides(zip: Zip): Promise<string[]> {
  const main = findTarget(await readRelations(zip, ""), "officeDocument") ?? "ppt/presentation.xml";
  const relations = await readRelations(zip, main);
  const slides: string[] = [];
  await scanPart(zip, main, {
    open(name, tag) {
      // Its attributes are `id` and `r:id`; the relation is the one that leads to a slide.
      if (name !== "sldId") return;
      const target = findSlide(relations, tag.getAll("id"));
      if (target !== undefined && slides.length < MAX_SLIDES) slides.push(target);
    },
    close: () => undefined,
  });
  return slides;
}

const MAX_SLIDES = 20_000;

function findSlide(relations: ReadonlyMap<string, Relation>, ids: readonly string[]): string | undefined {
  return ids.map((id) => relations.get(id)).find((relation) => relation?.type === "slide")?.target;
}

async function readSlide(zip: Zip, part: string, index: number): Promise<Segment> {
  const relations = await readRelations(zip, part);
  const slide = new SlideText(relations);
  await scanPart(zip, part, slide);
  const parts = [
    `## Slide ${index + 1}${slide.title === "" ? "" : `: ${slide.title}`}${slide.isHidden ? " (hidden)" : ""}`,
    slide.writeBody(),
    ...(await Promise.all(slide.references.map((reference) => readTexts(zip, reference)))),
    await readNotes(zip, findTarget(relations, "notesSlide")),
    await readComments(zip, findTargets(relations, "comments")),
  ];
  const { text } = cleanText(parts.filter((block) => block !== "").join("\n\n"));
  const heading = text.slice(3, text.indexOf("\n") === -1 ? text.length : text.indexOf("\n"));
  return { index, kind: "slide", label: `slide ${index + 1}`, text, marks: [{ label: heading, level: 2, at: 0 }] };
}

async function readNotes(zip: Zip, part: string | undefined): Promise<string> {
  const notes = new SlideText(new Map());
  await scanPart(zip, part, notes);
  const text = notes.writeBody();
  return text === "" ? "" : `Notes: ${text}`;
}

/** The words of a diagram or a chart: titles, series, categories and values, in order. */
async function readTexts(zip: Zip, part: string): Promise<string> {
  const lines: string[] = [];
  let current: string | undefined;
  await scanPart(zip, part, {
    open(name) {
      if (name === "t" || name === "v") current = "";
      if (name === "p" || name === "ser" || name === "pt") lines.push("");
    },
    close(name) {
      if ((name !== "t" && name !== "v") || current === undefined) return;
      if (lines.length < MAX_CHART_LINES) lines[Math.max(0, lines.length - 1)] = `${lines.at(-1) ?? ""}${current}`;
      current = undefined;
    },
    text(text) {
      if (current !== undefined) current += text;
    },
  });
  const filled = lines.filter((line) => line.trim() !== "");
  return filled.every((line) => line.length < 40) ? filled.join("; ") : filled.map((line) => `- ${line}`).join("\n");
}

const MAX_CHART_LINES = 2_000;

async function readComments(zip: Zip, parts: readonly string[]): Promise<string> {
  const comments: string[] = [];
  for (const part of parts) {
    let isText = false;
    await scanPart(zip, part, {
      open(name) {
        if (name === "cm") comments.push("");
        isText = name === "text" || name === "t";
      },
      close() {
        isText = false;
      },
      text(text) {
        if (isText) comments[comments.length - 1] += text;
      },
    });
  }
  return comments.map((comment) => `Comment: ${comment.replaceAll(/\s+/g, " ").trim()}`).join("\n");
}
