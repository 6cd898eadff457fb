/** Reads a presentation: one segment a slide, in the order of the show, with speaker notes and comments. */
import { cleanText } from "../../clean.ts";
import { FailureError } from "../../failure-error.ts";
import type { ExtractItem, HandlerOptions } from "../../handler.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { readChart } from "../charts.ts";
import { makeDamagedItem, tryPart } from "../damaged-parts.ts";
import type { OfficeFacts, SlideCounts } from "../describe-office.ts";
import { DrawingText } from "../drawing-text.ts";
import {
  findMainPart,
  findTarget,
  findTargets,
  type Relation,
  readFacts,
  readRelations,
  scanPart,
} from "../package-parts.ts";
import { readAuthors, readComments } from "./slide-comments.ts";

/** Facts, then a segment for each slide. */
export async function* readPptx(zip: Zip, { from }: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  const presentation = await readPresentation(zip);
  const { slides } = presentation;
  yield { info: { ...(await readFacts(zip, "docProps/core.xml")), pageName: "slide", pageCount: slides.length } };
  for (const [index, part] of slides.entries()) {
    const slide = await tryPart(() => readSlide(zip, part, index, presentation));
    if (index >= from) yield slide ? toItem(slide, index) : makeDamagedItem("slide", index, `slide ${index + 1}`);
  }
}

type Presentation = {
  /** The parts of the slides in order. */
  readonly slides: readonly string[];
  readonly authors: ReadonlyMap<string, string>;
  /** Footers of earlier slides: each text is written once. */
  readonly seenFooters: Set<string>;
};

type Slide = { readonly title: string; readonly isHidden: boolean; readonly blocks: readonly string[] };

async function readPresentation(zip: Zip): Promise<Presentation> {
  const main = await findMainPart(zip, "ppt/presentation.xml");
  const relations = await readRelations(zip, main);
  const listed = await listSlides(zip, main, relations);
  const slides = listed.length > 0 ? listed : findSlides(zip);
  if (zip.find(main) === undefined && slides.length === 0)
    throw new FailureError("corrupt", "the package has no presentation");
  if (slides.length === 0) throw new FailureError("no_text", "the presentation has no slides");
  return { slides, authors: await readAuthors(zip, relations), seenFooters: new Set() };
}

async function listSlides(zip: Zip, main: string, relations: ReadonlyMap<string, Relation>): Promise<string[]> {
  const slides: string[] = [];
  await scanPart(zip, main, {
    open(name, tag) {
      if (name !== "sldId") return;
      // Its attributes are `id` and `r:id`; the relation is the one that leads to a slide.
      const relation = tag.getAll("id").map((id) => relations.get(id));
      const target = relation.find((found) => found?.type === "slide")?.target;
      if (target !== undefined && slides.length < MAX_SLIDES) slides.push(target);
    },
    close: () => undefined,
  });
  return slides;
}

const MAX_SLIDES = 20_000;

/** The slides of a package that does not list them, by number. */
function findSlides(zip: Zip): string[] {
  const numberOf = (name: string): number => Number(/(\d+)\.xml$/.exec(name)?.[1]);
  const names = zip.members.map(({ name }) => name).filter((name) => /^ppt\/slides\/slide\d+\.xml$/i.test(name));
  return names.sort((one, other) => numberOf(one) - numberOf(other)).slice(0, MAX_SLIDES);
}

async function readSlide(
  zip: Zip,
  part: string,
  index: number,
  { authors, seenFooters }: Presentation,
): Promise<Slide> {
  const relations = await readRelations(zip, part);
  const drawing = new DrawingText(relations);
  await scanPart(zip, part, drawing);
  const notes = new DrawingText(new Map());
  await scanPart(zip, findTarget(relations, "notesSlide"), notes);
  const blocks = [drawing.writeBody()];
  for (const reference of drawing.references) blocks.push(await readChart(zip, reference));
  blocks.push(
    notes.writeBody().replace(/^(?=.)/s, "Notes: "),
    await readComments(zip, findTargets(relations, "comments"), authors),
    ["", String(index + 1)].includes(drawing.slideNumber) ? "" : `Shown as slide ${drawing.slideNumber}`,
    ...takeNew([...drawing.footers, ...notes.footers], seenFooters),
  );
  return { title: drawing.title, isHidden: drawing.isHidden, blocks };
}

/** The texts that were not seen before, which are then. */
function takeNew(texts: readonly string[], seen: Set<string>): string[] {
  const fresh = [...new Set(texts)].filter((text) => text !== "" && !seen.has(text));
  for (const text of fresh) seen.add(text);
  return fresh;
}

function toItem({ title, isHidden, blocks }: Slide, index: number): ExtractItem {
  const counts: SlideCounts = { hiddenSlides: isHidden ? 1 : 0 };
  const name = `Slide ${index + 1}${title === "" ? "" : `: ${title}`}${isHidden ? " (hidden)" : ""}`;
  const heading = cleanText(name).text;
  const { text } = cleanText([`## ${heading}`, ...blocks].filter((block) => block !== "").join("\n\n"));
  const marks = [{ label: heading, level: 2, at: 0 }];
  const segment = { index, kind: "slide", label: `slide ${index + 1}`, text, marks } as const;
  return { segment, note: { verdict: "read", counts } };
}
