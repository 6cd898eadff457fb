/** The light tree of a page and how it grows: tags that end others, what stands outside the text, and its limits. */

import { type Payload, payloadOf } from "../data/payloads.ts";
import { texOfAddress } from "../math/tex-images.ts";
import { isFrameAttribute } from "./embeds.ts";
import {
  closesParagraph,
  formattingTags,
  headings,
  headTags,
  impliedEnds,
  inlineTags,
  leavesForeign,
  paragraphBorders,
  scopeBorders,
  tableTags,
  voidTags,
} from "./tags.ts";

export type Node = Element | string;

export type Element = {
  /** Place in document order: an element's descendants are those from `index + 1` up to `end`. */
  readonly index: number;
  end: number;
  readonly tag: string;
  readonly parent: Element | null;
  readonly children: Node[];
  readonly attributes: Attributes;
  /** Not shown by its own attributes; class names are judged elsewhere. */
  hidden: boolean;
};

export type Attributes = Readonly<Partial<Record<string, string>>>;

export type Page = {
  readonly root: Element;
  /** Every element in document order, parents before their children. */
  readonly elements: readonly Element[];
  readonly payloads: readonly Payload[];
  /** False when a limit was met: the tree then ends early. */
  readonly complete: boolean;
};

/** Bounds on the tree of one page. */
export const limits = { depth: 500, elements: 400_000, attributeChars: 4096, payloadChars: 8_000_000 } as const;

const hidingAttributes = new Set(["hidden", "style", "aria-hidden"]);
const keptAttributes = new Set(
  (
    "class id role href alt lang type name content property itemprop itemtype rel datetime colspan rowspan start value " +
    "data-lang data-language language encoding alttext shadowrootmode data-callout data-math data-latex data-nosnippet data-testid checked display open"
  ).split(" "),
);

/** Whether anything is read from an attribute of this name. */
export function keepsAttribute(tag: string, name: string): boolean {
  return keptAttributes.has(name) || hidingAttributes.has(name) || isAddress(tag, name) || isFrameAttribute(tag, name);
}

/** Pictures are not read, but some addresses tell what formula is drawn there. */
function isAddress(tag: string, name: string): boolean {
  return tag === "img" && name === "src";
}

const noAttributes: Attributes = Object.freeze({});
/** Elements whose text is no markup up to their end tag. Scripts are not among them: theirs would be taken for a page. */
const rawTextTags = new Set(["title", "style", "textarea"]);
const droppedText = new Set(["script", "style", "iframe", "noembed", "object", "applet"]);

/** Grows by what a tokenizer finds, in the order of the source. */
export class Tree {
  readonly root = element(0, "html", null, {}, false);
  readonly elements: Element[] = [this.root];
  readonly payloads: Payload[] = [];
  complete = true;
  /** Called when there are too many elements to go on. */
  onLimit = (): void => {};
  readonly #open: Element[] = [this.root];
  readonly #openCount = new Map<string, number>();
  /** Elements opened below the depth limit: not kept apart, but their end tags must not end others. */
  readonly #tooDeep = new Map<string, number>();
  #payloadChars = 0;
  #text = "";
  #tag = "";
  #attributes: Record<string, string> | undefined;
  #hidden = false;
  #unspoken = false;
  #foreignDepth = 0;
  #inForeignObject = false;
  #hasBody = false;

  /** Inside a drawing, whose text is not the page's. */
  get isForeign(): boolean {
    return this.#foreignDepth > 0;
  }

  /** Inside a formula, where any element may end in its start tag. */
  get isInMath(): boolean {
    return this.#isOpen("math");
  }

  addText(text: string): void {
    this.#text += text;
  }

  /** Gives the text so far to the element it stands in. */
  endText(): void {
    const text = this.#text;
    this.#text = "";
    if (text === "" || this.isForeign) return;
    const holder = this.#top;
    if (!droppedText.has(holder.tag) || isFormula(holder)) holder.children.push(text);
    else if (holder.tag === "script") this.#keepPayload(holder, text);
  }

  /** The markup in a title, a style or a field that nobody closed, taken out of it; "" where there is none. */
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
    this.#forgetAttributes();
  }

  addAttribute(name: string, value: string): void {
    if (name === "style" && value.includes("user-select:none")) this.#setAttribute("data-unselectable", "");
    if (name === "style" && transparent.test(value)) this.#setAttribute("data-transparent", "");
    if (isAddress(this.#tag, name)) this.#setTex(texOfAddress(value));
    else if (name === "aria-hidden") this.#unspoken = value.trim().toLowerCase() === "true";
    else if (hidingAttributes.has(name)) this.#hidden ||= hides(name, value);
    else if (!value.startsWith("data:")) this.#setAttribute(name, value);
  }

  /** Opens the tag that began, with the attributes that were added since. */
  open(selfClosing: boolean): void {
    const tag = this.#tag;
    if (this.isForeign && !this.#leavesForeign(tag, selfClosing)) return;
    this.endText();
    if (tag === "svg") this.#foreignDepth = selfClosing ? 0 : 1;
    else if (tag === "html") Object.assign(this.root.attributes, this.#attributes);
    else if (tag === "body") this.#openBody();
    else this.#openElement(tag, selfClosing);
  }

  close(tag: string): void {
    if (this.isForeign) {
      this.#text = "";
      if (tag === "svg") this.#foreignDepth -= 1;
      if (tag === "foreignobject") this.#inForeignObject = false;
      return;
    }
    this.endText();
    this.#closeElement(tag);
  }

  get #top(): Element {
    return this.#open[this.#open.length - 1] ?? this.root;
  }

  #forgetAttributes(): void {
    this.#attributes = undefined;
    this.#hidden = false;
    this.#unspoken = false;
  }

  #setAttribute(name: string, value: string): void {
    this.#attributes ??= {};
    this.#attributes[name] ??= value;
  }

  #setTex(tex: string | undefined): void {
    if (tex !== undefined) this.#setAttribute("data-math", tex);
  }

  #keepPayload(script: Element, text: string): void {
    const payload = payloadOf(script, text);
    if (payload === undefined || this.#payloadChars + text.length > limits.payloadChars) return;
    this.#payloadChars += text.length;
    this.payloads.push(payload);
  }

  #leavesForeign(tag: string, selfClosing: boolean): boolean {
    if (tag === "svg" && !selfClosing) this.#foreignDepth += 1;
    if (tag === "foreignobject") this.#inForeignObject = true;
    if (this.#inForeignObject || !leavesForeign.has(tag)) return false;
    this.#foreignDepth = 0;
    return true;
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
    else if (this.#open.length >= limits.depth) this.#openTooDeep(tag);
    else this.#push(this.#add());
  }

  #openTooDeep(tag: string): void {
    this.#tooDeep.set(tag, (this.#tooDeep.get(tag) ?? 0) + 1);
    this.#partBlocks(tag);
  }

  /** Blocks too deep to be kept apart still stand on lines of their own. */
  #partBlocks(tag: string): void {
    const last = this.#top.children.at(-1);
    if (inlineTags.has(tag) || (typeof last === "object" && last.tag === "br")) return;
    this.#forgetAttributes();
    this.#add("br");
  }

  #add(tag = this.#tag): Element {
    const parent = this.#top;
    if (this.#unspoken && !this.#hidden) this.#setAttribute("data-unspoken", "");
    const isHidden = this.#hidden || this.#unspoken;
    const made = element(this.elements.length, tag, parent, this.#attributes ?? noAttributes, isHidden);
    this.elements.push(made);
    parent.children.push(made);
    if (this.elements.length >= limits.elements) {
      this.complete = false;
      this.onLimit();
    }
    return made;
  }

  #push(made: Element): void {
    this.#open.push(made);
    this.#count(made.tag, 1);
  }

  #count(tag: string, change: number): void {
    this.#openCount.set(tag, (this.#openCount.get(tag) ?? 0) + change);
  }

  /** Takes the elements from a place on off the list of open ones; below 1 there is nothing to take. */
  #popTo(place: number): void {
    while (place > 0 && this.#open.length > place) this.#count(this.#open.pop()?.tag ?? "", -1);
  }

  /** The place of the innermost open element of these, not looking past a border; -1 when there is none. */
  #placeOf(wanted: (tag: string) => boolean, borders: ReadonlySet<string>): number {
    for (let place = this.#open.length - 1; place > 0; place -= 1) {
      const tag = this.#open[place]?.tag ?? "";
      if (wanted(tag)) return place;
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
    if (closesParagraph.has(tag) && this.#isOpen("p")) this.#popTo(this.#placeOf(isParagraph, paragraphBorders));
    if (headings.has(tag) && headings.has(this.#top.tag)) this.#popTo(this.#open.length - 1);
    const implied = impliedEnds[tag];
    if (implied !== undefined) this.#popTo(this.#placeOf((name) => implied.closes.has(name), implied.until));
    if (tag === "a" && this.#isOpen("a")) this.#closeElement("a");
  }

  #closeElement(tag: string): void {
    if (tag === "html" || tag === "body") return;
    const deeper = this.#tooDeep.get(tag) ?? 0;
    if (deeper > 0) {
      this.#tooDeep.set(tag, deeper - 1);
      this.#partBlocks(tag);
    } else if (this.#isOpen(tag))
      this.#closeFrom(
        this.#placeOf((name) => name === tag, bordersOf(tag)),
        tag,
      );
  }

  /** The end of an inline element that blocks were opened in ends only itself, and only if it is formatting. */
  #closeFrom(place: number, tag: string): void {
    if (place < 0) return;
    const crossesBlock = inlineTags.has(tag) && this.#open.slice(place + 1).some((one) => !inlineTags.has(one.tag));
    if (!crossesBlock) this.#popTo(place);
    else if (formattingTags.has(tag)) {
      this.#open.splice(place, 1);
      this.#count(tag, -1);
    }
  }
}

function element(index: number, tag: string, parent: Element | null, attributes: Attributes, hidden: boolean): Element {
  return { index, end: index + 1, tag, parent, children: [], attributes, hidden };
}

/**
 * The text under an element, markup aside: all of it, or at least so many of its first characters. Then the number
 * of elements is bounded too, so that looking at the start of something costs the same however large it is.
 */
export function flatText(element: Element, enoughChars = Number.POSITIVE_INFINITY): string {
  const mostElements = 2 * limits.depth + enoughChars;
  const pieces: string[] = [];
  let chars = 0;
  let elements = 0;
  const stack: { readonly element: Element; next: number }[] = [{ element, next: 0 }];
  for (
    let frame = stack.at(-1);
    frame !== undefined && chars < enoughChars && elements < mostElements;
    frame = stack.at(-1)
  ) {
    const child = frame.element.children[frame.next];
    frame.next += 1;
    if (child === undefined) stack.pop();
    else if (typeof child === "string") {
      pieces.push(child);
      chars += child.length;
    } else {
      elements += 1;
      stack.push({ element: child, next: 0 });
    }
  }
  return pieces.join("");
}

/** Tells whether an element is, or holds, one of some kind: each answer costs the same however large the element is. */
export function createHolds(
  { elements }: Page,
  isWanted: (element: Element) => boolean,
): (element: Element) => boolean {
  const before = new Int32Array(elements.length + 1);
  for (const [at, element] of elements.entries()) before[at + 1] = (before[at] ?? 0) + (isWanted(element) ? 1 : 0);
  return ({ index, end }) => (before[end] ?? 0) > (before[index] ?? 0);
}

/** Older pages carry the source of formulas in scripts. */
export function isFormula({ tag, attributes }: Element): boolean {
  return tag === "script" && attributes.type?.startsWith("math/") === true;
}

function isParagraph(tag: string): boolean {
  return tag === "p";
}

/** An end tag of a part of a table stays inside that table. */
const insideTable: ReadonlySet<string> = new Set(["table", "template"]);
const templateOnly: ReadonlySet<string> = new Set(["template"]);

function bordersOf(tag: string): ReadonlySet<string> {
  if (tag === "table") return templateOnly;
  return tableTags.has(tag) ? insideTable : scopeBorders;
}

function hides(name: string, value: string): boolean {
  return name === "hidden" ? value !== "until-found" : hidesByStyle(value);
}

/** Shown once a script has run, where there is one. */
const transparent = /(?:^|[;\s])opacity\s*:\s*0*(?:\.0+)?%?\s*(?:!important\s*)?(?:;|$)/i;

/** Ways in which a style alone takes an element out of sight. */
const unseenStyles = [
  /(?:^|;)(?:display:none|visibility:hidden|content-visibility:hidden|font-size:0(?:\.0+)?(?:px|em|rem|pt|%)?)(?:!important)?(?:;|$)/,
  /(?:^|;)(?:left|right|top|text-indent|margin-left):-\d{4,}/,
  /(?:^|;)clip:rect\((?:[01](?:px)?,?){4}\)|(?:^|;)clip-path:inset\((?:50|100)%/,
  /(?:^|;)transform:scale[xy]?\(0\)/,
  /(?:^|;)(?:max-)?(?:height|width):0(?:px)?;(?:.*;)?overflow:hidden|(?:^|;)overflow:hidden;(?:.*;)?(?:max-)?(?:height|width):0(?:px)?(?:;|$)/,
];

function hidesByStyle(value: string): boolean {
  const style = value
    .replace(/\/\*.*?\*\//g, "")
    .replace(/\s+/g, "")
    .toLowerCase();
  return unseenStyles.some((pattern) => pattern.test(style));
}
