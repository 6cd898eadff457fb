/** What a browser would not show, and which hidden elements a reader can unfold. */
import { htmlWeights } from "../weights.ts";
import { isSideNote } from "./footnotes.ts";
import { type Element, isInside, MAX_SIBLINGS } from "./tree.ts";

const foldedName = /accord|collaps|callout|faq|answer|expand|toggle/i;
const panelName = /tab|panel|content|desc|detail/i;
const controlTags = new Set(["button", "summary", "dt", "label", "a", "h1", "h2", "h3", "h4", "h5", "h6"]);

/** Class names of copies for small screens; the page shows the same elsewhere. */
const smallScreenName = /(?:^|[\s_-])(?:small-screen|mobile-only|only-mobile|visible-xs)(?:$|[\s_-])/i;

/** Whether an element is shown on small screens only. */
export function isForSmallScreens({ attributes: { class: className } }: Element): boolean {
  return className !== undefined && smallScreenName.test(className);
}

/** Whether an element is hidden permanently. Folded parts (accordions, tabs, answers) only wait for a click. */
export function isHidden(element: Element): boolean {
  if (!element.hidden) return false;
  const { role } = element.attributes;
  const name = nameOf(element);
  if (role === "tabpanel" || isSideNote(element)) return false;
  if (role && role !== "region") return true;
  const isFolded =
    foldedName.test(name) || (panelName.test(name) && (isInside(element, "main") || isInside(element, "article")));
  return !isFolded || !hasControl(element);
}

function nameOf({ attributes: { class: className = "", id = "" } }: Element): string {
  return `${className} ${id}`;
}

/** Whether a control that unfolds the element comes before it or before its parent. */
function hasControl(element: Element): boolean {
  const { parent } = element;
  if (parent?.attributes["data-callout"] !== undefined) return true;
  return followsControl(element) || (parent !== null && followsControl(parent));
}

function followsControl(element: Element): boolean {
  const siblings = element.parent?.children ?? [];
  if (siblings.length > MAX_SIBLINGS) return false;
  const before = siblings.slice(0, siblings.indexOf(element)).filter((sibling) => typeof sibling !== "string");
  // The panels of tabs follow each other.
  const control = before.findLast(({ hidden, attributes }) => !hidden && !panelName.test(attributes.class ?? ""));
  return control !== undefined && containsControl(control);
}

function containsControl(
  { tag, attributes, children }: Element,
  levels: number = htmlWeights.visibility.maxControlLevels,
): boolean {
  if (controlTags.has(tag) || attributes.role === "button" || attributes.role === "tab") return true;
  return (
    levels > 0 &&
    children.length < MAX_SIBLINGS &&
    children.some((child) => typeof child !== "string" && containsControl(child, levels - 1))
  );
}

/**
 * Hides transparent elements of a page without scripts, where nothing will ever fade in. If they are most of the page,
 * it was saved without its scripts, and they stay visible.
 */
export function hideTransparent(elements: readonly Element[]): void {
  const maxElements = htmlWeights.visibility.maxTransparentShare * elements.length;
  for (const element of elements)
    if (element.attributes["data-transparent"] !== undefined && element.end - element.index < maxElements)
      element.hidden = true;
}

/** Shows an `aria-hidden` element with nearly all of the text: a dialog was open over it when the page was saved. */
export function showAriaHidden(elements: readonly Element[]): void {
  const { minAriaHiddenElements, maxAriaHiddenShare } = htmlWeights.visibility;
  const [root] = elements;
  let maxChars: number | undefined;
  for (let index = 0; root !== undefined && index < elements.length; ) {
    const element = elements[index] as Element;
    const isLarge =
      element.attributes["data-aria-hidden"] !== undefined && element.end - index >= minAriaHiddenElements;
    if (isLarge) {
      maxChars ??= maxAriaHiddenShare * countChars(elements, root);
      if (countChars(elements, element) > maxChars) element.hidden = false;
    }
    index = isLarge ? element.end : index + 1;
  }
}

/** The length of all text in an element. */
function countChars(elements: readonly Element[], { index, end }: Element): number {
  let chars = 0;
  for (let each = index; each < end; each += 1)
    for (const child of elements[each]?.children ?? []) if (typeof child === "string") chars += child.length;
  return chars;
}

/** Whether an attribute hides its element: `hidden`, or a style. */
export function hidesElement(name: string, value: string): boolean {
  return name === "hidden" ? value !== "until-found" : hidesByStyle(value);
}

/** Off the screen: far away, or less far and out of the flow. */
const offScreen = [
  "(?:^|;)(?:left|right|top|bottom|text-indent|margin-(?:left|right|top|bottom)):-(?:\\d{4,}|\\d{3}(?:em|rem|vw|vh))",
  "^(?=.*position:(?:absolute|fixed)).*(?:^|;)(?:left|right|top|bottom):-[5-9]\\d\\dpx",
  "(?:^|;)transform:translate(?:x|y|3d)?\\((?:[^)]*,)?-\\d{4,}",
];

/** Styles that hide an element without any class. */
const hidingStyles = [
  /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden)(?:!important)?(?:;|$)/,
  new RegExp(offScreen.join("|")),
  /(?:^|;)clip:rect\((?:[01](?:px)?,?){4}\)|(?:^|;)clip-path:inset\((?:50|100)%/,
  /(?:^|;)transform:scale[xy]?\(0\)/,
  /(?:^|;)(?:max-)?(?:height|width):0(?:px)?;(?:.*;)?overflow:hidden|(?:^|;)overflow:hidden;(?:.*;)?(?:max-)?(?:height|width):0(?:px)?(?:;|$)/,
  // At most one pixel.
  /(?:^|;)font-size:(?:0*(?:\.0\d*)?(?:em|rem|%)?|(?:0*(?:\.\d+)?|0*1(?:\.0+)?)(?:px|pt))(?:!important)?(?:;|$)/,
  // Except where a gradient fills the letters.
  /^(?!.*background-clip:text).*(?:^|;)color:(?:transparent|rgba\([\d.,%]*,0(?:\.0+)?\))(?:!important)?(?:;|$)/,
];

function hidesByStyle(value: string): boolean {
  const style = value
    .replace(/\/\*.*?\*\//g, "")
    .replace(/\s+/g, "")
    .toLowerCase();
  return hidingStyles.some((pattern) => pattern.test(style));
}

const transparentStyle = /(?:^|[;\s])opacity\s*:\s*0*(?:\.0+)?%?\s*(?:!important\s*)?(?:;|$)/i;

/** Whether a style makes an element transparent; a script may fade it in. */
export function isTransparentStyle(style: string): boolean {
  return transparentStyle.test(style);
}
