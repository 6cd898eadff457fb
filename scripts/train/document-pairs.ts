/** Pairs of a sentence of a document and the rest of its section, with the code that it shows. */
import { isQuestionLike, type Pair } from "./comment-pairs.ts";

const MAX_SECTION_CHARS = 1_600;
const MIN_SECTION_CHARS = 80;
const heading = /^(?:#{1,6}\s+|={1,6}\s+)(.+)$/;
const underline = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|\*{3,}|\+{3,})\s*$/;

/** The pairs of one document, in order: each heading and each sentence that reads like a question in words. */
export function findDocumentPairs(path: string, text: string): Pair[] {
  return splitSections(text).flatMap(({ title, lines }) => {
    const body = lines.join("\n").slice(0, MAX_SECTION_CHARS);
    if (body.length < MIN_SECTION_CHARS) return [];
    const sentences = findProse(lines).filter(isQuestionLike).slice(0, MAX_SENTENCES);
    const pairs = sentences.map((question) => ({ question, path, code: `${title}\n${body.replace(question, "")}` }));
    return isQuestionLike(title) ? [{ question: title, path, code: body }, ...pairs] : pairs;
  });
}

const MAX_SENTENCES = 3;
type Section = { readonly title: string; readonly lines: string[] };

/** Sections by the headings of Markdown, AsciiDoc and reStructuredText. */
function splitSections(text: string): Section[] {
  const sections: Section[] = [{ title: "", lines: [] }];
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const isTitle = line.trim() !== "" && underline.test(lines[index + 1] ?? "") && !underline.test(line);
    const title = heading.exec(line)?.[1] ?? (isTitle ? line.trim() : undefined);
    if (title !== undefined) sections.push({ title, lines: [] });
    else if (!underline.test(line)) sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** The sentences of the paragraphs, without code, lists and tables. */
function findProse(lines: readonly string[]): string[] {
  const prose = lines.filter((line) => !/^(?:\s{3,}|```|~~~|[|>+<]|\.\. |:\w+:|\[)/.test(line)).join("\n");
  return prose.split(/\n\s*\n/).flatMap((paragraph) => {
    const plain = paragraph
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/:\w+:`~?([^`]*)`/g, "$1")
      .replace(/\s+/g, " ")
      .trim();
    return plain.split(/(?<=.{12}[.!?])\s+(?=[A-Z])/);
  });
}
