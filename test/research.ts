/**
 * A long research task over local pages, documents, logs and code. Each source holds one fact deep inside. The scripted
 * model reads one source after the other and writes a note for each, because a result may be replaced by a stub later. At
 * the end it answers from its own notes alone.
 */
import { jsonSchema, stepCountIs, streamText } from "ai";
import { INTERRUPTED_CALL_RESULT } from "../src/answer/runner-texts.ts";
import { loadModel } from "../src/models/load-model.ts";
import { findTarget } from "../src/models/providers.ts";
import type { RequestBody } from "../src/overflow/dialects/dialect.ts";
import { makePdfWithLines } from "./pdf.ts";
import { wordings } from "./provider.ts";
import { type RunnerDialect, runnerEnvironment, runnerModels } from "./runner.ts";
import { findResults, type Script, type ScriptedAnswer, type ScriptedCall } from "./scripted.ts";

export const researchTask = "Find the mark of every source and list them.";
export const researchWindowTokens = 24_000;

/** The refusal of the provider of each dialect. One of them names no number. */
export const researchWordings = {
  "openai-chat": wordings.openai,
  "openai-responses": wordings.responses,
  "anthropic-messages": wordings.anthropic,
  gemini: wordings.gemini,
} as const;

type Kind = "page" | "report" | "log" | "code";

/** A file, its text as an unbounded reader would load it, and the fact that is hidden in it. */
export type ResearchSource = {
  readonly key: string;
  readonly kind: Kind;
  readonly file: string;
  readonly bytes: string | Uint8Array;
  readonly text: string;
  readonly fact: string;
};

const kinds: readonly Kind[] = ["page", "report", "log", "code", "page", "report", "log", "page", "report", "code"];

function makeSource(index: number, kind: Kind): ResearchSource {
  const key = `${kind}${String(index).padStart(2, "0")}`;
  const fact = `heron-${(index * 7_919 + 1_301) % 10_000}`;
  const sentence = `The mark of ${key} is ${fact}.`;
  return { key, kind, fact, ...writers[kind](key, sentence) };
}

type WrittenSource = Pick<ResearchSource, "file" | "bytes" | "text">;

const writers: Readonly<Record<Kind, (key: string, sentence: string) => WrittenSource>> = {
  page: (key, sentence) => {
    const paragraphs = Array.from({ length: 120 }, (_, index) => {
      const text = `Paragraph ${index} of ${key} tells how the water came over the wall in the year ${1800 + index}, and who saw it.`;
      return index === 90 ? `${text} ${sentence}` : `${text} The keeper wrote it down with care.`;
    });
    const body = paragraphs.map((text) => `<p>${text}</p>`).join("\n");
    const bytes = `<!doctype html><html><head><title>${key}</title></head><body><main><h1>${key}</h1>\n${body}</main></body></html>`;
    return { file: `${key}.html`, bytes, text: bytes };
  },
  report: (key, sentence) => {
    const pages = Array.from({ length: 30 }, (_, page) => {
      const lines = Array.from(
        { length: 30 },
        (_, entry) => `${key}, page ${page + 1}, entry ${entry}: the gauge at the upper gate was read by the keeper.`,
      );
      return page === REPORT_PAGE - 1 ? [sentence, ...lines] : lines;
    });
    return { file: `${key}.pdf`, bytes: makePdfWithLines(pages), text: pages.flat().join("\n") };
  },
  log: (key, sentence) => {
    const lines = Array.from({ length: 4_000 }, (_, index) =>
      index === 3_100
        ? `2026-11-15T03:18:11Z WARN ${sentence}`
        : `2026-11-15T03:${index % 60}:00Z INFO ${key} gate ${index} level ok`,
    );
    const text = lines.join("\n");
    return { file: `${key}.log`, bytes: text, text };
  },
  code: (key, sentence) => {
    const lines = Array.from({ length: 900 }, (_, index) =>
      index === CODE_LINE - 1
        ? `// ${sentence}`
        : `export const ${key}Gate${index} = openGate(${index}, { level: ${index * 3} });`,
    );
    const text = lines.join("\n");
    return { file: `src/${key}.ts`, bytes: text, text };
  },
};

/** Where the fact is in a report and in a file of code. */
const REPORT_PAGE = 17;
const CODE_LINE = 640;

export const researchSources: readonly ResearchSource[] = Array.from({ length: 27 }, (_, index) =>
  makeSource(index, kinds[index % kinds.length] ?? "page"),
);

/** The correct answer. */
export const researchAnswer = researchSources.map(({ key, fact }) => `${key}=${fact}`).join(", ");

/** The parallel calls of one turn. The model reads the result of the first one. */
type PlannedTurn = {
  readonly source: ResearchSource;
  readonly action: "search" | "fetch" | "read";
  readonly calls: number;
};

/** Two turns for each source: fetch it, then read the right place. Code is searched first. Every fifth fetch has company. */
const turns: readonly PlannedTurn[] = researchSources.flatMap((source, index): PlannedTurn[] => [
  ...(source.kind === "code" ? [{ source, action: "search", calls: 1 } as const] : []),
  { source, action: "fetch", calls: index % 5 === 4 ? 3 : 1 },
  { source, action: "read", calls: 1 },
]);

/** The steps of the model: one for each turn, and one for the answer. */
export const researchSteps = turns.length + 1;

/** The model. It knows only what the request holds. */
export const researchScript: Script = (request, dialect) => {
  const canRead = dialect.findToolNames(request).includes("read_artifact");
  const plan = canRead
    ? turns
    : turns.filter(({ action }) => action === "fetch").map((turn) => ({ ...turn, calls: 1 }));
  const results = findResults(request, dialect).filter((text) => !text.includes(INTERRUPTED_CALL_RESULT));
  const index = findTurn(plan, results.length);
  const [turn, lastTurn] = [plan[index], plan[index - 1]];
  const newest = results.slice(results.length - (lastTurn?.calls ?? 0))[0] ?? "";
  const note = writeNote(lastTurn, newest, canRead);
  if (turn === undefined) return { text: writeAnswer(request, note) };
  return { ...(note === "" ? {} : { text: note }), calls: makeCalls(turn, newest) } satisfies ScriptedAnswer;
};

/** The index of the turn that follows this many results. */
function findTurn(plan: readonly PlannedTurn[], results: number): number {
  let count = 0;
  for (const [index, { calls }] of plan.entries()) {
    if (count >= results) return index;
    count += calls;
  }
  return plan.length;
}

function writeNote(turn: PlannedTurn | undefined, result: string, canRead: boolean): string {
  if (turn === undefined || (canRead && turn.action !== "read")) return "";
  const { key } = turn.source;
  const fact = new RegExp(`The mark of ${key} is (heron-\\d+)`).exec(result)?.[1];
  return fact === undefined ? `MISSED[${key}]` : `NOTED[${key}=${fact}]`;
}

function makeCalls({ source, action, calls }: PlannedTurn, newest: string): ScriptedCall[] {
  const query = `the mark of ${source.key}`;
  if (action === "search") return [{ tool: "search_code", input: { query, limit: 3 } }];
  if (action === "read") {
    const artifact_ref = /af_[0-9a-f]{32}/.exec(newest)?.[0] ?? "";
    return [{ tool: "read_artifact", input: { artifact_ref, ...placeIn(source, query) } }];
  }
  const others = researchSources.slice(0, calls - 1).map(({ file }) => fetchCall(file));
  const path = source.kind === "code" ? /src\/\w+\.ts/.exec(newest)?.[0] : undefined;
  return [fetchCall(path ?? source.file), ...others];
}

const fetchCall = (url: string): ScriptedCall => ({ tool: "fetch_content", input: { url } });

function placeIn({ kind }: ResearchSource, query: string): Readonly<Record<string, string>> {
  if (kind === "report") return { pages: String(REPORT_PAGE) };
  return kind === "code" ? { lines: `${CODE_LINE - 20}-${CODE_LINE + 20}` } : { query };
}

/** The facts from the model's own notes, in the order of the sources. */
function writeAnswer(request: RequestBody, lastNote: string): string {
  const notes = new Map(
    [...`${JSON.stringify(request)}${lastNote}`.matchAll(/NOTED\[(\w+)=([\w-]+)\]/g)].map(([, key = "", fact]) => [
      key,
      fact,
    ]),
  );
  return researchSources.map(({ key }) => `${key}=${notes.get(key) ?? "?"}`).join(", ");
}

export type NaiveRun = { readonly steps: number; readonly answer: string; readonly failure: string | undefined };

/** Runs the same model and task in the AI SDK's own loop, with a tool that returns each source whole. */
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
