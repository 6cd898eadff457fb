/** What the style attribute of an element says about it. */
import { SHOWN } from "./page-styles.ts";
import { readStyleColors } from "./text-colors.ts";
import { hidesElement, isTransparentStyle } from "./visibility.ts";

/** Whether a style hides its element, and the attributes in which a tree keeps the rest of what it says. */
export type OwnStyle = { readonly isHiding: boolean; readonly attributes: ReadonlyMap<string, string> };

const showingStyle = /(?:^|[;\s])(?:display\s*:\s*(?!none)|visibility\s*:\s*visible)/i;

/** Reads the value of a style attribute. */
export function readOwnStyle(style: string): OwnStyle {
  const attributes = new Map<string, string>();
  if (style.includes("user-select:none")) attributes.set("data-unselectable", "");
  if (isTransparentStyle(style)) attributes.set("data-transparent", "");
  if (showingStyle.test(style)) attributes.set(SHOWN, "");
  for (const [name, { value }] of readStyleColors(style)) attributes.set(name, value);
  return { isHiding: hidesElement("style", style), attributes };
}
