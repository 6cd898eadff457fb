/** Scores an extract of a page: word F1 against the labelled text, and code blocks kept verbatim. */
import type { CodePage } from "./html-corpus.ts";

/** F1 of two bags of words, Markdown reduced to text first; an empty truth requires an empty output. */
export function wordF1(markdown: string, truth: string): number {
  const { matches, words, trueWords } = matchWords(markdown, truth);
  if (trueWords === 0) return words === 0 ? 1 : 0;
  return (2 * matches) / (words + trueWords);
}

/** The share of the labelled words that are in the output. */
export function wordRecall(markdown: string, truth: string): number {
  const { matches, trueWords } = matchWords(markdown, truth);
  return trueWords === 0 ? 1 : matches / trueWords;
}

function matchWords(markdown: string, truth: string) {
  const words = wordsOf(plainText(markdown));
  const trueWords = wordsOf(truth);
  const unmatched = new Map<string, number>();
  for (const word of trueWords) unmatched.set(word, (unmatched.get(word) ?? 0) + 1);
  let matches = 0;
  for (const word of words) {
    const count = unmatched.get(word) ?? 0;
    if (count === 0) continue;
    unmatched.set(word, count - 1);
    matches += 1;
  }
  return { matches, words: words.length, trueWords: trueWords.length };
}

/** Images dropped, link text kept, fence lines, emphasis marks and breaks in cells dropped. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replaceAll("<br>", " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(```|~~~).*$/gm, "")
    .replace(/\*\*|__(?=\W)|(?<=\W)__|\*|`/g, "");
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** How many expected code blocks are in a fence of the output, and for how many the fence names the language. */
export type CodeScore = {
  readonly blocks: number;
  readonly kept: number;
  readonly languages: number;
  readonly languagesKept: number;
};

/** Scores the outputs of pages with code. */
export function scoreCode(pages: readonly CodePage[], outputs: readonly string[]): CodeScore {
  const blocks = pages.flatMap(({ expected }, index) => {
    const fences = fencesIn(outputs[index] ?? "");
    return fencesIn(expected).map((block) => ({ block, same: fences.filter(({ text }) => text.includes(block.text)) }));
  });
  const withLanguage = blocks.filter(({ block }) => block.language !== "");
  return {
    blocks: blocks.length,
    kept: blocks.filter(({ same }) => same.length > 0).length,
    languages: withLanguage.length,
    languagesKept: withLanguage.filter(({ block, same }) => same.some(({ language }) => language === block.language))
      .length,
  };
}

type Fence = { readonly text: string; readonly language: string };

/** The fenced blocks of a Markdown text without trailing blanks; they may be in lists and quotations. */
function fencesIn(markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  const lines = markdown.split("\n").map((line) => line.trimEnd());
  for (let index = 0; index < lines.length; index += 1) {
    const [, ticks, language = ""] = /^\s*(?:[>\-*]\s*)*(`{3,}|~{3,})\s*([^\s`{]*)/.exec(lines[index] ?? "") ?? [];
    if (ticks === undefined) continue;
    const start = index + 1;
    do index += 1;
    while (index < lines.length && !(lines[index] ?? "").trim().replace(/^>\s*/, "").startsWith(ticks));
    fences.push({ text: lines.slice(start, index).join("\n").trim(), language: language.toLowerCase() });
  }
  return fences;
}

/** The mean difference of paired scores, with the half width of its 95 % interval. */
export function pairedDifference(ours: readonly number[], theirs: readonly number[]) {
  const differences = ours.map((score, index) => score - (theirs[index] ?? 0));
  const average = mean(differences);
  const variance = mean(differences.map((each) => (each - average) ** 2));
  return { mean: average, halfWidth: 1.96 * Math.sqrt(variance / differences.length) };
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
}
