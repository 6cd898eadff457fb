/** Recognises code blocks and reads their text verbatim, without gutters, line numbers and buttons. */

import { listNameWords } from "../choose/class-names.ts";
import { codeOverlays } from "../choose/generators.ts";
import { findDiffSign, isDiffGutter, isDiffLine } from "../tree/diffs.ts";
import { inlineTags, wordSet } from "../tree/tags.ts";
import { collectText, type Element, MAX_SIBLINGS, type Node } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** In a code block of several lines, the first line ends within this many characters. */
const MAX_FIRST_LINE_CHARS = 2_000;
/** Enough of a line of a diff to see its sign. */
const MAX_SIGN_CHARS = 4;
/** A gutter with only numbers up to here has only numbers. */
const MAX_GUTTER_CHARS = 2_000;

/** The text of a code block, line by line. */
export function readCode(block: Element): string {
  const lines = new CodeLines();
  const numbers = findLineNumbers(block);
  const stack: { element: Element; next: number }[] = [{ element: block, next: 0 }];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1] as { element: Element; next: number };
    const child = frame.element.children[frame.next];
    frame.next += 1;
    if (child === undefined) {
      if (isUnfilledLine(frame.element, block)) lines.endUnfilledLine();
      else if (isBrokenBlock(frame.element, block)) lines.endEmptyLine();
      else if (endsLine(frame.element, block)) lines.endLine();
      stack.pop();
    } else if (typeof child === "string") {
      if (!isLayoutBlank(child, frame.element)) lines.add(child);
    } else if (child.tag === "br") lines.add("\n");
    else if (!isNotCode(child) && !numbers.has(child) && !isLinkToRun(child)) {
      if (startsLine(child)) lines.endLine();
      else if (hasLineName(child)) lines.beginLine();
      if (isDiffLine(child)) lines.add(findDiffSign(child, collectText(child, MAX_SIGN_CHARS)));
      stack.push({ element: child, next: 0 });
    }
  }
  return lines.text();
}

/** Whether a code element is a whole block: with a table or a box in it, with several lines, or alone between blocks. */
export function isCodeBlock(element: Element): boolean {
  const { tag, parent, children } = element;
  if (tag !== "code") return false;
  if (children.some((child) => typeof child !== "string" && (child.tag === "table" || child.tag === "div")))
    return true;
  if (parent === null || parent.children.length > MAX_SIBLINGS) return false;
  if (lineParentTags.has(parent.tag)) return isBrokenLine(element, parent);
  const others = parent.children.filter((child) => child !== element && isFilled(child));
  if (!others.every(isSeparateFromText)) return false;
  return (
    others.some((other) => typeof other !== "string" && !inlineTags.has(other.tag)) ||
    collectText(element, MAX_FIRST_LINE_CHARS).trim().includes("\n")
  );
}

/** Whether code is alone in its paragraph and has line breaks, which blanks in the source are not. */
function isBrokenLine(code: Element, parent: Element): boolean {
  if (parent.tag !== "p" || parent.children.some((child) => child !== code && isFilled(child))) return false;
  return code.children.some((child) => typeof child !== "string" && child.tag === "br");
}

/** Whether the address of a link carries the code beside it, as one that runs the code does: it says nothing else. */
export function carriesCode({ attributes: { href = "" } }: Element, code: string): boolean {
  if (!/[?#]/.test(href)) return false;
  const lines = code.slice(0, MAX_COMPARED_CHARS).split("\n");
  const longest = lines.reduce((found, line) => (line.length > found.length ? line : found)).trim();
  return longest.length >= htmlWeights.code.minCarriedChars && decodeQuery(href).includes(longest);
}
/** The addresses that are read are not longer. */
const MAX_COMPARED_CHARS = 4_000;

function decodeQuery(href: string): string {
  const query = /[?#](.*)/s.exec(href)?.[1] ?? "";
  try {
    return decodeURIComponent(query.replaceAll("+", " "));
  } catch {
    // Not all addresses are encoded correctly; then nothing in it is recognised.
    return "";
  }
}

/** Whether a `div` is code: it has text and only its attribute names a language. */
export function isLabelledCode({ tag, attributes, children }: Element): boolean {
  if (tag !== "div" || (attributes["data-lang"] ?? attributes["data-language"]) === undefined) return false;
  const isText = children.every((child) => typeof child === "string" || inlineTags.has(child.tag));
  return isText && children.some((child) => typeof child === "string" && child.trim() !== "");
}

/** Parents whose code elements are parts of a line. */
const lineParentTags = wordSet("p li td th dt dd h1 h2 h3 h4 h5 h6 span a label summary figcaption");

function isSeparateFromText(node: Node): boolean {
  return typeof node !== "string" && (!inlineTags.has(node.tag) || node.tag === "code" || node.tag === "button");
}

function isFilled(node: Node): boolean {
  return typeof node !== "string" || node.trim() !== "";
}

// Line numbers

/** Elements with only a number, one at the start of each of several rows, that count 1, 2, 3 and so on. */
function findLineNumbers(block: Element): ReadonlySet<Element> {
  const numbers: Element[] = [];
  let next: number | undefined;
  const stack: Element[] = [block];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    const text = numberText(element);
    if (text !== undefined && startsRow(element) && isSeparateFromCode(element, text)) {
      if (next !== undefined && Number(text) !== next) return new Set();
      next = Number(text) + 1;
      numbers.push(element);
    }
    for (let index = element.children.length - 1; index >= 0; index -= 1) {
      const child = element.children[index];
      if (typeof child === "object") stack.push(child);
    }
  }
  return new Set(numbers.length >= htmlWeights.code.minLineNumbers ? numbers : []);
}

/** The text of an element that contains only a number. */
function numberText({ children }: Element): string | undefined {
  const [text] = children;
  return children.length === 1 && typeof text === "string" && /^\s*\d{1,6}\s*$/.test(text) ? text : undefined;
}

/** First in its parent and not alone there, as a number beside a line of code is. */
function startsRow(element: Element): boolean {
  const siblings = element.parent?.children ?? [];
  return siblings.length > 1 && siblings.find(isFilled) === element;
}

/** A number directly before code, without a blank, is part of the code. */
function isSeparateFromCode(element: Element, text: string): boolean {
  if (element.tag === "td" || element.tag === "th" || /^\s|\s$/.test(text)) return true;
  const siblings = element.parent?.children ?? [];
  const next = siblings[siblings.indexOf(element) + 1];
  return typeof next === "object" && !inlineTags.has(next.tag);
}

// Lines

/** Collects the text of a block; a line may be ended by a newline or by markup. */
class CodeLines {
  readonly #texts: string[] = [];
  #isAtLineStart = true;
  /** Markup ended the line; the newline is written once more text follows. */
  #needsNewline = false;
  /** An element for a line ended without text. It may be an anchor before the text of its line. */
  #hasUnfilledLine = false;

  add(text: string): void {
    if (text === "") return;
    if (text.startsWith("\n")) this.beginLine();
    this.#hasUnfilledLine = false;
    if (this.#needsNewline && !text.startsWith("\n")) this.#texts.push("\n");
    this.#needsNewline = false;
    this.#texts.push(text);
    this.#isAtLineStart = text.endsWith("\n");
  }

  /** A line begins: if an element without text is before it, that was an empty line. */
  beginLine(): void {
    if (this.#hasUnfilledLine) this.endEmptyLine();
  }

  endUnfilledLine(): void {
    this.#hasUnfilledLine = true;
  }

  endLine(): void {
    this.beginLine();
    if (!this.#isAtLineStart) this.#needsNewline = true;
    this.#isAtLineStart = true;
  }

  /** Ends a line without text. */
  endEmptyLine(): void {
    this.#hasUnfilledLine = false;
    if (this.#needsNewline) this.#texts.push("\n");
    this.#needsNewline = true;
    this.#isAtLineStart = true;
  }

  text(): string {
    return trimBlankLines(this.#texts.join("").replaceAll("\r\n", "\n").replaceAll("\u00a0", " "));
  }
}

/** Keeps the indent of the first line. */
function trimBlankLines(text: string): string {
  let start = 0;
  for (let index = 0; index < text.length && text.charCodeAt(index) <= 32; index += 1)
    if (text[index] === "\n") start = index + 1;
  return text.slice(start).trimEnd();
}

/** Blanks between the rows of a table or a list are layout of the source, not code. */
function isLayoutBlank(text: string, parent: Element): boolean {
  return layoutTags.has(parent.tag) && text.trim() === "";
}
const layoutTags = wordSet("table tbody thead tr ol ul");

function startsLine(element: Element): boolean {
  return !inlineTags.has(element.tag) && element.tag !== "td" && element.tag !== "th";
}

function endsLine(element: Element, block: Element): boolean {
  if (element === block) return false;
  return startsLine(element) || isLineElement(element);
}

/** An element for a line of code that has no text. */
function isUnfilledLine(element: Element, block: Element): boolean {
  return element !== block && element.children.length === 0 && hasLineName(element);
}

/** A block with only breaks in it. */
function isBrokenBlock(element: Element, block: Element): boolean {
  const { children } = element;
  return element !== block && children.length > 0 && children.every(isBreak) && startsLine(element);
}

function isBreak(node: Node): boolean {
  return typeof node !== "string" && node.tag === "br";
}

function hasLineName(element: Element): boolean {
  const names = element.attributes.class?.split(/\s+/) ?? [];
  return names.some((name) => lineClasses.has(name)) || isNamedLine(element);
}

/** An inline element for one line, which a style sheet shows as a block. */
function isLineElement(element: Element): boolean {
  if (element.tag !== "span" && element.tag !== "code") return false;
  if (hasLineName(element)) return true;
  const { tag, parent } = element;
  if (tag !== "code" || parent?.tag !== "pre") return false;
  return parent.children.some((child) => typeof child !== "string" && child !== element);
}
const lineClasses = wordSet("line code-line view-line token-line CodeMirror-line cm-line blob-code codeline");

/** One of several elements with the same class name for lines, the first of which begins the code. */
function isNamedLine({ attributes, parent }: Element): boolean {
  const [first, second] = parent?.children ?? [];
  const name = attributes.class ?? "";
  if (typeof first !== "object" || second === undefined || !/(?:^|[-_\s])line(?:$|[-_\s])/.test(name)) return false;
  return first.attributes.class === name;
}

// What is not code inside a block

const controlTags = wordSet("button script style select");
const gutterWords = wordSet("lineno linenos linenumber linenumbers linenum linenums gutter");
const copyWords = wordSet("copy clipboard");
const gutterClasses = wordSet(
  "line-number line-numbers line-num hljs-ln-numbers ln lnt blob-num react-syntax-highlighter-line-number code-block-line-number line-numbers-rows lineNumber toolbar code-toolbar__toolbar code-header code-block-header tooltip language-id playground-link",
);

/** Whether a link at the end of its parent runs the code before it. */
function isLinkToRun(element: Element): boolean {
  const { tag, parent, attributes } = element;
  if (tag !== "a" || attributes.href === undefined || parent?.children.findLast(isFilled) !== element) return false;
  const code = collectText(parent, MAX_COMPARED_CHARS).trimEnd();
  return carriesCode(element, code.slice(0, code.length - collectText(element, MAX_COMPARED_CHARS).trim().length));
}

/** Gutters, line numbers, prompts and buttons. */
function isNotCode(element: Element): boolean {
  const { maxCopyButtonChars, maxUnselectableChars } = htmlWeights.code;
  const isUnselectable = element.attributes["data-unselectable"] !== undefined;
  if (isUnselectable && collectText(element, maxCopyButtonChars).trim().length < maxUnselectableChars) return true;
  if (controlTags.has(element.tag) || element.hidden || isDiffGutter(element)) return true;
  const className = element.attributes.class;
  if (className === undefined) return false;
  if (className.split(/\s+/).some((name) => gutterClasses.has(name) || codeOverlays.has(name))) return true;
  // The wrapper of a table with a gutter may itself be named after line numbers.
  if (element.children.length > 0 && containsCode(element)) return false;
  const classWords = listNameWords(className, "");
  if (classWords.some((word) => gutterWords.has(word))) return isOnlyNumbers(collectText(element, MAX_GUTTER_CHARS));
  const isCopyButton = classWords.some((word) => copyWords.has(word));
  return isCopyButton && collectText(element, maxCopyButtonChars).trim().length < maxCopyButtonChars;
}

function containsCode(element: Element): boolean {
  return element.children.some(
    (child) =>
      typeof child !== "string" &&
      (child.tag === "pre" || child.tag === "table" || child.tag === "code") &&
      !isOnlyNumbers(collectText(child, MAX_GUTTER_CHARS)),
  );
}

function isOnlyNumbers(text: string): boolean {
  return /^[\s\d.:|]*$/.test(text);
}
