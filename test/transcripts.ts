/** Generates long transcripts from a seed, with what agents really collect: logs, code, pages, tables. */
import type { Conversation, ToolResult, Turn } from "./conversations.ts";

/** A small random number generator; the same seed gives the same numbers. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return (state >>> 4) % below;
  };
}

const words =
  "river gate level pump flow sensor alarm report weir canal storage dam valve meter north south order check".split(
    " ",
  );

type Random = (below: number) => number;

const kinds: readonly ((random: Random, lines: number) => string)[] = [
  (random, lines) => repeat(lines, () => sentence(random, 14)),
  (random, lines) =>
    repeat(
      lines,
      (index) =>
        `2026-11-${10 + (index % 20)}T0${index % 10}:12:${10 + (index % 50)}Z INFO [worker-${random(9)}] ${sentence(random, 6)} took=${random(9_000)}ms id=${hex(random, 12)}`,
    ),
  (random, lines) =>
    repeat(
      lines,
      () =>
        `${"  ".repeat(random(4))}if (${pick(random)}.${pick(random)} > ${random(500)}) { return ${pick(random)}(${pick(random)}, "${pick(random)}"); }`,
    ),
  (random, lines) =>
    JSON.stringify(
      Array.from({ length: lines }, (_, index) => ({
        id: index,
        name: pick(random),
        level: random(1_000) / 7,
        tags: [pick(random), pick(random)],
      })),
    ),
  (random, lines) => repeat(lines, () => `${random(99_999)},${random(99_999)},${pick(random)},${hex(random, 8)}`),
  (random, lines) =>
    repeat(
      lines,
      () => `水位${random(900)}センチ、${pick(random)}の流量は毎秒${random(90)}立方メートルです。ゲートを開きます。`,
    ),
];

const repeat = (lines: number, line: (index: number) => string): string =>
  Array.from({ length: lines }, (_, index) => line(index)).join("\n");
const pick = (random: Random): string => words[random(words.length)] ?? "river";
const sentence = (random: Random, length: number): string => Array.from({ length }, () => pick(random)).join(" ");
const hex = (random: Random, length: number): string => Array.from({ length }, () => random(16).toString(16)).join("");

/** A conversation of many turns with results of all sizes. The last turn is the model's to answer. */
export function longTranscript(seed: number): Conversation {
  const random = randomFrom(seed);
  const turns: Turn[] = Array.from({ length: 4 + random(5) }, (_, index) => ({
    user: `${index}: ${sentence(random, 20)}`,
    ...(random(6) === 0 ? { attachment: { mediaType: "image/png", base64: hex(random, 4_000) } } : {}),
    rounds: Array.from({ length: 1 + random(3) }, () =>
      Array.from({ length: 1 + random(3) }, () => ({
        tool: random(2) ? "shell" : "fetch_page",
        result: resultOf(random),
      })),
    ),
    answer: sentence(random, 30),
  }));
  const last: Turn = {
    user: sentence(random, 15),
    rounds: [[{ tool: "shell", result: { text: sentence(random, 40 + random(400)), form: "text" } }]],
  };
  return { system: sentence(random, 150), turns: [...turns, last], outputTokens: 1_024 };
}

function resultOf(random: Random): ToolResult {
  const form = (["text", "text", "text", "blocks", "error"] as const)[random(5)] ?? "text";
  const lines = random(4) === 0 ? 150 + random(250) : 5 + random(60);
  return { form, text: (kinds[random(kinds.length)] ?? kinds[0])?.(random, lines) ?? "" };
}
