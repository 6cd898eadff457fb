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
  const contents = results.map(({ name, about }) => `- [${name}](#${name}): ${about}`);
  return `${[introduction, contents.join("\n"), ...results.map(renderResult)].join("\n")}`;
}

function renderResult({ name, about, date, commit, machine, text }: BenchResult): string {
  return `\n## ${name}\n\n${about}. ${date}, commit ${commit}, ${machine}.\n\n${text}\n`;
}
