/**
 * The text of a page straight from its tokens, piece by piece: linear in its size and small in memory whatever it
 * holds, for pages beyond every limit and for those whose parser failed.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { inlineTags } from "./tree/tags.ts";

const unread = new Set(["script", "style", "noscript", "template", "iframe", "title"]);

/** Strips a page that arrives in pieces; what it gives, joined, does not depend on where the pieces were cut. */
export type Stripper = { push(html: string): string; flush(): string };

/** The whole text of a page. */
export function linearText(html: string): string {
  const stripper = createStripper();
  return stripper.push(html) + stripper.flush();
}

/** A stripper for one page. */
export function createStripper(): Stripper {
  const comments = createCommentFilter();
  const lines = createLines();
  const source = createWindow();
  let skipping = "";
  const add = (text: string) => {
    if (skipping === "") lines.add(text);
  };
  const ignore = () => {};
  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => add(source.slice(start, end)),
    ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
    oncdata: (start, end, offset) => add(source.slice(start, end - offset)),
    onopentagname(start, end) {
      const tag = source.slice(start, end).toLowerCase();
      if (skipping !== "") return;
      if (unread.has(tag)) skipping = tag;
      if (!inlineTags.has(tag) || tag === "br") lines.end();
    },
    onclosetag(start, end) {
      const tag = source.slice(start, end).toLowerCase();
      if (tag === skipping) skipping = "";
      if (skipping === "" && !inlineTags.has(tag)) lines.end();
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

/** A tag's name is no longer than this; text is told at the end of each piece, so nothing else reaches back. */
const windowChars = 1_000;

/** The end of what was written, by places that count from the start of the page. */
function createWindow() {
  let text = "";
  let offset = 0;
  return {
    append(html: string): void {
      const kept = text.slice(-windowChars);
      offset += text.length - kept.length;
      text = kept + html;
    },
    slice: (start: number, end: number) => text.slice(Math.max(0, start - offset), end - offset),
  };
}

/** Lines of text with their blanks collapsed; no line is empty. */
function createLines() {
  let pieces: string[] = [];
  let isEmpty = true;
  /** What stands before the next word: nothing, a blank or a line end. */
  let gap: "" | " " | "\n" = "";
  return {
    add(text: string): void {
      const collapsed = text.replace(/[ \t\n\r\f]+/g, " ");
      const words = collapsed.trim();
      if (collapsed.startsWith(" ")) gap ||= isEmpty ? "" : " ";
      if (words === "") return;
      pieces.push(gap + words);
      isEmpty = false;
      gap = collapsed.endsWith(" ") ? " " : "";
    },
    end(): void {
      if (!isEmpty) gap = "\n";
    },
    take(): string {
      const text = pieces.join("");
      pieces = [];
      return text;
    },
  };
}

/** A comment whose end is further away than this is taken for one that was never closed. */
const longestCommentChars = 256 * 1024;

/**
 * Takes comments out before the tokenizer sees them, each only once its end is seen: one that never ends would hide
 * the rest of the page. `<![` opens a bogus comment that the next `>` ends; the tokenizer would look for `]]>`.
 */
function createCommentFilter(): Stripper {
  let held = "";

  function filter(isLast: boolean): string {
    const pieces: string[] = [];
    const endFrom = createFinder(held, "-->");
    const holds = (open: number, chars: number) => !isLast && held.length - open < chars;
    let at = 0;
    let open = held.indexOf("<!");
    for (; open >= 0 && !holds(open, 4); open = held.indexOf("<!", at)) {
      const isComment = held.startsWith("<!--", open);
      const end = isComment ? endFrom(open + 2) : -1;
      if (isComment && end < 0 && holds(open, longestCommentChars)) break;
      pieces.push(held.slice(at, open));
      if (!isComment) pieces.push("<! ");
      at = isComment && end >= 0 && end - open < longestCommentChars ? end + 3 : open + (isComment ? 4 : 2);
    }
    const rest = open >= 0 ? open : held.length - (held.endsWith("<") && !isLast ? 1 : 0);
    pieces.push(held.slice(at, rest));
    held = held.slice(Math.max(at, rest));
    return pieces.join("");
  }

  return {
    push(html) {
      held += html;
      return filter(false);
    },
    flush: () => filter(true),
  };
}

/** Finds a word from places that only go up, looking at no character twice. */
function createFinder(text: string, word: string): (from: number) => number {
  let found = 0;
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf(word, from);
    return found;
  };
}
