/**
 * Parses HTML into a light tree with its own list of open elements: the cost is linear in the size at any depth of
 * nesting. At a limit the tree is incomplete, and the caller reads it as plain text.
 */
import { setTableTags } from "./aria-tables.ts";
import { setInlineTags } from "./custom-elements.ts";
import { applyStyles } from "./page-styles.ts";
import { moveStreamedParts } from "./react-streaming.ts";
import { tokenize } from "./tokenizer.ts";
import type { Page } from "./tree.ts";
import { TreeBuilder } from "./tree-builder.ts";
import { hideTransparent, showAriaHidden } from "./visibility.ts";

/** Parses a page. Never throws, for any source. */
export function parseHtml(html: string): Page {
  const isXml = html.startsWith("<?xml");
  const tree = new TreeBuilder(isXml);
  readSource(html, isXml, tree);
  return toPage(tree);
}

function toPage({ root, elements, payloads, styleSheets, isComplete }: TreeBuilder): Page {
  const inOrder = moveStreamedParts(elements);
  for (let index = inOrder.length - 1; index > 0; index -= 1) {
    const element = inOrder[index];
    if (element?.parent && element.parent.end < element.end) element.parent.end = element.end;
  }
  if (!inOrder.some(({ tag }) => tag === "script")) hideTransparent(inOrder);
  applyStyles(inOrder, styleSheets);
  showAriaHidden(inOrder);
  setTableTags(inOrder);
  setInlineTags(inOrder);
  return { root, elements: inOrder, payloads, isComplete };
}

function readSource(source: string, isXml: boolean, tree: TreeBuilder, retries = 0): void {
  tokenize(source, isXml, tree);
  const unclosed = tree.takeUnclosed();
  tree.endText();
  if (unclosed !== "" && retries < MAX_RETRIES) readSource(unclosed, isXml, tree, retries + 1);
}
/** How many elements without an end tag may hold the rest of the page as text. */
const MAX_RETRIES = 3;
