/**
 * Text in the colour of its background: a person does not see it, but a model would read it. Colours in the elements and
 * in simple rules of the page are known. What another stylesheet may colour is unknown, and unknown colours hide nothing.
 */
import { type Color, parseBackground, parseColor } from "./css-colors.ts";
import type { Declarations, ElementStyle, StyleRules } from "./style-rules.ts";
import type { Element } from "./tree.ts";

/** The colours that an element sets; `null` for one that is not a plain colour, such as an image or a gradient. */
type OwnColors = { readonly text?: Color | null | undefined; readonly background?: Color | null | undefined };

/** Differences up to this many steps in each of red, green and blue cannot be seen. */
const MAX_INVISIBLE_STEPS = 12;

/** The attributes in which a tree keeps the colours of an element. */
export const TEXT_COLOR = "data-text-color";
export const BACKGROUND_COLOR = "data-background-color";

/** The colours that a block of declarations sets, by the attribute that keeps each. The last declaration counts. */
export function readStyleColors(style: string): Declarations {
  const colors = new Map<string, { value: string; isImportant: boolean }>();
  if (!/color|background/i.test(style)) return colors;
  for (const [, property = "", value = ""] of style.toLowerCase().matchAll(colorDeclaration)) {
    const name = property.startsWith("background") ? BACKGROUND_COLOR : TEXT_COLOR;
    colors.set(name, { value: value.replace(/!\s*important/, "").trim(), isImportant: value.includes("!") });
  }
  return colors;
}
const colorDeclaration = /(?:^|;)\s*(color|-webkit-text-fill-color|background(?:-color)?)\s*:([^;]*)/g;

/** Hides what cannot be seen. Where only some of an element can be seen, its own text is removed. Linear in the page. */
export function hideSameColor(
  elements: readonly Element[],
  styles: readonly (ElementStyle | undefined)[],
  rules: StyleRules,
): void {
  const hasStylesheet = rules.hasImports || elements.some(isStylesheet);
  const readColors = createColorReader();
  const colors = elements.map((element, index) => readColors(element, styles[index]));
  if (colors.every((own) => own === noColors)) return;
  const coloredBefore = countColored(colors);
  const defaults = hasStylesheet ? unknown : findDefaults(rules);
  const looks: Look[] = [];
  for (const element of elements) {
    const inherited = element.parent === null ? defaults : (looks[element.parent.index] ?? defaults);
    const look = resolve(colors[element.index] ?? noColors, inherited, element, hasStylesheet);
    looks.push(look);
    if (!look.isInvisible) continue;
    const isAllHidden = coloredBefore[element.end] === coloredBefore[element.index + 1];
    if (isAllHidden) element.hidden = true;
    else removeOwnText(element);
  }
}

const noColors: OwnColors = {};

/** The colours of the text of an element, and whether they are the same. */
type Look = Required<OwnColors> & { readonly isInvisible: boolean };
const unknown: Look = { text: null, background: null, isInvisible: false };

function toLook(text: Color | null | undefined, background: Color | null | undefined): Look {
  return { text, background, isInvisible: !!text && !!background && isSame(text, background) };
}

/** What a browser shows, and what the rules say about the page as a whole: its body element may not be written. */
function findDefaults(rules: StyleRules): Look {
  const body: Element = { index: -1, end: -1, tag: "body", parent: null, children: [], attributes: {}, hidden: false };
  const { text, background } = createColorReader()(body, rules.styleOf(body));
  return toLook(text === undefined ? [0, 0, 0] : text, background === undefined ? [255, 255, 255] : background);
}

function isStylesheet({ tag, attributes: { rel = "" } }: Element): boolean {
  return tag === "link" && /\bstylesheet\b/i.test(rel);
}

/** Makes a reader of the colours that an element and the rules set; those of the rules alone are read once. */
function createColorReader(): (element: Element, style: ElementStyle | undefined) => OwnColors {
  const ruleColors = new Map<ElementStyle, OwnColors>();
  return ({ attributes }, style) => {
    const { [TEXT_COLOR]: text, [BACKGROUND_COLOR]: background } = attributes;
    if (text !== undefined || background !== undefined) return toOwnColors(text, background, style);
    if (style === undefined) return noColors;
    const colors = ruleColors.get(style) ?? toOwnColors(undefined, undefined, style);
    ruleColors.set(style, colors);
    return colors;
  };
}

function toOwnColors(
  ownText: string | undefined,
  ownBackground: string | undefined,
  style: ElementStyle | undefined,
): OwnColors {
  const text = resolveColor(ownText, TEXT_COLOR, style);
  const background = resolveColor(ownBackground, BACKGROUND_COLOR, style);
  return text === undefined && background === undefined ? noColors : { text, background };
}

/** The element's own colour wins over a rule that is not important. */
function resolveColor(
  own: string | undefined,
  name: string,
  style: ElementStyle | undefined,
): Color | null | undefined {
  const declared = style?.find(name, own !== undefined);
  if (declared?.value === null) return null;
  const value = declared?.value ?? own;
  if (value === undefined) return undefined;
  return name === BACKGROUND_COLOR ? parseBackground(value) : parseColor(value);
}

/** How many of the elements before each index set a colour. */
function countColored(colors: readonly OwnColors[]): readonly number[] {
  const counts = [0];
  let count = 0;
  for (const own of colors) {
    if (own !== noColors) count += 1;
    counts.push(count);
  }
  return counts;
}

/** A stylesheet may colour anything with a class or an id, so what it inherits there is not known. */
function resolve(own: OwnColors, inherited: Look, element: Element, hasStylesheet: boolean): Look {
  const { class: className, id } = element.attributes;
  const isStyled = hasStylesheet && (className !== undefined || id !== undefined);
  const base = isStyled ? unknown : inherited;
  if (own === noColors) return base;
  return toLook(
    own.text === undefined ? base.text : own.text,
    own.background === undefined ? base.background : own.background,
  );
}

function isSame(one: Color, other: Color): boolean {
  return one.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= MAX_INVISIBLE_STEPS);
}

function removeOwnText({ children }: Element): void {
  for (const [index, child] of children.entries()) if (typeof child === "string") children[index] = " ";
}
