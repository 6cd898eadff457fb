/** Pairs of a sentence inside a string (a message of an error, a help text) and the code around it. */
import { isQuestionLike, type Pair } from "./comment-pairs.ts";

const LINES_BEFORE = 10;
const LINES_AFTER = 12;
const MAX_LINE_CHARS = 300;
const sentence = /(["'`])((?:\\.|(?!\1)[^\\\n]){20,200})\1/g;

/** The pairs of one file, in order. */
export function findStringPairs(path: string, text: string): Pair[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.length > MAX_LINE_CHARS || isComment(line)) return [];
    return [...line.matchAll(sentence)].flatMap(([whole, , content = ""]) => {
      const question = toSentence(content);
      if (!isQuestionLike(question)) return [];
      const around = lines.slice(Math.max(0, index - LINES_BEFORE), index + LINES_AFTER);
      const code = around.filter((each) => !isComment(each) && each.length <= MAX_LINE_CHARS).join("\n");
      return [{ question, path, code: code.replace(whole, "") }];
    });
  });
}

/** Without what is filled in when the program runs. */
function toSentence(content: string): string {
  return content
    .replace(/\\[nrt"'`]/g, " ")
    .replace(/\$?\{[^}]*\}|#\{[^}]*\}|%[-+ #0-9.]*[a-zA-Z]|\\\([^)]*\)|<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*|#(?!\w)|--)/.test(line);
