/** How good an extract of a page is: word F1 against the true text, and code blocks kept word for word. */
import type { CodePage } from "./html-corpus.ts";

/** F1 of two bags of words, Markdown reduced to text first; an empty truth wants an empty output. */
export function wordF1(markdown: string, truth: string): number {
  const found = wordsOf(plainText(markdown));
  const wanted = wordsOf(truth);
  if (wanted.length === 0) return found.length === 0 ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of found) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    hits += 1;
  }
  return (2 * hits) / (found.length + wanted.length);
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

/** How many expected code blocks stand in a fence of the output, and how many of their languages are named there. */
export type CodeScore = {
  readonly blocks: number;
  readonly kept: number;
  readonly languages: number;
  readonly languagesKept: number;
};

export function scoreCode(pages: readonly CodePage[], outputs: readonly string[]): CodeScore {
  const blocks = pages.flatMap(({ expected }, index) => {
    const found = fencesIn(outputs[index] ?? "");
    return fencesIn(expected).map((block) => ({ block, same: found.filter(({ text }) => text.includes(block.text)) }));
  });
  const named = blocks.filter(({ block }) => block.language !== "");
  return {
    blocks: blocks.length,
    kept: blocks.filter(({ same }) => same.length > 0).length,
    languages: named.length,
    languagesKept: named.filter(({ block, same }) => same.some(({ language }) => language === block.language)).length,
  };
}

type Fence = { readonly text: string; readonly language: string };

/** The fenced blocks of a Markdown text, trailing blanks aside; they may stand in lists and quotations. */
function fencesIn(markdown: string): readonly Fence[] {
  const found: Fence[] = [];
  const lines = markdown.split("\n").map((line) => line.trimEnd());
  for (let at = 0; at < lines.length; at += 1) {
    const [, ticks, language = ""] = /^\s*(?:[>\-*]\s*)*(`{3,}|~{3,})\s*([^\s`{]*)/.exec(lines[at] ?? "") ?? [];
    if (ticks === undefined) continue;
    const start = at + 1;
    do at += 1;
    while (at < lines.length && !(lines[at] ?? "").trim().replace(/^>\s*/, "").startsWith(ticks));
    found.push({ text: lines.slice(start, at).join("\n").trim(), language: language.toLowerCase() });
  }
  return found;
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
