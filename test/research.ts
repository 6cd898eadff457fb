/**
 * A long research task over local pages, documents, logs and code: many sources, each holding one fact deep inside. The
 * simulated model reads one after the other and writes down what it found, because what it read may be set aside later;
 * at the end it answers with its own notes and nothing else.
 */
import { jsonSchema, stepCountIs, streamText } from "ai";
import { interruptedCall } from "../src/answer/runner-texts.ts";
import type { Request } from "../src/overflow/dialects/dialect.ts";
import { loadModel } from "../src/surfaces/runner/load-model.ts";
import { findTarget } from "../src/surfaces/runner/providers.ts";
import { pdfWithLines } from "./pdf.ts";
import { wordings } from "./provider.ts";
import { type RunnerDialect, runnerEnvironment, runnerModels } from "./runner.ts";
import { resultsIn, type Said, type Script, type ScriptedCall } from "./scripted.ts";

export const researchTask = "Find the mark of every source and list them.";
export const researchWindowTokens = 24_000;

/** The refusals of the provider that each dialect belongs to; one of them names no number. */
export const researchWordings = {
  "openai-chat": wordings.openai,
  "openai-responses": wordings.responses,
  "anthropic-messages": wordings.anthropic,
  gemini: wordings.gemini,
} as const;

type Kind = "page" | "report" | "log" | "code";

/** A file, the text that a reader without bounds would take in, and the fact that is hidden in it. */
export type ResearchSource = {
  readonly key: string;
  readonly kind: Kind;
  readonly file: string;
  readonly bytes: string | Uint8Array;
  readonly text: string;
  readonly fact: string;
};

const kinds: readonly Kind[] = ["page", "report", "log", "code", "page", "report", "log", "page", "report", "code"];

function sourceOf(index: number, kind: Kind): ResearchSource {
  const key = `${kind}${String(index).padStart(2, "0")}`;
  const fact = `heron-${(index * 7_919 + 1_301) % 10_000}`;
  const sentence = `The mark of ${key} is ${fact}.`;
  return { key, kind, fact, ...writers[kind](key, sentence) };
}

type Written = Pick<ResearchSource, "file" | "bytes" | "text">;

const writers: Readonly<Record<Kind, (key: string, sentence: string) => Written>> = {
  page: (key, sentence) => {
    const paragraphs = Array.from({ length: 120 }, (_, at) => {
      const told = `Paragraph ${at} of ${key} tells how the water came over the wall in the year ${1800 + at}, and who saw it.`;
      return at === 90 ? `${told} ${sentence}` : `${told} The keeper wrote it down with care.`;
    });
    const body = paragraphs.map((text) => `<p>${text}</p>`).join("\n");
    const bytes = `<!doctype html><html><head><title>${key}</title></head><body><main><h1>${key}</h1>\n${body}</main></body></html>`;
    return { file: `${key}.html`, bytes, text: bytes };
  },
  report: (key, sentence) => {
    const pages = Array.from({ length: 30 }, (_, page) => {
      const lines = Array.from(
        { length: 30 },
        (_, at) => `${key}, page ${page + 1}, entry ${at}: the gauge at the upper gate was read by the keeper.`,
      );
      return page === reportPage - 1 ? [sentence, ...lines] : lines;
    });
    return { file: `${key}.pdf`, bytes: pdfWithLines(pages), text: pages.flat().join("\n") };
  },
  log: (key, sentence) => {
    const lines = Array.from({ length: 4_000 }, (_, at) =>
      at === 3_100
        ? `2026-11-15T03:18:11Z WARN ${sentence}`
        : `2026-11-15T03:${at % 60}:00Z INFO ${key} gate ${at} level ok`,
    );
    const text = lines.join("\n");
    return { file: `${key}.log`, bytes: text, text };
  },
  code: (key, sentence) => {
    const lines = Array.from({ length: 900 }, (_, at) =>
      at === codeLine - 1 ? `// ${sentence}` : `export const ${key}Gate${at} = openGate(${at}, { level: ${at * 3} });`,
    );
    const text = lines.join("\n");
    return { file: `src/${key}.ts`, bytes: text, text };
  },
};

const reportPage = 17;
const codeLine = 640;

export const researchSources: readonly ResearchSource[] = Array.from({ length: 27 }, (_, index) =>
  sourceOf(index, kinds[index % kinds.length] ?? "page"),
);

/** The answer that is right. */
export const researchAnswer = researchSources.map(({ key, fact }) => `${key}=${fact}`).join(", ");

/** A turn is what is called at once; the first call of each is the one whose result is read. */
type TurnPlan = {
  readonly source: ResearchSource;
  readonly does: "find" | "take" | "look";
  readonly calls: number;
};

/**
 * Two turns a source: take it in, then look at the place that matters; code is first searched for the file. Every fifth
 * takes others in beside it.
 */
const turns: readonly TurnPlan[] = researchSources.flatMap((source, index): TurnPlan[] => [
  ...(source.kind === "code" ? [{ source, does: "find", calls: 1 } as const] : []),
  { source, does: "take", calls: index % 5 === 4 ? 3 : 1 },
  { source, does: "look", calls: 1 },
]);

/** How often the model is asked: for each turn, and for the answer. */
export const researchSteps = turns.length + 1;

/** The model. What it knows is what stands in the request. */
export const researchScript: Script = (request, dialect) => {
  const canRead = dialect.toolNames(request).includes("read_artifact");
  const plan = canRead ? turns : turns.filter(({ does }) => does === "take").map((turn) => ({ ...turn, calls: 1 }));
  const results = resultsIn(request, dialect).filter((text) => !text.includes(interruptedCall));
  const at = turnAt(plan, results.length);
  const newest = results.slice(results.length - (plan[at - 1]?.calls ?? 0))[0] ?? "";
  const noted = noteOf(plan[at - 1], newest, canRead);
  const turn = plan[at];
  if (turn === undefined) return { text: answerFrom(request, noted) };
  return { ...(noted === "" ? {} : { text: noted }), calls: callsOf(turn, newest) } satisfies Said;
};

/** The turn that comes after so many results. */
function turnAt(plan: readonly TurnPlan[], results: number): number {
  let seen = 0;
  for (const [index, { calls }] of plan.entries()) {
    if (seen >= results) return index;
    seen += calls;
  }
  return plan.length;
}

function noteOf(turn: TurnPlan | undefined, result: string, canRead: boolean): string {
  if (turn === undefined || (canRead && turn.does !== "look")) return "";
  const { key } = turn.source;
  const found = new RegExp(`The mark of ${key} is (heron-\\d+)`).exec(result)?.[1];
  return found === undefined ? `MISSED[${key}]` : `NOTED[${key}=${found}]`;
}

function callsOf({ source, does, calls }: TurnPlan, newest: string): ScriptedCall[] {
  const query = `the mark of ${source.key}`;
  if (does === "find") return [{ tool: "search_code", input: { query, limit: 3 } }];
  if (does === "look") {
    const artifact_ref = /af_[0-9a-f]{32}/.exec(newest)?.[0] ?? "";
    return [{ tool: "read_artifact", input: { artifact_ref, ...placeIn(source, query) } }];
  }
  const others = researchSources.slice(0, calls - 1).map(({ file }) => fetchCall(file));
  const found = source.kind === "code" ? /src\/\w+\.ts/.exec(newest)?.[0] : undefined;
  return [fetchCall(found ?? source.file), ...others];
}

const fetchCall = (url: string): ScriptedCall => ({ tool: "fetch_content", input: { url } });

function placeIn({ kind }: ResearchSource, query: string): Readonly<Record<string, string>> {
  if (kind === "report") return { pages: String(reportPage) };
  return kind === "code" ? { lines: `${codeLine - 20}-${codeLine + 20}` } : { query };
}

/** The model's own notes, in the order of the sources. */
function answerFrom(request: Request, last: string): string {
  const notes = new Map(
    [...`${JSON.stringify(request)}${last}`.matchAll(/NOTED\[(\w+)=([\w-]+)\]/g)].map(([, key = "", fact]) => [
      key,
      fact,
    ]),
  );
  return researchSources.map(({ key }) => `${key}=${notes.get(key) ?? "?"}`).join(", ");
}

export type NaiveRun = { readonly steps: number; readonly answer: string; readonly failure: string | undefined };

/** The same model and task on the AI SDK's own loop, with a tool that returns each source whole. */
export async function runNaively(dialect: RunnerDialect, url: string): Promise<NaiveRun> {
  const env = runnerEnvironment(url);
  const settings = { "runner.endpoints": env.SPILLWAY_RUNNER_ENDPOINTS?.split(",") ?? [], "runner.keys": [] };
  const inputSchema = jsonSchema<{ url: string }>({ type: "object", properties: { url: { type: "string" } } });
  const execute = async ({ url: file }: { url: string }) =>
    researchSources.find((source) => source.file === file)?.text ?? "not found";
  let steps = 0;
  let failure: string | undefined;
  const run = streamText({
    model: await loadModel(findTarget(runnerModels[dialect], settings, env), globalThis.fetch),
    prompt: researchTask,
    tools: { fetch_content: { description: "Fetches a source.", inputSchema, execute } },
    stopWhen: stepCountIs(researchSteps),
    maxRetries: 0,
    onStepEnd: () => void steps++,
    onError: ({ error }) => {
      failure = error instanceof Error ? error.message : String(error);
    },
  });
  let answer = "";
  for await (const part of run.stream) if (part.type === "text-delta") answer += part.text;
  return { steps, answer, failure };
}
