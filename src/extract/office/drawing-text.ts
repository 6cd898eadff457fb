/** Writes the shapes of a slide, of its notes, or on a sheet as Markdown: text, tables and descriptions of pictures. */

import { MarkdownBlocks } from "../markdown-blocks.ts";
import type { XmlEvents, XmlTag } from "../xml/scan-xml.ts";
import { EquationBuilder } from "./equations.ts";
import { toTable } from "./named-table.ts";
import type { Relation } from "./package-parts.ts";

type Line = { readonly level: number; readonly isItem: boolean; readonly text: string };
type Shape = { placeholder: string; readonly lines: Line[] };
type Paragraph = { level: number; bullet: boolean | undefined; text: string };
type Block = { readonly shape: Shape } | { readonly rows: string[][] };

/** Placeholders that repeat on every slide. */
const footerPlaceholders: ReadonlySet<string> = new Set(["dt", "ftr", "hdr"]);
const numberPlaceholders: ReadonlySet<string> = new Set(["sldNum", "sldImg"]);

/** Elements without text: how shapes look, and how slides are animated. */
const skippedElements: ReadonlySet<string> = new Set([
  "spPr",
  "grpSpPr",
  "blipFill",
  "bodyPr",
  "lstStyle",
  "tblPr",
  "tblGrid",
  "tcPr",
  "endParaRPr",
  "solidFill",
  "style",
  "timing",
  "transition",
]);

export class DrawingText implements XmlEvents {
  readonly skips = skippedElements;
  /** Relations to diagrams and charts, whose text is in other parts. */
  readonly references: string[] = [];
  isHidden = false;
  readonly #relations: ReadonlyMap<string, Relation>;
  readonly #blocks: Block[] = [];
  #shape: Shape = { placeholder: "", lines: [] };
  #rows: string[][] | undefined;
  #cell: string[] | undefined;
  #paragraph: Paragraph | undefined;
  #isInText = false;
  #hiddenDepth = 0;
  #linkTarget: string | undefined;
  #equation: { readonly builder: EquationBuilder; depth: number } | undefined;

  constructor(relations: ReadonlyMap<string, Relation>) {
    this.#relations = relations;
  }

  open(name: string, tag: XmlTag): void {
    if (this.#hiddenDepth > 0 || name === "Fallback") {
      this.#hiddenDepth++;
      return;
    }
    if (this.#equation) {
      this.#equation.depth++;
      this.#equation.builder.open(name, tag);
      return;
    }
    DrawingText.#openers.get(name)?.(this, tag);
  }

  close(name: string): void {
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth--;
      return;
    }
    if (this.#equation) {
      this.#closeInEquation(this.#equation);
      return;
    }
    DrawingText.#closers.get(name)?.(this);
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0) return;
    if (this.#equation) this.#equation.builder.text(text);
    else if (this.#isInText) this.#add(text);
  }

  /** The title of the slide, on one line. */
  get title(): string {
    const shape = this.#shapes.find(({ placeholder }) => isTitle(placeholder));
    return (shape?.lines ?? [])
      .map(({ text }) => text)
      .join(" ")
      .replaceAll(/\s+/g, " ")
      .trim();
  }

  /** Headers, footers and dates, which most slides share. */
  get footers(): string[] {
    return this.#readPlaceholders(footerPlaceholders);
  }

  /** The number that the slide shows, which need not be its place in the file. */
  get slideNumber(): string {
    return this.#readPlaceholders(numberPlaceholders).find((text) => /^\d+$/.test(text)) ?? "";
  }

  #readPlaceholders(names: ReadonlySet<string>): string[] {
    const shapes = this.#shapes.filter(({ placeholder }) => names.has(placeholder));
    return shapes.flatMap(({ lines }) => lines.map(({ text }) => text.trim()));
  }

  /** Everything but the title and the footers. */
  writeBody(): string {
    const blocks = new MarkdownBlocks();
    for (const block of this.#blocks) {
      if ("rows" in block) blocks.table(block.rows);
      else if (!isTitle(block.shape.placeholder)) writeShape(block.shape, blocks);
    }
    return blocks.end().trim();
  }

  get #shapes(): Shape[] {
    return this.#blocks.flatMap((block) => ("shape" in block ? [block.shape] : []));
  }

  static readonly #openers = toTable<(self: DrawingText, tag: XmlTag) => void>({
    sld: (self, tag) => {
      self.isHidden = tag.get("show") === "0";
    },
    sp: (self) => self.#startShape(),
    cxnSp: (self) => self.#startShape(),
    pic: (self) => self.#startShape(),
    grpSp: (self) => self.#startShape(),
    graphicFrame: (self) => self.#startShape(),
    ph: (self, tag) => {
      self.#shape.placeholder = tag.get("type") ?? "body";
    },
    cNvPr: (self, tag) => self.#describePicture(tag),
    tbl: (self) => {
      self.#rows = [];
      self.#blocks.push({ rows: self.#rows });
    },
    tr: (self) => self.#rows?.push([]),
    tc: (self) => {
      self.#cell = [];
    },
    p: (self) => {
      self.#paragraph = { level: 0, bullet: undefined, text: "" };
    },
    pPr: (self, tag) => {
      if (self.#paragraph) self.#paragraph.level = Number(tag.get("lvl") ?? 0) || 0;
    },
    buNone: (self) => self.#setBullet(false),
    buChar: (self) => self.#setBullet(true),
    buAutoNum: (self) => self.#setBullet(true),
    t: (self) => {
      self.#isInText = true;
    },
    br: (self) => self.#add("\n"),
    hlinkClick: (self, tag) => {
      const relation = self.#relations.get(tag.get("id") ?? "");
      if (relation?.isExternal && /^(https?|mailto):/i.test(relation.target)) self.#linkTarget = relation.target;
    },
    r: (self) => {
      self.#linkTarget = undefined;
    },
    relIds: (self, tag) => self.#refer(tag.get("dm")),
    chart: (self, tag) => self.#refer(tag.get("id")),
    oMath: (self) => {
      self.#equation = { builder: new EquationBuilder(), depth: 0 };
    },
  });

  static readonly #closers = toTable<(self: DrawingText) => void>({
    t: (self) => {
      self.#isInText = false;
    },
    r: (self) => {
      if (self.#linkTarget !== undefined && self.#paragraph) self.#add(` (${self.#linkTarget})`);
      self.#linkTarget = undefined;
    },
    p: (self) => self.#endParagraph(),
    tc: (self) => {
      self.#rows?.at(-1)?.push((self.#cell ?? []).join("\n"));
      self.#cell = undefined;
    },
    tbl: (self) => {
      self.#rows = undefined;
    },
  });

  #startShape(): void {
    this.#shape = { placeholder: "", lines: [] };
  }

  /** A shape is kept from its first line on: most have none. */
  #addLine(line: Line): void {
    if (this.#shape.lines.push(line) === 1) this.#blocks.push({ shape: this.#shape });
  }

  #describePicture(tag: XmlTag): void {
    const description = tag.get("descr")?.replaceAll(/\s+/g, " ").trim();
    if (description) this.#addLine({ level: 0, isItem: false, text: `[image: ${description}]` });
  }

  #setBullet(bullet: boolean): void {
    if (this.#paragraph) this.#paragraph.bullet = bullet;
  }

  #refer(id: string | undefined): void {
    const relation = this.#relations.get(id ?? "");
    if (relation && !relation.isExternal && this.references.length < MAX_REFERENCES)
      this.references.push(relation.target);
  }

  #add(text: string): void {
    if (this.#paragraph) this.#paragraph.text += text;
  }

  #closeInEquation(equation: { readonly builder: EquationBuilder; depth: number }): void {
    if (equation.depth > 0) {
      equation.depth--;
      equation.builder.close();
      return;
    }
    this.#equation = undefined;
    const tex = equation.builder.toTex();
    if (tex !== "") this.#add(`$${tex}$`);
  }

  #endParagraph(): void {
    const paragraph = this.#paragraph;
    this.#paragraph = undefined;
    if (paragraph === undefined || paragraph.text.trim() === "") return;
    if (this.#cell) this.#cell.push(paragraph.text);
    else {
      const isBody = this.#shape.placeholder === "body" || this.#shape.placeholder === "obj";
      const isItem = paragraph.bullet ?? (isBody || paragraph.level > 0);
      this.#addLine({ level: paragraph.level, isItem, text: paragraph.text });
    }
  }
}

const MAX_REFERENCES = 500;

const isTitle = (placeholder: string): boolean => placeholder === "title" || placeholder === "ctrTitle";

function writeShape({ placeholder, lines }: Shape, blocks: MarkdownBlocks): void {
  if (footerPlaceholders.has(placeholder) || numberPlaceholders.has(placeholder)) return;
  // One paragraph alone is a sentence, not a list.
  const isList = lines.length > 1;
  for (const { level, isItem, text } of lines) {
    if (isItem && isList) blocks.item(level, "-", text.trim());
    else blocks.paragraph(text.trim());
  }
}
