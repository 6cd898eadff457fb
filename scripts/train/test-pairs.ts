/** Pairs of the title of a test and its code. */
import { isQuestionLike, type Pair } from "./comment-pairs.ts";

const MAX_CODE_LINES = 24;
const MAX_LINE_CHARS = 300;
const titled =
  /^\s*(?:(?:it|test|describe|specify|scenario|context|should|xit|t\.Run|suite|TEST_CASE|@Test|@DisplayName|Fact|Deno\.test)\s*\(?\s*(?:DisplayName\s*=\s*)?|@test\s+)(["'`])((?:(?!\1).){12,160})\1/;
const named =
  /^\s*(?:(?:public|private|internal|override|async|static|pub|def|func|fun|fn|void|Task|suspend|final|@Test|Future<\w+>)\s+)+`?((?:[Tt]est|it|should)?[\w ]{14,120})`?\s*\(/;

/** The pairs of one file of tests, in order. */
export function findTestPairs(path: string, text: string): Pair[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.length > MAX_LINE_CHARS) return [];
    const title = titled.exec(line)?.[2] ?? titleOfName(named.exec(line)?.[1]);
    if (title === undefined || !isQuestionLike(title)) return [];
    const code = lines.slice(index + 1, index + 1 + MAX_CODE_LINES).filter((each) => each.length <= MAX_LINE_CHARS);
    return [{ question: title, path: path.replace(/[tT]ests?|specs?/g, ""), code: code.join("\n") }];
  });
}

/** The words of a function's name. */
function titleOfName(name: string | undefined): string | undefined {
  return name
    ?.replace(/^_*(?:test|it)_?(?=[A-Z_ ])?/i, "")
    .replace(/(?<=[a-z0-9])(?=[A-Z])|_+/g, " ")
    .trim();
}
