/** Writes docs/benchmarks.md from the stored results of benches. */
import { type BenchResult, readResults } from "../bench/results.ts";

const introduction = `# Benchmarks

Each table is what \`npm run bench -- <name> --save\` printed, unchanged. Spillway and its peers ran side by side in one run; times
are CPU times, so read the ratios. Where data are named _tuned_ or _seen_, rules were written while looking at them; _unseen_ data
were scored without being looked at. What we lose is in the tables too.
[bench/README.md](../bench/README.md) says what each figure means and where the data come from.
`;

export async function renderBenchmarksPage(): Promise<string> {
  const results = await readResults();
  const contents = results.map(({ name, about }) => `- [${name}](#${name}): ${about.replace(/\.$/, "")}`);
  return `${[introduction, contents.join("\n"), ...results.map(renderResult)].join("\n")}`;
}

function renderResult({ name, about, date, commit, machine, text }: BenchResult): string {
  return `\n## ${name}\n\n${about.replace(/\.$/, "")}. ${date}, commit ${commit}, ${machine}.\n\n${toMarkdown(text)}\n`;
}

/** Tables that `console.table` has drawn become tables of Markdown; the other lines stay. */
export function toMarkdown(text: string): string {
  const lines = text.split("\n").flatMap((line) => {
    if (/^[┌└]/.test(line)) return [""];
    if (line.startsWith("├")) return [line.slice(1, -1).replaceAll("┼", "|").replaceAll(/─+/g, "---")].map(wrapRow);
    if (line.startsWith("│")) return [wrapRow(line.slice(1, -1).split("│").map(cleanCell).join("|"))];
    return [line];
  });
  return lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const wrapRow = (cells: string): string => `|${cells}|`;

/** Without the quotation marks around texts and the name of the first column. */
const cleanCell = (cell: string): string =>
  ` ${cell
    .trim()
    .replace(/^'(.*)'$/, "$1")
    .replace(/^\(index\)$/, "")} `;
