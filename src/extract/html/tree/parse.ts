/**
 * Parses HTML into a light tree. Uses only the tokenizer of htmlparser2 and its own list of open elements: the cost is
 * linear in the size at any depth of nesting. At a limit the tree is incomplete, and the caller reads it as plain text.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { setTableTags } from "./aria-tables.ts";
import { setInlineTags } from "./custom-elements.ts";
import { applyStyles } from "./page-styles.ts";
import { moveStreamedParts } from "./react-streaming.ts";
import { type Page, treeLimits } from "./tree.ts";
import { TreeBuilder, usesAttribute } from "./tree-builder.ts";
import { hideTransparent, showAriaHidden } from "./visibility.ts";

/** Parses a page. Never throws, for any source. */
export function parseHtml(html: string): Page {
  const tree = new TreeBuilder();
  const isXml = html.startsWith("<?xml");
  // Outside XML `<![` opens a bogus comment that the next `>` ends; the tokenizer would look for `]]>`.
  const source = closeFrames(isXml || !html.includes("<![") ? html : html.replaceAll("<![", "<! ["));
  const unclosed = unclosedComment(source);
  tokenize(unclosed < 0 ? source : source.slice(0, unclosed), isXml, tree);
  // A comment that never ends would hide the rest of the page.
  if (unclosed >= 0) tokenize(source.slice(unclosed + 4).replaceAll("<!--", "<! "), isXml, tree);
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

/**
 * Ends the frames that are last in a `noscript`. A browser with scripts does not read what is in there, so nobody sees
 * that `<iframe ... />` is not closed; without scripts its text would be the rest of the page.
 */
function closeFrames(source: string): string {
  let closed = "";
  let start = 0;
  for (let at = source.indexOf(noscriptEnd); at >= 0; at = source.indexOf(noscriptEnd, at + noscriptEnd.length)) {
    if (!source.startsWith("<iframe", source.lastIndexOf("<", at - 1))) continue;
    closed += `${source.slice(start, at)}</iframe>`;
    start = at;
  }
  return start === 0 ? source : closed + source.slice(start);
}
const noscriptEnd = "</noscript";

function unclosedComment(source: string): number {
  const lastOpen = source.lastIndexOf("<!--");
  if (lastOpen < 0 || source.includes("-->", lastOpen)) return -1;
  const lastEnd = Math.max(source.lastIndexOf("-->"), source.lastIndexOf("--!>"));
  const open = source.indexOf("<!--", Math.max(lastEnd, 0));
  return open >= 0 && !source.startsWith("<!-->", open) && !source.startsWith("<!--->", open) ? open : -1;
}

function tokenize(source: string, isXml: boolean, tree: TreeBuilder, retries = 0): void {
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXml }, callbacksFor(source, isXml, tree));
  tree.onLimit = () => tokenizer.pause();
  tokenizer.write(source);
  tokenizer.end();
  const unclosed = tree.takeUnclosed();
  tree.endText();
  if (unclosed !== "" && retries < MAX_RETRIES) tokenize(unclosed, isXml, tree, retries + 1);
}
/** How many elements without an end tag may hold the rest of the page as text. */
const MAX_RETRIES = 3;

const addressNames = new Set(["href", "src", "data-src"]);

/** Callbacks that pass what the tokenizer finds to a tree: names in lower case, entities resolved. */
function callbacksFor(source: string, isXml: boolean, tree: TreeBuilder): TokenizerCallbacks {
  let tag = "";
  let attributeName = "";
  let attributeValue = "";
  const addValue = (text: string) => {
    if (attributeName !== "" && attributeValue.length <= treeLimits.maxAttributeChars) attributeValue += text;
  };
  return {
    ontext: (start, end) => tree.addText(source.slice(start, end)),
    ontextentity: (codepoint) => tree.addText(String.fromCodePoint(codepoint)),
    oncdata: (start, end, offset) => tree.addText(source.slice(start, end - offset)),
    onopentagname(start, end) {
      tag = source.slice(start, end).toLowerCase();
      tree.beginTag(tag);
    },
    onattribname(start, end) {
      const name = source.slice(start, end).toLowerCase();
      attributeName = usesAttribute(tag, name) ? name : "";
      attributeValue = "";
    },
    onattribdata: (start, end) =>
      addValue(source.slice(start, Math.min(end, start + treeLimits.maxAttributeChars + 1))),
    onattribentity: (codepoint) => addValue(String.fromCodePoint(codepoint)),
    onattribend() {
      if (attributeName === "") return;
      const isCut = attributeValue.length > treeLimits.maxAttributeChars;
      // A truncated address would lead somewhere else.
      if (!isCut || !addressNames.has(attributeName))
        tree.addAttribute(attributeName, attributeValue.slice(0, treeLimits.maxAttributeChars));
    },
    onopentagend: () => tree.open(false),
    onselfclosingtag: () => tree.open(isXml || tag === "svg" || tree.isForeign || tree.isInMath),
    onclosetag: (start, end) => tree.close(source.slice(start, end).toLowerCase()),
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
    isInForeignContext: () => tree.isForeign,
  };
}
