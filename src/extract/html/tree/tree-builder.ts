/** Builds the tree of a page from tags and text: implied end tags, foreign content, hidden elements, limits. */

import { frameTags } from "./embeds.ts";
import { type OwnStyle, readOwnStyle } from "./page-styles.ts";
import { findPayload } from "./payload-scripts.ts";
import type { StyleSheet } from "./style-rules.ts";
import {
  foreignClosers,
  formattingTags,
  headingTags,
  headTags,
  impliedEnds,
  inlineTags,
  paragraphBorders,
  paragraphClosers,
  scopeBorders,
  tableTags,
  voidTags,
} from "./tags.ts";
import { isFormulaImage } from "./tex-images.ts";
import { BACKGROUND_COLOR, TEXT_COLOR } from "./text-colors.ts";
import { type Attributes, type Element, isFormulaScript, type Payload, treeLimits } from "./tree.ts";
import { hidesElement } from "./visibility.ts";

const hidingAttributes = new Set(["hidden", "style", "aria-hidden", "bgcolor"]);
const usedAttributes = new Set(
  (
    "class id role href alt lang type name content property itemprop itemtype rel datetime colspan rowspan start value " +
    "data-lang data-language language encoding alttext shadowrootmode data-callout data-latex data-nosnippet data-testid checked display open " +
    // The sign of a line of a diff, which a style sheet shows.
    "data-code-marker data-type-marker"
  ).split(" "),
);

/** What is in place of an image until a script loads it: a pixel, or a drawing of nothing. */
const placeholder = /^data:image\/(?:gif|svg\+xml).{0,500}$/s;

/** Elements that show an icon; their label says what it means. */
const iconTags = new Set(["svg", "i", "span"]);

const isFrameTag = (tag: string): boolean => frameTags.has(tag);
const isCommentTag = (tag: string): boolean => tag.includes("-comment");

/** Attributes that are used on some elements only. */
const usedOnSome: ReadonlyMap<string, (tag: string) => boolean> = new Map([
  ["color", (tag) => tag === "font"],
  ["media", (tag) => tag === "style"],
  ["aria-label", (tag) => iconTags.has(tag)],
  ["src", (tag) => tag === "img" || frameTags.has(tag)],
  ["data-src", isFrameTag],
  ["title", isFrameTag],
  ["allowfullscreen", isFrameTag],
  // What a comment that is a custom element states about itself; the depth of one that is a row of a table.
  ["author", isCommentTag],
  ["depth", isCommentTag],
  ["indent", (tag) => tag === "td"],
]);

/** The attribute of an image that stands for a drawing. */
export const ICON = "data-icon";

const addressNames = new Set(["href", "src", "data-src"]);
const noAttributes: Attributes = Object.freeze({});
/** Elements whose text is not markup up to their end tag. Scripts are left out: their text would be read as a page. */
const rawTextTags = new Set(["title", "style", "textarea"]);
const textlessTags = new Set(["script", "style", "iframe", "noembed", "object", "applet"]);

/** Builds a tree from what a tokenizer finds, in the order of the source. */
export class TreeBuilder {
  readonly root = makeElement(0, "html", null, {}, false);
  readonly elements: Element[] = [this.root];
  readonly payloads: Payload[] = [];
  readonly styleSheets: StyleSheet[] = [];
  /** False once there are too many elements to continue. */
  isComplete = true;
  readonly #isXml: boolean;
  readonly #open: Element[] = [this.root];
  readonly #openCount = new Map<string, number>();
  readonly #styles = new Map<string, OwnStyle>();
  /** Start tags below the depth limit: they add no element, but their end tags must not end other elements. */
  readonly #tooDeep = new Map<string, number>();
  #payloadChars = 0;
  #styleChars = 0;
  #text = "";
  #tag = "";
  #attributes: Record<string, string> | undefined;
  #hidden = false;
  #ariaHidden = false;
  #foreignDepth = 0;
  /** The depths of the drawings around the page that is read: one for each `foreignObject` that is open. */
  readonly #outerDepths: number[] = [];
  /** Whether the drawing that is open has a label. */
  #icon: "none" | "labelled" | "hidden" = "none";
  #hasBody = false;

  constructor(isXml: boolean) {
    this.#isXml = isXml;
  }

  /** Whether the position is inside a drawing (svg), whose text is not part of the page but for `foreignObject`. */
  get isForeign(): boolean {
    return this.#foreignDepth > 0;
  }

  addText(text: string): void {
    this.#text += text;
  }

  /** Adds the text collected so far to the innermost open element. */
  endText(): void {
    const text = this.#text;
    this.#text = "";
    if (text === "" || this.isForeign) return;
    const parent = this.#top;
    if (!textlessTags.has(parent.tag) || isFormulaScript(parent)) parent.children.push(text);
    else if (parent.tag === "script") this.#keepPayload(parent, text);
    else if (parent.tag === "style") this.#keepStyle(parent, text);
  }

  /** Removes and returns the markup in a title, a style or a field that is not closed; "" if there is none. */
  takeUnclosed(): string {
    const { tag } = this.#top;
    const start = rawTextTags.has(tag) && this.#text.includes("</") ? this.#text.indexOf("<") : -1;
    if (start < 0) return "";
    const markup = this.#text.slice(start);
    this.#text = this.#text.slice(0, start);
    this.endText();
    this.#closeElement(tag);
    return markup;
  }

  beginTag(tag: string): void {
    this.#tag = tag;
    this.#clearAttributes();
  }

  /** Whether an attribute of this name is used on the tag that began. */
  usesAttribute(name: string): boolean {
    return usedAttributes.has(name) || hidingAttributes.has(name) || usedOnSome.get(name)?.(this.#tag) === true;
  }

  /** A long value is cut, but an address that is cut would lead somewhere else. Of data in place of one, only that counts. */
  addAttribute(name: string, value: string): void {
    if (value.length <= treeLimits.maxAttributeChars) this.#keepAttribute(name, value);
    else if (!addressNames.has(name) || value.startsWith("data:"))
      this.#keepAttribute(name, value.slice(0, treeLimits.maxAttributeChars));
  }

  #keepAttribute(name: string, value: string): void {
    if (name === "style") this.#addStyle(value);
    else if (name === "bgcolor") this.#setAttribute(BACKGROUND_COLOR, value);
    else if (name === "color" && this.#tag === "font") this.#setAttribute(TEXT_COLOR, value);
    else if (name === "aria-hidden") this.#ariaHidden = value.trim().toLowerCase() === "true";
    else if (name === "hidden") this.#hidden ||= hidesElement(name, value);
    else if (!value.startsWith("data:")) this.#setAttribute(name, value);
    else if (name === "src" && !placeholder.test(value)) this.#setAttribute(name, "data:");
  }

  /** Most styles are those of many elements, so each is read only once. */
  #addStyle(style: string): void {
    const own = this.#styles.get(style) ?? readOwnStyle(style);
    this.#styles.set(style, own);
    this.#hidden ||= own.isHiding;
    for (const [name, value] of own.attributes) this.#setAttribute(name, value);
  }

  /** Opens the tag that began, with the attributes added since. Few elements of HTML may be self-closing. */
  open(hasSlash: boolean): void {
    const tag = this.#tag;
    const selfClosing = hasSlash && (this.#isXml || tag === "svg" || this.isForeign || this.#isOpen("math"));
    if (this.isForeign && !this.#leavesForeign(tag, selfClosing)) return;
    this.endText();
    if (tag === "svg") this.#openDrawing(selfClosing);
    else if (tag === "html") Object.assign(this.root.attributes, this.#attributes);
    else if (tag === "body") this.#openBody();
    else this.#openElement(tag, selfClosing);
  }

  close(tag: string): void {
    if (this.isForeign) {
      if (tag === "title") this.#addIcon(this.#text);
      this.#text = "";
      if (tag === "svg") this.#foreignDepth -= 1;
      return;
    }
    this.endText();
    if (tag === "foreignobject" || tag === "svg") this.#closeForeignObject(tag);
    else this.#closeElement(tag);
  }

  get #top(): Element {
    return this.#open[this.#open.length - 1] ?? this.root;
  }

  #clearAttributes(): void {
    this.#attributes = undefined;
    this.#hidden = false;
    this.#ariaHidden = false;
  }

  #setAttribute(name: string, value: string): void {
    this.#attributes ??= {};
    this.#attributes[name] ??= value;
  }

  #keepPayload(script: Element, text: string): void {
    const payload = findPayload(script, text);
    if (payload === undefined || this.#payloadChars + text.length > treeLimits.maxPayloadChars) return;
    this.#payloadChars += text.length;
    this.payloads.push(payload);
  }

  /** Styles that are too long to read are like those of another file. */
  #keepStyle({ attributes: { media = "" } }: Element, text: string): void {
    this.#styleChars += text.length;
    this.styleSheets.push({ css: this.#styleChars > treeLimits.maxStyleChars ? "@import;" : text, media });
  }

  #openDrawing(selfClosing: boolean): void {
    this.#foreignDepth = selfClosing ? 0 : 1;
    this.#icon = this.#hidden || this.#ariaHidden ? "hidden" : "none";
    this.#addIcon(this.#attributes?.["aria-label"] ?? "");
  }

  /** A drawing is read as an image with its label, or with the first title inside it. */
  #addIcon(label: string): void {
    const alt = label.replace(/\s+/g, " ").trim();
    if (alt === "" || this.#icon !== "none") return;
    this.#icon = "labelled";
    this.#clearAttributes();
    this.#setAttribute("alt", alt);
    this.#setAttribute(ICON, "");
    this.#add("img");
  }

  #leavesForeign(tag: string, selfClosing: boolean): boolean {
    if (tag === "svg" && !selfClosing) this.#foreignDepth += 1;
    if (tag === "title") this.#text = "";
    if (tag === "foreignobject" && !selfClosing) this.#openForeignObject();
    if (!foreignClosers.has(tag)) return false;
    this.#foreignDepth = 0;
    return true;
  }

  /** Browsers show what is in a `foreignObject` like the rest of a page: the labels of a diagram. */
  #openForeignObject(): void {
    this.endText();
    this.#outerDepths.push(this.#foreignDepth);
    this.#foreignDepth = 0;
    this.#hidden ||= this.#icon === "hidden";
    this.#openElement("foreignobject", false);
  }

  /** The end of the drawing ends it too. */
  #closeForeignObject(tag: string): void {
    const depth = this.#outerDepths.pop();
    if (depth === undefined) return;
    this.#closeElement("foreignobject");
    this.#foreignDepth = tag === "svg" ? depth - 1 : depth;
  }

  #openBody(): void {
    if (this.#hasBody) return;
    this.#hasBody = true;
    this.#popTo(1);
    this.#push(this.#add());
  }

  #openElement(tag: string, selfClosing: boolean): void {
    this.#closeImplied(tag);
    if (selfClosing || voidTags.has(tag)) this.#add();
    else if (this.#open.length >= treeLimits.maxDepth) this.#openTooDeep(tag);
    else this.#push(this.#add());
  }

  #openTooDeep(tag: string): void {
    this.#tooDeep.set(tag, (this.#tooDeep.get(tag) ?? 0) + 1);
    this.#separateBlocks(tag);
  }

  /** Blocks below the depth limit have no element, but still get their own lines. */
  #separateBlocks(tag: string): void {
    const last = this.#top.children.at(-1);
    if (inlineTags.has(tag) || (typeof last === "object" && last.tag === "br")) return;
    this.#clearAttributes();
    this.#add("br");
  }

  #add(tag = this.#tag): Element {
    const parent = this.#top;
    if (this.#ariaHidden && !this.#hidden) this.#setAttribute("data-aria-hidden", "");
    const isHidden = this.#hidden || (this.#ariaHidden && !isFormulaImage(tag, this.#attributes));
    const element = makeElement(this.elements.length, tag, parent, this.#attributes ?? noAttributes, isHidden);
    this.elements.push(element);
    parent.children.push(element);
    if (this.elements.length >= treeLimits.maxElements) {
      this.isComplete = false;
    }
    return element;
  }

  #push(element: Element): void {
    this.#open.push(element);
    this.#countOpen(element.tag, 1);
  }

  #countOpen(tag: string, change: number): void {
    this.#openCount.set(tag, (this.#openCount.get(tag) ?? 0) + change);
  }

  /** Closes the open elements from a level on; below 1 there is nothing to close. */
  #popTo(level: number): void {
    while (level > 0 && this.#open.length > level) this.#countOpen(this.#open.pop()?.tag ?? "", -1);
  }

  /** The level of the innermost open element that is wanted, not looking past a border; -1 if there is none. */
  #levelOf(isWanted: (tag: string) => boolean, borders: ReadonlySet<string>): number {
    for (let level = this.#open.length - 1; level > 0; level -= 1) {
      const tag = this.#open[level]?.tag ?? "";
      if (isWanted(tag)) return level;
      if (borders.has(tag)) return -1;
    }
    return -1;
  }

  #isOpen(tag: string): boolean {
    return (this.#openCount.get(tag) ?? 0) > 0;
  }

  #closeImplied(tag: string): void {
    const { tag: top } = this.#top;
    if (top === "head" && !headTags.has(tag)) this.#popTo(this.#open.length - 1);
    if (paragraphClosers.has(tag) && this.#isOpen("p")) this.#popTo(this.#levelOf(isParagraph, paragraphBorders));
    if (headingTags.has(tag) && headingTags.has(this.#top.tag)) this.#popTo(this.#open.length - 1);
    const implied = impliedEnds.get(tag);
    if (implied !== undefined) this.#popTo(this.#levelOf((name) => implied.closes.has(name), implied.until));
    if (tag === "a" && this.#isOpen("a")) this.#closeElement("a");
  }

  #closeElement(tag: string): void {
    if (tag === "html" || tag === "body") return;
    const tooDeep = this.#tooDeep.get(tag) ?? 0;
    if (tooDeep > 0) {
      this.#tooDeep.set(tag, tooDeep - 1);
      this.#separateBlocks(tag);
    } else if (this.#top.tag === tag) this.#popTo(this.#open.length - 1);
    else if (this.#isOpen(tag))
      this.#closeFrom(
        this.#levelOf((name) => name === tag, bordersOf(tag)),
        tag,
      );
  }

  /** An inline element with open blocks inside ends alone, and only if it is formatting. */
  #closeFrom(level: number, tag: string): void {
    if (level < 0) return;
    const hasOpenInside = level + 1 < this.#open.length && inlineTags.has(tag);
    const crossesBlock = hasOpenInside && this.#open.slice(level + 1).some((inner) => !inlineTags.has(inner.tag));
    if (!crossesBlock) this.#popTo(level);
    else if (formattingTags.has(tag)) {
      this.#open.splice(level, 1);
      this.#countOpen(tag, -1);
    }
  }
}

function makeElement(
  index: number,
  tag: string,
  parent: Element | null,
  attributes: Attributes,
  hidden: boolean,
): Element {
  return { index, end: index + 1, tag, parent, children: [], attributes, hidden };
}

function isParagraph(tag: string): boolean {
  return tag === "p";
}

/** The end tag of a table's row or cell does not reach out of that table. */
const insideTable: ReadonlySet<string> = new Set(["table", "template"]);
const templateOnly: ReadonlySet<string> = new Set(["template"]);

function bordersOf(tag: string): ReadonlySet<string> {
  if (tag === "table") return templateOnly;
  return tableTags.has(tag) ? insideTable : scopeBorders;
}
