/** Pairs of a comment and the code that it describes, in any language whose comments have one of a few forms. */

/** What somebody wrote about code, and the code. */
export type Pair = { readonly question: string; readonly path: string; readonly code: string };

const MAX_FILE_LINES = 12_000;
const MAX_COMMENT_LINES = 200;
const MAX_CODE_LINES = 34;
const MAX_CODE_CHARS = 1_300;
const MIN_CODE_CHARS = 40;
const MAX_SENTENCE_CHARS = 400;

/** The pairs of one file, in order. */
export function findCommentPairs(path: string, text: string): Pair[] {
  return findComments(path, text).flatMap(({ sentences, head, code }) => {
    const described = [...head, ...code].filter((line) => !isComment(line, lineMark(path))).join("\n");
    if (described.length < MIN_CODE_CHARS) return [];
    return sentences.map((question) => ({ question, path, code: described }));
  });
}

/** A comment and the code that it describes. Lines count from 0. */
export type CodeComment = {
  /** Those that read like sentences about code. */
  readonly sentences: readonly string[];
  readonly start: number;
  /** The line after it. */
  readonly end: number;
  /** The code before a docstring. */
  readonly head: readonly string[];
  readonly code: readonly string[];
};

/** The comments of one file, in order. Those at the top of a file are left out: most are licences. */
export function findComments(path: string, text: string): CodeComment[] {
  const lines = text.split("\n");
  if (lines.length > MAX_FILE_LINES || isGenerated(text)) return [];
  const mark = lineMark(path);
  const comments: CodeComment[] = [];
  for (let line = 0; line < lines.length; ) {
    const comment = readComment(lines, line, mark);
    if (comment === null) {
      line++;
      continue;
    }
    const { end, head } = comment;
    const sentences = findSentences(comment.lines).filter(isQuestionLike);
    if (line > 2) comments.push({ sentences, start: line, end, head, code: codeBelow(lines, end) });
    line = end;
  }
  return comments;
}

const isGenerated = (text: string): boolean => /generated.{0,200}do not|do not edit/is.test(text.slice(0, 600));

/** What begins a line comment in the language of the file. */
function lineMark(path: string): string {
  if (/\.(?:py|pyi|rb|ex|exs|sh|bash)$/.test(path)) return "#";
  return /\.(?:lua|hs)$/.test(path) ? "--" : "//";
}

type Comment = { readonly lines: readonly string[]; readonly end: number; readonly head: readonly string[] };

/** The comment that begins on this line, the line after it, and the code before it that it belongs to (a docstring's). */
function readComment(lines: readonly string[], start: number, mark: string): Comment | null {
  const first = lines[start]?.trim() ?? "";
  if (first.startsWith("/*")) return readBlock(lines, start, first.replace(/^\/\*+!?/, ""), "*/", []);
  if (mark === "--" && first.startsWith("{-")) return readBlock(lines, start, first.replace(/^\{-\|?/, ""), "-}", []);
  if (mark === "#" && /^(?:@(?:module)?doc\s+(?:~S)?)"""/.test(first)) return readBlock(lines, start, "", '"""', []);
  const docstring = mark === "#" ? /^[rRuU]?("""|''')(.*)$/.exec(first) : null;
  if (docstring !== null) return readDocstring(lines, start, docstring[2] ?? "", docstring[1] ?? "");
  if (!first.startsWith(mark) || /^#(?:!|include|define|if|end|else|pragma)/.test(first)) return null;
  let end = start;
  const content: string[] = [];
  while (end < lines.length && lines[end]?.trim().startsWith(mark)) content.push(stripMark(lines[end++] ?? "", mark));
  return { lines: content, end, head: [] };
}

const stripMark = (line: string, mark: string): string =>
  line
    .trim()
    .slice(mark.length)
    .replace(/^[/!|:^#-]*\s?/, "");

function readBlock(lines: readonly string[], start: number, first: string, close: string, head: string[]): Comment {
  const content: string[] = [];
  let end = start;
  for (let line = first; end - start < MAX_COMMENT_LINES; line = (lines[end] ?? close).replace(/^\s*\*+ ?(?!\/)/, "")) {
    end++;
    const closed = line.indexOf(close);
    content.push(closed === -1 ? line : line.slice(0, closed));
    if (closed !== -1 || end >= lines.length) break;
  }
  return { lines: content, end, head };
}

/** A docstring follows the first line of its function. */
function readDocstring(lines: readonly string[], start: number, first: string, close: string): Comment | null {
  const head: string[] = [];
  for (let line = start - 1; line >= 0 && line > start - 12; line--) {
    head.unshift(lines[line] ?? "");
    if (/^\s*(?:async\s+def|def|class)\s/.test(lines[line] ?? "")) return readBlock(lines, start, first, close, head);
  }
  return null;
}

function isComment(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) || text.startsWith("/*") || text.startsWith("*") || /^[rRuU]?(?:"""|''')/.test(text);
}

/** The code after a comment, as far as its block goes. */
function codeBelow(lines: readonly string[], start: number): string[] {
  const code: string[] = [];
  let [chars, outer] = [0, -1];
  for (let line = start; line < lines.length && code.length < MAX_CODE_LINES && chars < MAX_CODE_CHARS; line++) {
    const text = lines[line] ?? "";
    const indent = text.length - text.trimStart().length;
    if (text.trim() === "") {
      if (code.length === 0) break; // A comment on its own describes no code.
      code.push("");
      continue;
    }
    if (outer === -1) outer = indent;
    const isNext = indent === outer && code.length > 3 && code.at(-1) === "" && !/^\s*[})\]]/.test(text);
    if ((indent < outer && !/^\s*[})\]e]/.test(text)) || isNext) break;
    code.push(text);
    chars += text.length;
  }
  return code;
}

const tagLine =
  /^(?:@|:param|:return|:type|Args:|Returns:|Parameters|\\param|\\return|---|===|>>>|- |\* |\d+[.)] |```|<pre)/;

/** The first sentences of a comment: later ones often say in other words what the code is for. */
const MAX_SENTENCES = 3;

/** The first sentences of a text about code. */
export function findSentences(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines.map((each) => each.trim())) {
    if (line === "" && kept.length === 0) continue;
    if (line === "" || (tagLine.test(line) && kept.length > 0)) break;
    kept.push(line);
  }
  const text = kept
    .join(" ")
    .replace(/\{@\w+\s+([^}]*)\}/g, "$1")
    .replace(/<\/?\w+[^>]*>/g, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/:\w+:`~?([^`]*)`/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const sentences = text.split(/(?<=.{12}[.!?])\s+(?=[A-Z])/).map((sentence) => sentence.slice(0, MAX_SENTENCE_CHARS));
  return sentences.slice(0, MAX_SENTENCES);
}

const notAboutCode =
  /copyright|licen[sc]e|warrant|all rights reserved|redistribut|SPDX|eslint|istanbul|noqa|pylint|clippy|rubocop|nolint|TODO|FIXME|XXX|https?:\/\/|^\s*@|auto-?generated|do not edit|frozen_string|phpcs|pragma|prettier|checkstyle|\$Id/i;

/** Whether a text reads like a sentence about code: words, not code, tables or notices. */
export function isQuestionLike(text: string): boolean {
  const words = text.match(/[A-Za-z]{2,}/g)?.length ?? 0;
  if (words < 4 || words > 40 || notAboutCode.test(text)) return false;
  const signs = text.match(/[{}();=<>[\]|\\]/g)?.length ?? 0;
  const letters = text.match(/[A-Za-z ]/g)?.length ?? 0;
  return signs <= text.length / 14 && letters > text.length * 0.8;
}
