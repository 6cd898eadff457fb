/** One budget for the calls of a turn: whatever a model asks for at once comes back within one number of characters. */
import { OVERHEAD_CHARS, SMALLEST_BUDGET_CHARS } from "../fit/limits.ts";

/** The room that the calls of one turn share. */
export type Turn = {
  /** How many calls there is room for. */
  readonly maxCalls: number;
  /** One more call waits for its reply; false where there is no room for more than a word about that. */
  join(): boolean;
  /** Characters of content that the next reply may carry; what earlier replies left over is shared by the rest. */
  shareChars(): number;
  /** A reply of this length has left. */
  spend(chars: number): void;
};

/** Splits the characters of a turn evenly between the calls that wait, as they finish. */
export function openTurn(chars: number): Turn {
  const most = countCalls(chars);
  let [remainingChars, waitingCalls, joinedCalls] = [chars, 0, 0];
  return {
    maxCalls: most,
    join() {
      waitingCalls++;
      return ++joinedCalls <= most;
    },
    shareChars: () => Math.floor(remainingChars / Math.max(1, waitingCalls)) - OVERHEAD_CHARS,
    spend(replyChars) {
      remainingChars = Math.max(0, remainingChars - replyChars);
      waitingCalls--;
    },
  };
}

/** The share of a turn in which the calls without room are told so. */
const REFUSAL_SHARE = 0.05;

/** How many calls a turn of this size has room for, each with the smallest reply there is. */
function countCalls(chars: number): number {
  return Math.max(1, Math.floor((chars * (1 - REFUSAL_SHARE)) / (SMALLEST_BUDGET_CHARS + OVERHEAD_CHARS)));
}
