/**
 * HTML source becomes a light tree. Built on the tokenizer alone with an open-element list of our own: the cost is
 * linear in the size whatever the nesting, and at a limit the caller is told to read the page as a line of text.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { weights } from "../weights.ts";
import { nameTables } from "./aria-tables.ts";
import { isCover } from "./hidden.ts";
import { placeStreamed } from "./streamed.ts";
import { type Element, flatText, keepsAttribute, limits, type Page, Tree } from "./tree.ts";

/** The tree of a page. Never throws, whatever the source. */
export function parseHtml(html: string): Page {
  const tree = new Tree();
  const isXml = html.startsWith("<?xml");
  // Outside XML `<![` opens a bogus comment that the next `>` ends; the tokenizer would look for `]]>`.
  const source = isXml || !html.includes("<![") ? html : html.replaceAll("<![", "<! [");
  const unclosed = unclosedComment(source);
  tokenize(unclosed < 0 ? source : source.slice(0, unclosed), isXml, tree);
  // A comment that never ends hides the rest of the page from nobody but parsers.
  if (unclosed >= 0) tokenize(source.slice(unclosed + 4).replaceAll("<!--", "<! "), isXml, tree);
  return pageOf(tree);
}

function pageOf({ root, elements, payloads, complete }: Tree): Page {
  const inOrder = placeStreamed(elements);
  for (let at = inOrder.length - 1; at > 0; at -= 1) {
    const one = inOrder[at];
    if (one?.parent && one.parent.end < one.end) one.parent.end = one.end;
  }
  if (!inOrder.some(({ tag }) => tag === "script")) hideTransparent(inOrder);
  showUnspoken(inOrder);
  nameTables(inOrder);
  return { root, elements: inOrder, payloads, complete };
}

/** Without a script nothing will ever fade in; a saved page, all of it transparent, has lost its script. */
function hideTransparent(elements: readonly Element[]): void {
  const most = weights.visibility.maxTransparentShare * elements.length;
  for (const element of elements)
    if (element.attributes["data-transparent"] !== undefined && element.end - element.index < most)
      element.hidden = true;
}

/** What only screen readers skip is seen. Where it is nearly all of the page, a dialog was open over it when it was saved. */
function showUnspoken(elements: readonly Element[]): void {
  const { minAriaHiddenElements, maxAriaHiddenShare } = weights.visibility;
  const [root] = elements;
  let most: number | undefined;
  for (let at = 0; root !== undefined && at < elements.length; ) {
    const element = elements[at] as Element;
    const isLarge = element.attributes["data-unspoken"] !== undefined && element.end - at >= minAriaHiddenElements;
    if (isLarge) {
      most ??= maxAriaHiddenShare * flatText(root).length;
      if (flatText(element).length > most && !isCover(element)) element.hidden = false;
    }
    at = isLarge ? element.end : at + 1;
  }
}

function unclosedComment(source: string): number {
  const lastOpen = source.lastIndexOf("<!--");
  if (lastOpen < 0 || source.includes("-->", lastOpen)) return -1;
  const lastEnd = Math.max(source.lastIndexOf("-->"), source.lastIndexOf("--!>"));
  const open = source.indexOf("<!--", Math.max(lastEnd, 0));
  return open >= 0 && !source.startsWith("<!-->", open) && !source.startsWith("<!--->", open) ? open : -1;
}

function tokenize(source: string, isXml: boolean, tree: Tree, reopened = 0): void {
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXml }, callbacksFor(source, isXml, tree));
  tree.onLimit = () => tokenizer.pause();
  tokenizer.write(source);
  tokenizer.end();
  const unclosed = tree.takeUnclosed();
  tree.endText();
  if (unclosed !== "" && reopened < mostReopened) tokenize(unclosed, isXml, tree, reopened + 1);
}
const mostReopened = 3;

const addressNames = new Set(["href", "src", "data-src"]);

/** What the tokenizer finds in a source, handed to a tree: names in lower case, entities resolved. */
function callbacksFor(source: string, isXml: boolean, tree: Tree): TokenizerCallbacks {
  let tag = "";
  let attributeName = "";
  let attributeValue = "";
  const addValue = (text: string) => {
    if (attributeName !== "" && attributeValue.length <= limits.attributeChars) attributeValue += text;
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
      attributeName = keepsAttribute(tag, name) ? name : "";
      attributeValue = "";
    },
    onattribdata: (start, end) => addValue(source.slice(start, Math.min(end, start + limits.attributeChars + 1))),
    onattribentity: (codepoint) => addValue(String.fromCodePoint(codepoint)),
    onattribend() {
      if (attributeName === "") return;
      const isCut = attributeValue.length > limits.attributeChars;
      // Part of an address leads somewhere else.
      if (!isCut || !addressNames.has(attributeName))
        tree.addAttribute(attributeName, attributeValue.slice(0, limits.attributeChars));
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
