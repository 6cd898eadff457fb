/** One budget for the calls of a turn: all replies together stay within one number of characters. */
import { MIN_BUDGET_CHARS, OVERHEAD_CHARS } from "../fit/limits.ts";

/** The characters that the calls of one turn share. */
export type TurnBudget = {
  /** How many calls the turn has room for. */
  readonly maxCalls: number;
  /** Registers a call; false where the turn has room only to say so. */
  join(): boolean;
  /** Characters of content that the next reply may carry; what earlier replies did not use is shared. */
  shareChars(): number;
  /** Records the length of a reply that was sent. */
  spend(chars: number): void;
};

/** Splits the characters of a turn evenly between the calls that wait, as they finish. */
export function openTurn(chars: number): TurnBudget {
  const maxCalls = countCalls(chars);
  let [remainingChars, waitingCalls, joinedCalls] = [chars, 0, 0];
  return {
    maxCalls,
    join() {
      waitingCalls++;
      return ++joinedCalls <= maxCalls;
    },
    shareChars: () => Math.floor(remainingChars / Math.max(1, waitingCalls)) - OVERHEAD_CHARS,
    spend(replyChars) {
      remainingChars = Math.max(0, remainingChars - replyChars);
      waitingCalls--;
    },
  };
}

/** The share of a turn that is reserved for the errors of calls without room. */
const REFUSAL_SHARE = 0.05;

/** How many calls fit into a turn of this size, each with the smallest reply. */
function countCalls(chars: number): number {
  return Math.max(1, Math.floor((chars * (1 - REFUSAL_SHARE)) / (MIN_BUDGET_CHARS + OVERHEAD_CHARS)));
}
