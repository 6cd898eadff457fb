/** Benchmarks one long research run, with and without Spillway, against a provider with a small window. */
import { countTokens } from "../test/provider.ts";
import {
  researchAnswer,
  researchScript,
  researchSources,
  researchSteps,
  researchTask,
  researchWindowTokens,
  researchWordings,
  runNaively,
} from "../test/research.ts";
import { openRunner, type RunnerDialect, runnerDialects, runnerModels } from "../test/runner.ts";

export const about = `${researchSteps} steps over ${researchSources.length} local sources inside ${researchWindowTokens} tokens`;

type Row = {
  readonly steps: number;
  readonly requests: number;
  readonly refused: number;
  readonly maxPerStep: number;
  readonly tokens: number;
  readonly facts: number;
  readonly ending: string;
};

export async function run(): Promise<void> {
  console.log("| dialect | bounds | steps | requests | refused | max per step | tokens sent | facts found | ended |");
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const dialect of runnerDialects) {
    print(dialect, "Spillway, window unknown", await runBounded(dialect, {}));
    print(
      dialect,
      "Spillway, window set",
      await runBounded(dialect, { SPILLWAY_OVERFLOW_LIMITS: `sim-1=${researchWindowTokens}` }),
    );
    print(dialect, "none", await runUnbounded(dialect));
  }
}

function print(
  dialect: string,
  bounds: string,
  { steps, requests, refused, maxPerStep, tokens, facts, ending }: Row,
): void {
  const cells = [
    dialect,
    bounds,
    steps,
    requests,
    refused,
    maxPerStep,
    tokens.toLocaleString("en-US"),
    `${facts} of ${researchSources.length}`,
    ending,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

type Runner = Awaited<ReturnType<typeof openResearch>>;

async function openResearch(dialect: RunnerDialect) {
  const provider = { windowTokens: researchWindowTokens, wording: researchWordings[dialect] };
  return openRunner({ ...provider, script: researchScript });
}

async function runBounded(dialect: RunnerDialect, env: Record<string, string>): Promise<Row> {
  await using runner = await openResearch(dialect);
  for (const { file, bytes } of researchSources) await runner.write(file, bytes);
  const { events } = await runner.events(["run", researchTask, "--model", runnerModels[dialect]], env);
  const steps = events.filter(({ type }) => type === "step");
  const answer = events.filter(({ type, step }) => type === "text" && step === researchSteps);
  const maxPerStep = Math.max(...steps.map(({ requests }) => requests));
  const ending = events.findLast(({ type }) => type === "summary")?.how;
  return {
    ...countSent(runner),
    steps: steps.length,
    maxPerStep,
    facts: factsIn(answer.map(({ text }) => text).join("")),
    ending,
  };
}

async function runUnbounded(dialect: RunnerDialect): Promise<Row> {
  await using runner = await openResearch(dialect);
  const { steps, answer, failure } = await runNaively(dialect, runner.provider.url);
  return {
    ...countSent(runner),
    steps,
    maxPerStep: 1,
    facts: factsIn(answer),
    ending: failure === undefined ? "answered" : "overflowed",
  };
}

function countSent({ provider: { exchanges } }: Runner) {
  const tokens = exchanges.reduce((sum, { json }) => sum + countTokens(JSON.parse(json)), 0);
  return { requests: exchanges.length, refused: exchanges.filter(({ status }) => status !== 200).length, tokens };
}

const factsIn = (answer: string): number => researchAnswer.split(", ").filter((fact) => answer.includes(fact)).length;
