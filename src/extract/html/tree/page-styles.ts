/** Hides what the page's own styles hide: by their rules, in an element, or in the colour of its background. */
import { htmlWeights } from "../weights.ts";
import { type Declarations, type ElementStyle, readStyleRules, type StyleSheet } from "./style-rules.ts";
import { hideSameColor, readStyleColors } from "./text-colors.ts";
import type { Element } from "./tree.ts";
import { hidesElement, isTransparentStyle } from "./visibility.ts";

/** Applies the style elements of a page, and the colours in its elements. */
export function applyStyles(elements: readonly Element[], sheets: readonly StyleSheet[]): void {
  const rules = readStyleRules(sheets, elements, readBlock);
  const styles = rules.isEmpty ? [] : elements.map((element) => rules.styleOf(element));
  if (!rules.isEmpty) hideByRules(elements, styles);
  hideSameColor(elements, styles, rules);
}

/** The name under which a block says whether it hides its elements. */
const HIDES = "hides";

function readBlock(block: string): Declarations {
  const colors = readStyleColors(block);
  if (!mayHide.test(block)) return colors;
  const value = hidesElement("style", block) ? "yes" : "no";
  return new Map([...colors, [HIDES, { value, isImportant: block.includes("!important") }]]);
}

/** Quickly passes over blocks that neither hide their elements nor show what others hide. */
const mayHide = /display|visib|hidden|transparent|rgba|clip|:\s*-\d|\(\s*-|scale|translate|font-size\s*:\s*[01.]/i;

/** The attribute of an element whose own style shows it. */
const SHOWN = "data-shown";
const showingStyle = /(?:^|[;\s])(?:display\s*:\s*(?!none)|visibility\s*:\s*visible)/i;

/** Whether the style of an element hides it, and the attributes in which a tree keeps the rest of what it says. */
export type OwnStyle = { readonly isHiding: boolean; readonly attributes: ReadonlyMap<string, string> };

/** Reads the value of a style attribute. */
export function readOwnStyle(style: string): OwnStyle {
  const attributes = new Map<string, string>();
  if (style.includes("user-select:none")) attributes.set("data-unselectable", "");
  if (isTransparentStyle(style)) attributes.set("data-transparent", "");
  if (showingStyle.test(style)) attributes.set(SHOWN, "");
  for (const [name, { value }] of readStyleColors(style)) attributes.set(name, value);
  return { isHiding: hidesElement("style", style), attributes };
}

/** Not most of a page: that waits for a script. */
function hideByRules(elements: readonly Element[], styles: readonly (ElementStyle | undefined)[]): void {
  const maxElements = htmlWeights.visibility.maxTransparentShare * elements.length;
  for (const element of elements) {
    const style = styles[element.index];
    if (style === undefined || element.hidden || element.end - element.index > maxElements) continue;
    const isShown = element.attributes[SHOWN] !== undefined;
    if (style.find(HIDES, isShown)?.value === "yes") element.hidden = true;
  }
}
