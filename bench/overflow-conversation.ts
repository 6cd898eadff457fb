/** A long conversation under several ways to keep it inside its window: what is cached, how full the window is, what fails. */
import type { HttpSimulator, Turn } from "../src/overflow/dialects/simulator.ts";
import { countTokens, type ProviderOptions } from "../test/provider.ts";
import { longTranscript } from "../test/transcripts.ts";
import type { Strategy } from "./overflow-strategies.ts";

/** What a whole conversation came to. */
export type ConversationScore = {
  readonly failed: number;
  readonly upstream: number;
  /** The share of all input that was sent before in the same place. */
  readonly cached: number;
  /** The mean input as a share of the window. */
  readonly input: number;
  /** The price of the input, at 1.25 for a cache write and 0.1 for a cache read, per token of the window. */
  readonly cost: number;
};

const TURNS = 60;

export type ConversationOptions = ProviderOptions & { readonly seed: number; readonly windowTokens: number };

/** Sixty turns whose results are of all kinds and sizes; the client always sends its whole history. */
export async function scoreConversation(
  simulator: HttpSimulator,
  strategy: Strategy,
  { seed, ...options }: ConversationOptions,
): Promise<ConversationScore> {
  const send = await strategy(simulator, { wording: simulator.refuse, ...options });
  const { system } = longTranscript(seed);
  const turns = makeTurns(seed);
  const sums = { cachedChars: 0, chars: 0, tokens: 0, cost: 0 };
  let [before, failed, upstream] = ["", 0, 0];
  for (let count = 1; count <= TURNS; count++) {
    const { answer: _, ...open } = turns[count - 1] ?? { user: "", rounds: [] };
    const conversation = { system, turns: [...turns.slice(0, count - 1), open], outputTokens: 1_024 };
    const { accepted, upstreamCalls } = await send(simulator.writeRequest(conversation));
    upstream += upstreamCalls;
    if (accepted === undefined) {
      failed++;
      continue;
    }
    const shared = commonPrefix(before, accepted);
    const tokens = countTokens(JSON.parse(accepted));
    const cachedTokens = (tokens * shared) / accepted.length;
    sums.cachedChars += shared;
    sums.chars += accepted.length;
    sums.tokens += tokens;
    sums.cost += (cachedTokens * 0.1 + (tokens - cachedTokens) * 1.25) / options.windowTokens;
    before = accepted;
  }
  const input = sums.tokens / (TURNS - failed) / options.windowTokens;
  return { failed, upstream, cached: sums.cachedChars / sums.chars, input, cost: sums.cost };
}

/** About as much text a turn as agents collect: many short results, some long ones. */
function makeTurns(seed: number): Turn[] {
  const source = Array.from({ length: 20 }, (_, index) => longTranscript(seed * 100 + index).turns).flat();
  return source
    .filter(({ rounds }) => rounds.length > 0)
    .slice(0, TURNS)
    .map(({ user, rounds }, index) => ({
      user: `${index}: ${user}`,
      rounds: rounds.slice(0, 1),
      answer: `I have looked at it (${index}).`,
    }));
}

function commonPrefix(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let same = 0;
  while (same < end && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  return same;
}
