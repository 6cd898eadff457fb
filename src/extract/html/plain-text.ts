/**
 * The text of a page directly from its tokens, chunk by chunk, in linear time and bounded memory. For pages that are
 * too large to parse and pages whose parser failed.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { inlineTags } from "./tree/tags.ts";

const ignoredTags = new Set(["script", "style", "noscript", "template", "iframe", "title"]);

/** Strips the tags of a page that arrives in chunks. The text, joined, does not depend on where the chunks were cut. */
type Stripper = { push(html: string): string; flush(): string };

/** The whole text of a page, without its structure. */
export function toPlainText(html: string): string {
  const stripper = createStripper();
  return stripper.push(html) + stripper.flush();
}

/** Makes a stripper for one page. */
export function createStripper(): Stripper {
  const comments = createCommentFilter();
  const lines = createLines();
  const source = createWindow();
  /** The tag whose end ends the text that is ignored, or "". */
  let ignoredTag = "";
  const add = (text: string) => {
    if (ignoredTag === "") lines.add(text);
  };
  const ignore = () => {};
  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => add(source.slice(start, end)),
    ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
    oncdata: (start, end, offset) => add(source.slice(start, end - offset)),
    onopentagname(start, end) {
      const tag = source.slice(start, end).toLowerCase();
      if (ignoredTag !== "") return;
      if (ignoredTags.has(tag)) ignoredTag = tag;
      if (!inlineTags.has(tag) || tag === "br") lines.end();
    },
    onclosetag(start, end) {
      const tag = source.slice(start, end).toLowerCase();
      if (tag === ignoredTag) ignoredTag = "";
      if (ignoredTag === "" && !inlineTags.has(tag)) lines.end();
    },
    onattribdata: ignore,
    onattribentity: ignore,
    onattribend: ignore,
    onattribname: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onopentagend: ignore,
    onprocessinginstruction: ignore,
    onselfclosingtag: ignore,
  };
  const tokenizer = new Tokenizer({}, callbacks);
  const write = (html: string) => {
    source.append(html);
    tokenizer.write(html);
  };
  return {
    push(html) {
      write(comments.push(html));
      return lines.take();
    },
    flush() {
      write(comments.flush());
      tokenizer.end();
      return lines.take();
    },
  };
}

/** Longer tag names are not supported. Nothing else reaches back: the tokenizer emits text at the end of each chunk. */
const WINDOW_CHARS = 1_000;

/** The last characters that were written, by offsets from the start of the page. */
function createWindow() {
  let text = "";
  let offset = 0;
  return {
    append(html: string): void {
      const previous = text.slice(-WINDOW_CHARS);
      offset += text.length - previous.length;
      text = previous + html;
    },
    slice: (start: number, end: number) => text.slice(Math.max(0, start - offset), end - offset),
  };
}

/** Collects lines of text with collapsed blanks; no line is empty. */
function createLines() {
  let words: string[] = [];
  let isEmpty = true;
  /** What comes before the next word: nothing, a blank or a line end. */
  let gap: "" | " " | "\n" = "";
  return {
    add(text: string): void {
      const collapsed = text.replace(/[ \t\n\r\f]+/g, " ");
      const trimmed = collapsed.trim();
      if (collapsed.startsWith(" ")) gap ||= isEmpty ? "" : " ";
      if (trimmed === "") return;
      words.push(gap + trimmed);
      isEmpty = false;
      gap = collapsed.endsWith(" ") ? " " : "";
    },
    end(): void {
      if (!isEmpty) gap = "\n";
    },
    take(): string {
      const text = words.join("");
      words = [];
      return text;
    },
  };
}

/** A longer comment counts as one that is never closed. */
const MAX_COMMENT_CHARS = 256 * 1024;

/**
 * Removes comments before the tokenizer sees them, each only after its end has arrived: one that never ends would hide
 * the rest of the page. `<![` opens a bogus comment that the next `>` ends; the tokenizer would look for `]]>`.
 */
function createCommentFilter(): Stripper {
  let pending = "";

  function filter(isLast: boolean): string {
    const output: string[] = [];
    const endFrom = createFinder(pending, "-->");
    const needsMore = (open: number, chars: number) => !isLast && pending.length - open < chars;
    let position = 0;
    let open = pending.indexOf("<!");
    for (; open >= 0 && !needsMore(open, 4); open = pending.indexOf("<!", position)) {
      const isComment = pending.startsWith("<!--", open);
      const end = isComment ? endFrom(open + 2) : -1;
      if (isComment && end < 0 && needsMore(open, MAX_COMMENT_CHARS)) break;
      output.push(pending.slice(position, open));
      if (!isComment) output.push("<! ");
      position = isComment && end >= 0 && end - open < MAX_COMMENT_CHARS ? end + 3 : open + (isComment ? 4 : 2);
    }
    const rest = open >= 0 ? open : pending.length - (pending.endsWith("<") && !isLast ? 1 : 0);
    output.push(pending.slice(position, rest));
    pending = pending.slice(Math.max(position, rest));
    return output.join("");
  }

  return {
    push(html) {
      pending += html;
      return filter(false);
    },
    flush: () => filter(true),
  };
}

/** Finds a word from offsets that only increase, looking at each character once. */
function createFinder(text: string, word: string): (start: number) => number {
  let match = 0;
  return (start) => {
    if (match >= 0 && match < start) match = text.indexOf(word, start);
    return match;
  };
}
