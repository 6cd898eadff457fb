/** Code blocks as they were written: verbatim text without gutters, line numbers and buttons. */

import { words } from "../choose/class-names.ts";
import { codeOverlays } from "../choose/generators.ts";
import { inlineTags, wordSet } from "../tree/tags.ts";
import { type Element, flatText, type Node } from "../tree/tree.ts";

/** The text of a code block, line for line. */
export function readCode(block: Element): string {
  const lines = new LineCollector();
  const numbers = lineNumbers(block);
  const stack: { element: Element; next: number }[] = [{ element: block, next: 0 }];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1] as { element: Element; next: number };
    const child = frame.element.children[frame.next];
    frame.next += 1;
    if (child === undefined) {
      if (endsCodeLine(frame.element, block)) lines.endLine();
      stack.pop();
    } else if (typeof child === "string") {
      if (!isLayoutBlank(child, frame.element)) lines.add(child);
    } else if (child.tag === "br") lines.add("\n");
    else if (!isNotCode(child) && !numbers.has(child)) {
      if (startsCodeLine(child)) lines.endLine();
      stack.push({ element: child, next: 0 });
    }
  }
  return lines.text();
}

/** Cells, or elements with a blank of their own, that hold nothing but 1, 2, 3 and so on, one to each of several rows. */
function lineNumbers(block: Element): ReadonlySet<Element> {
  const found: Element[] = [];
  let next: number | undefined;
  const stack: Element[] = [block];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    const [only] = element.children;
    const number =
      element.children.length === 1 && typeof only === "string" && /^\s*\d{1,6}\s*$/.test(only)
        ? Number(only)
        : undefined;
    if (number !== undefined && startsRow(element) && isSeparateNumber(element, only as string)) {
      if (next !== undefined && number !== next) return new Set();
      next = number + 1;
      found.push(element);
    }
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (typeof child === "object") stack.push(child);
    }
  }
  return new Set(found.length >= leastNumbers ? found : []);
}

const leastNumbers = 3;

/** A number with nothing between it and the code after it is a number of the code. */
function isSeparateNumber(element: Element, text: string): boolean {
  if (element.tag === "td" || element.tag === "th" || /^\s|\s$/.test(text)) return true;
  const siblings = element.parent?.children ?? [];
  const next = siblings[siblings.indexOf(element) + 1];
  return typeof next === "object" && !inlineTags.has(next.tag);
}

/** First in its parent, and not alone there: a number beside a line of code. */
function startsRow(element: Element): boolean {
  const siblings = element.parent?.children ?? [];
  return siblings.length > 1 && siblings.find((one) => typeof one !== "string" || one.trim() !== "") === element;
}

class LineCollector {
  readonly #pieces: string[] = [];
  #atLineStart = true;
  /** A line ended by markup only; the newline is owed once more text comes. */
  #owed = false;

  add(text: string): void {
    if (text === "") return;
    if (this.#owed && !text.startsWith("\n")) this.#pieces.push("\n");
    this.#owed = false;
    this.#pieces.push(text);
    this.#atLineStart = text.endsWith("\n");
  }

  endLine(): void {
    if (!this.#atLineStart) this.#owed = true;
    this.#atLineStart = true;
  }

  text(): string {
    return trimBlankLines(this.#pieces.join("").replaceAll("\r\n", "\n").replaceAll("\u00a0", " "));
  }
}

function trimBlankLines(text: string): string {
  let start = 0;
  for (let at = 0; at < text.length && text.charCodeAt(at) <= 32; at += 1) if (text[at] === "\n") start = at + 1;
  return text.slice(start).trimEnd();
}

/** Blanks between the rows of a table or a list are layout of the source, not code. */
function isLayoutBlank(text: string, holder: Element): boolean {
  return layoutTags.has(holder.tag) && text.trim() === "";
}
const layoutTags = wordSet("table tbody thead tr ol ul");

function startsCodeLine(element: Element): boolean {
  return !inlineTags.has(element.tag) && element.tag !== "td" && element.tag !== "th";
}

function endsCodeLine(element: Element, block: Element): boolean {
  if (element === block) return false;
  return startsCodeLine(element) || isLineElement(element);
}

/** One span per line, shown as blocks by a style sheet. */
function isLineElement(element: Element): boolean {
  if (element.tag !== "span" && element.tag !== "code") return false;
  const names = element.attributes.class?.split(/\s+/) ?? [];
  if (names.some((name) => lineClasses.has(name)) || isNamedLine(element)) return true;
  const { tag, parent } = element;
  if (tag !== "code" || parent?.tag !== "pre") return false;
  return parent.children.some((child) => typeof child !== "string" && child !== element);
}
/** One of several elements that are named after lines and begin the code. */
function isNamedLine({ attributes, parent }: Element): boolean {
  const [first, second] = parent?.children ?? [];
  const name = attributes.class ?? "";
  if (typeof first !== "object" || second === undefined || !/(?:^|[-_\s])line(?:$|[-_\s])/.test(name)) return false;
  return first.attributes.class === name;
}

const lineClasses = wordSet("line code-line view-line token-line CodeMirror-line cm-line blob-code codeline");

const gutterWords = wordSet("lineno linenos linenumber linenumbers linenum linenums gutter");
const copyWords = wordSet("copy clipboard");
const gutterTokens = wordSet(
  "line-number line-numbers line-num hljs-ln-numbers ln lnt blob-num react-syntax-highlighter-line-number code-block-line-number line-numbers-rows lineNumber toolbar code-toolbar__toolbar code-header code-block-header tooltip",
);

/** Gutters, line numbers and buttons inside a block of code. */
export function isNotCode(element: Element): boolean {
  if (element.attributes["data-unselectable"] !== undefined && flatText(element, shortChars).trim().length < 8)
    return true;
  if (element.tag === "button" || element.tag === "script" || element.tag === "style" || element.tag === "select")
    return true;
  if (element.hidden) return true;
  const className = element.attributes.class;
  if (className === undefined) return false;
  if (className.split(/\s+/).some((name) => gutterTokens.has(name) || codeOverlays.has(name))) return true;
  // The wrapper of a table with a gutter may itself be named after line numbers.
  if (element.children.length > 0 && containsCode(element)) return false;
  const named = words(className, "");
  if (named.some((word) => gutterWords.has(word))) return isOnlyNumbers(flatText(element, MAX_GUTTER_CHARS));
  return named.some((word) => copyWords.has(word)) && flatText(element, shortChars).trim().length < shortChars;
}

const shortChars = 30;
/** A gutter of numbers that goes on after this is one all the way. */
const MAX_GUTTER_CHARS = 2_000;

function containsCode(element: Element): boolean {
  return element.children.some(
    (child) =>
      typeof child !== "string" &&
      (child.tag === "pre" || child.tag === "table" || child.tag === "code") &&
      !isOnlyNumbers(flatText(child, MAX_GUTTER_CHARS)),
  );
}

function isOnlyNumbers(text: string): boolean {
  return /^[\s\d.:|]*$/.test(text);
}

/** Looking at all siblings of each of many code elements would be quadratic; a page of blocks has fewer. */
const MAX_SIBLINGS = 400;
const lineTags = wordSet("p li td th dt dd h1 h2 h3 h4 h5 h6 span a label summary figcaption");

/** A code element that stands for a whole block: several lines, a table with a gutter, or alone between blocks. */
export function isCodeBlock(element: Element): boolean {
  const { tag, parent, children } = element;
  if (tag !== "code") return false;
  if (children.some((child) => typeof child !== "string" && (child.tag === "table" || child.tag === "div")))
    return true;
  if (parent === null || lineTags.has(parent.tag) || parent.children.length > MAX_SIBLINGS) return false;
  const others = parent.children.filter(
    (child) => child !== element && (typeof child !== "string" || child.trim() !== ""),
  );
  if (!others.every(isSeparate)) return false;
  return (
    others.some((other) => typeof other !== "string" && !inlineTags.has(other.tag)) ||
    flatText(element, MAX_FIRST_LINE_CHARS).trim().includes("\n")
  );
}

/** A block of code has its first line end within so many characters. */
const MAX_FIRST_LINE_CHARS = 2_000;

function isSeparate(node: Node): boolean {
  return typeof node !== "string" && (!inlineTags.has(node.tag) || node.tag === "code" || node.tag === "button");
}

/** Code in an element that only its attribute calls so. */
export function isLabelledCode({ tag, attributes, children }: Element): boolean {
  if (tag !== "div" || (attributes["data-lang"] ?? attributes["data-language"]) === undefined) return false;
  const isText = children.every((child) => typeof child === "string" || inlineTags.has(child.tag));
  return isText && children.some((child) => typeof child === "string" && child.trim() !== "");
}
