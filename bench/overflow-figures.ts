/** How much of what overflows is recovered, beside what users would have without recovery. */
import type { RequestBody } from "../src/overflow/dialects/dialect.ts";
import type { Conversation, HttpSimulator } from "../src/overflow/dialects/simulator.ts";
import { httpSimulators } from "../src/overflow/dialects/simulators.ts";
import { countTokens, type ProviderOptions, wordings } from "../test/provider.ts";
import { longTranscript } from "../test/transcripts.ts";
import { scoreConversation } from "./overflow-conversation.ts";
import { type Strategy, spillway, strategies } from "./overflow-strategies.ts";

type Row = Record<string, string | number>;

/** Prints one table for each promise. */
export async function printFigures(): Promise<void> {
  await printLanding();
  await printTranscripts();
  await printConversations();
}

const heavyText = "the gate at weir seven opened to 41 percent and the level fell by two centimetres\n".repeat(1_200);

/** A conversation whose newest result is nearly all of it. */
const heavyNewest: Conversation = {
  system: "You watch dams.",
  turns: [
    {
      user: "Look.",
      rounds: [[{ tool: "shell", result: { text: heavyText.slice(0, 2_000), form: "text" } }]],
      answer: "Yes.",
    },
    { user: "And now all of it.", rounds: [[{ tool: "shell", result: { text: heavyText, form: "text" } }]] },
  ],
  outputTokens: 200,
};

/** Refusals without numbers, and the same request again. */
async function printLanding(): Promise<void> {
  const rows: Record<string, Row> = {};
  for (const [name, strategy] of Object.entries(strategies)) {
    const cases: Record<string, (simulator: HttpSimulator, request: RequestBody) => ProviderOptions> = {
      "3.3 times the window, no number": (_, request) => ({
        windowTokens: Math.floor((countTokens(request) + 200) / 3.3),
        wording: wordings.responses,
      }),
      "2.5 times the bytes, bare 413": (_, request) => ({
        bodyBytes: Math.floor(Buffer.byteLength(JSON.stringify(request)) / 2.5),
        bytesWording: () => ({ status: 413, body: "Request Entity Too Large" }),
      }),
    };
    const row: Row = {};
    for (const [label, optionsFor] of Object.entries(cases)) {
      const tries = [];
      for (const simulator of httpSimulators) {
        const request = simulator.writeRequest(heavyNewest);
        const send = await strategy(simulator, optionsFor(simulator, request));
        await send(request);
        const second = await send(request);
        const third = await send(request);
        tries.push({ second, third });
      }
      const recovered = tries.filter(({ second }) => second.accepted !== undefined);
      const isSame = tries.every(
        ({ second, third }) => second.accepted === third.accepted && third.upstreamCalls === 1,
      );
      row[label] = `${recovered.length} of ${tries.length} by the second try`;
      row[`${label}: same bytes, one call`] = recovered.length === 0 ? "" : isSame ? "yes" : "no";
    }
    rows[name] = row;
  }
  console.log("Without numbers: an agent's newest result alone is too large; four dialects:");
  console.table(rows);
}

/** Counts the tokens of a text. */
type CountText = (text: string) => number;

/** Ours is none of these: the estimate has never seen them, but the one in the tests. */
async function loadTokenizers(): Promise<Readonly<Record<string, CountText | undefined>>> {
  const gpt: Record<string, CountText> = {};
  for (const encoding of ["o200k_base", "cl100k_base"]) {
    const { countTokens: countText } = await load(`gpt-tokenizer/encoding/${encoding}`);
    gpt[encoding] = (text) => countText(text);
  }
  const { default: llama2 } = await load("llama-tokenizer-js");
  return { ...gpt, "llama 2": (text) => llama2.encode(text).length, "llama 3 (in the tests)": undefined };
}

/** The packages are installed for benches only, so the compiler does not know them. */
const load = (name: string) => import(name);

const SEEDS = 10;

/** Transcripts of code, logs, JSON, tables, hex, Japanese and pictures, for windows of 30 to 80 % of their size. */
async function printTranscripts(): Promise<void> {
  const rows: Record<string, Row> = {};
  for (const [tokenizer, countText] of Object.entries(await loadTokenizers())) {
    const counts = new Map<string, number>();
    const countCached = countText && ((text: string) => rememberIn(counts, text, countText));
    for (const pictureTokens of [300, 1_600]) {
      const count = (request: RequestBody) => countTokens(request, countCached, pictureTokens);
      const row: Row = {};
      for (const [name, strategy] of Object.entries(strategies)) row[name] = await scoreTranscripts(strategy, count);
      rows[`${tokenizer}, pictures at ${pictureTokens}`] = row;
    }
  }
  console.log(
    "Numbers named. Transcripts accepted within two requests, and of what was removed the share beyond need and",
  );
  console.log("headroom (p50, p90). All but llama 3 are tokenizers that no constant was tuned on:");
  console.table(rows);
}

function rememberIn(counts: Map<string, number>, text: string, countText: CountText): number {
  const count = counts.get(text) ?? countText(text);
  if (counts.size < 50_000) counts.set(text, count);
  return count;
}

/** The share of the window that is left free on purpose. */
const HEADROOM = 0.35;

async function scoreTranscripts(strategy: Strategy, count: (request: RequestBody) => number): Promise<string> {
  let [accepted, all] = [0, 0];
  const excesses: number[] = [];
  for (const simulator of httpSimulators) {
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (const share of [0.3, 0.5, 0.8]) {
        const request = simulator.writeRequest(longTranscript(seed));
        const output = simulator.sharesWindow ? simulator.countOutput(request) : 0;
        const windowTokens = Math.floor((count(request) + output) * share);
        const send = await strategy(simulator, { windowTokens, count, wording: wordings.openai });
        const { accepted: json } = await send(request);
        all++;
        if (json === undefined) continue;
        accepted++;
        const removed = count(request) - count(JSON.parse(json));
        const wanted = windowTokens * (1 - HEADROOM) - Math.min(output, windowTokens / 4);
        const needed = count(request) - Math.max(0, wanted);
        excesses.push(Math.max(0, (removed - needed) / Math.max(1, removed)));
      }
    }
  }
  excesses.sort((one, other) => one - other);
  const at = (share: number) => `${((excesses[Math.floor(excesses.length * share)] ?? 0) * 100).toFixed(0)} %`;
  return `${accepted} of ${all} (${at(0.5)}, ${at(0.9)})`;
}

/** The prompt cache of a long conversation, and which headroom is worth its price. */
async function printConversations(): Promise<void> {
  const rows: Record<string, Row> = {};
  const simulator = httpSimulators.find(({ dialect }) => dialect.name === "anthropic-messages");
  if (simulator === undefined) return;
  const headrooms = [0, 15, 25, 35, 45].map((percent): [string, Strategy] => [
    `spillway, headroom ${percent} %`,
    spillway({ "overflow.headroom": percent }),
  ]);
  const { spillway: _, ...others } = strategies;
  for (const [name, strategy] of [...headrooms, ...Object.entries(others)]) {
    const windowTokens = 100_000;
    const score = await scoreConversation(simulator, strategy, { seed: 1, windowTokens });
    rows[name] = {
      "turns failed": score.failed,
      "upstream requests": score.upstream,
      "input in the cached prefix": percent(score.cached),
      "mean input of the window": percent(score.input),
      "input cost, windows": Number(score.cost.toFixed(1)),
    };
  }
  console.log("Sixty turns, window of 100,000 tokens, numbers named (cost: 1.25 for a cache write, 0.1 for a read):");
  console.table(rows);
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
