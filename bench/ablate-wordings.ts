/** Which verdicts on provider responses change when one row of the classifier is switched off. */
import { readFileSync } from "node:fs";
import { readRecordedResponses } from "../test/overflow-corpus.ts";
import { loadWithout, type Rule } from "./ablate-hook.ts";

/** How many verdicts a rule changes: those on the fixtures and those on the recorded answers. */
export type VerdictEffect = { readonly rule: string; readonly fixtures: number; readonly recorded: number };

type ClassifyModule = typeof import("../src/overflow/classify/classify.ts");
type Input = Parameters<ClassifyModule["classify"]>[0];
type Case = { readonly isFixture: boolean; readonly input: Input };

const entry = "overflow/classify/classify.ts";

/** A comparison of the classifier with and without a rule on every known response. */
export type Comparison = (rule: Rule) => Promise<VerdictEffect>;

/** Classifies every response with all rules, and makes the comparison. */
export async function openComparison(): Promise<Comparison> {
  const cases = readCases();
  const unchanged: Rule = { name: "all", module: entry, target: "anyCode", off: (original) => original };
  const base = verdictsOf(await loadWithout<ClassifyModule>(unchanged, entry), cases);
  return async (rule) => {
    const verdicts = verdictsOf(await loadWithout<ClassifyModule>(rule, entry), cases);
    const flipped = cases.filter((_, index) => verdicts[index] !== base[index]);
    const fixtures = flipped.filter(({ isFixture }) => isFixture).length;
    return { rule: rule.name, fixtures, recorded: flipped.length - fixtures };
  };
}

/** The first rules, in this order, that can all be off together without changing a verdict. */
export async function findRemovable(
  rows: readonly string[],
  without: (names: ReadonlySet<string>) => Rule,
  compare: Comparison,
): Promise<ReadonlySet<string>> {
  const removable = new Set<string>();
  for (const row of rows) {
    const { fixtures, recorded } = await compare(without(new Set([...removable, row])));
    if (fixtures + recorded === 0) removable.add(row);
  }
  return removable;
}

function verdictsOf({ classify }: ClassifyModule, cases: readonly Case[]): readonly string[] {
  return cases.map(({ input }) => JSON.stringify({ ...classify(input), confidence: undefined }));
}

function readCases(): readonly Case[] {
  const fixtures = readFileSync(new URL("../test/fixtures/refusals.jsonl", import.meta.url), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).input)
    .map((input) => ("json" in input ? { ...input, body: JSON.stringify(input.json) } : input));
  const recorded = (readRecordedResponses()?.answers ?? []).map(({ http_status, body }) => ({
    status: http_status,
    body,
  }));
  return [
    ...fixtures.map((input: Input) => ({ isFixture: true, input })),
    ...recorded.map((input) => ({ isFixture: false, input })),
  ];
}
