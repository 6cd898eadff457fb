/**
 * Text in the colour of its background: a person does not see it, but a model would read it. Only colours in the elements
 * themselves are known. What a stylesheet may colour is unknown, and unknown colours hide nothing.
 */
import type { Element } from "./tree.ts";

/** Red, green and blue, 0 to 255. */
type Color = readonly [number, number, number];

/** The colours that an element sets; `null` for one that is not a plain colour, such as an image or a gradient. */
type OwnColors = { readonly text?: Color | null | undefined; readonly background?: Color | null | undefined };

/** Differences up to this many steps in each of red, green and blue cannot be seen. */
const MAX_INVISIBLE_STEPS = 12;

const white: Color = [255, 255, 255];
const black: Color = [0, 0, 0];

/** Names that texts are hidden with; any other name is a colour that is not known. */
const colorNames: Readonly<Record<string, Color>> = {
  white,
  black,
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  whitesmoke: [245, 245, 245],
  ghostwhite: [248, 248, 255],
};

/** The attributes in which a tree keeps the colours of an element. */
export const TEXT_COLOR = "data-text-color";
export const BACKGROUND_COLOR = "data-background-color";

/** The colours that a style sets, by the attribute that keeps each. */
export function readStyleColors(style: string): readonly (readonly [name: string, value: string])[] {
  if (!/color|background/i.test(style)) return [];
  const colors = new Map<string, string>(); // The last declaration counts.
  for (const declaration of style
    .toLowerCase()
    .replace(/!important/g, "")
    .split(";")) {
    const [property = "", ...value] = declaration.split(":");
    const name = properties[property.trim()];
    if (name !== undefined) colors.set(name, value.join(":").trim());
  }
  return [...colors];
}

const properties: Readonly<Record<string, string>> = {
  color: TEXT_COLOR,
  background: BACKGROUND_COLOR,
  "background-color": BACKGROUND_COLOR,
};

/** Hides what cannot be seen. Where only some of an element can be seen, its own text is removed. Linear in the page. */
export function hideSameColor(elements: readonly Element[]): void {
  const hasStylesheet = elements.some(isStylesheet);
  const colors = elements.map(readOwnColors);
  if (colors.every((own) => own === noColors)) return;
  const coloredBefore = countColored(colors);
  const resolved: Required<OwnColors>[] = [];
  for (const [index, element] of elements.entries()) {
    const inherited = resolved[element.parent?.index ?? -1] ?? (hasStylesheet ? unknown : defaults);
    const { text, background } = resolve(colors[index] ?? noColors, inherited, element, hasStylesheet);
    resolved.push({ text, background });
    if (!text || !background || !isSame(text, background)) continue;
    const isAllHidden = coloredBefore[element.end] === coloredBefore[element.index + 1];
    if (isAllHidden) element.hidden = true;
    else removeOwnText(element);
  }
}

const noColors: OwnColors = {};
const unknown: Required<OwnColors> = { text: null, background: null };
const defaults: Required<OwnColors> = { text: black, background: white };

function isStylesheet({ tag, attributes: { rel = "" } }: Element): boolean {
  return tag === "style" || (tag === "link" && /\bstylesheet\b/i.test(rel));
}

function readOwnColors({ attributes }: Element): OwnColors {
  const { [TEXT_COLOR]: text, [BACKGROUND_COLOR]: background } = attributes;
  if (text === undefined && background === undefined) return noColors;
  return {
    text: text === undefined ? undefined : parseColor(text),
    background: background === undefined ? undefined : parseColor(background),
  };
}

/** How many of the elements before each index set a colour. */
function countColored(colors: readonly OwnColors[]): readonly number[] {
  const counts = [0];
  for (const [index, own] of colors.entries()) counts.push((counts[index] ?? 0) + (own === noColors ? 0 : 1));
  return counts;
}

/** A stylesheet may colour anything with a class or an id, so what it inherits there is not known. */
function resolve(
  own: OwnColors,
  inherited: Required<OwnColors>,
  element: Element,
  hasStylesheet: boolean,
): Required<OwnColors> {
  const { class: className, id } = element.attributes;
  const isStyled = hasStylesheet && (className !== undefined || id !== undefined);
  const base = isStyled ? unknown : inherited;
  return {
    text: own.text === undefined ? base.text : own.text,
    background: own.background === undefined ? base.background : own.background,
  };
}

function isSame(one: Color, other: Color): boolean {
  return one.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= MAX_INVISIBLE_STEPS);
}

function removeOwnText({ children }: Element): void {
  for (const [index, child] of children.entries()) if (typeof child === "string") children[index] = " ";
}

/** A colour as CSS and old attributes write it; null for everything else, also if it is partly transparent. */
function parseColor(value: string): Color | null {
  const text = value.trim().toLowerCase();
  const [, hex] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text) ?? [];
  if (hex !== undefined) return parseHex(hex);
  const [, parts] = /^rgba?\(([^)]*)\)$/.exec(text) ?? [];
  return parts === undefined ? (colorNames[text] ?? null) : parseParts(parts);
}

function parseHex(hex: string): Color {
  const pairs = hex.length === 3 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
  return toColor(pairs.map((pair) => Number.parseInt(pair, 16)));
}

function parseParts(text: string): Color | null {
  const parts = text
    .split(/[\s,/]+/)
    .filter(Boolean)
    .map((part) => (part.endsWith("%") ? Number.parseFloat(part) * 2.55 : Number(part)));
  const [, , , alpha = 1] = parts;
  return parts.length < 3 || parts.some(Number.isNaN) || alpha < 1 ? null : toColor(parts);
}

const toColor = ([red = 0, green = 0, blue = 0]: readonly number[]): Color => [red, green, blue];
