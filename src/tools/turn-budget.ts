/** One budget for the calls of a turn: whatever a model asks for at once comes back within one number of characters. */
import { OVERHEAD_CHARS, SMALLEST_BUDGET_CHARS } from "../fit/limits.ts";

/** The room that the calls of one turn share. */
export type Turn = {
  /** How many calls there is room for. */
  readonly most: number;
  /** One more call waits for its reply; false where there is no room for more than a word about that. */
  join(): boolean;
  /** Characters of content that the next reply may carry; what earlier replies left over is shared by the rest. */
  shareChars(): number;
  /** A reply of this length has left. */
  spend(chars: number): void;
};

/** Splits the characters of a turn evenly between the calls that wait, as they finish. */
export function openTurn(chars: number): Turn {
  const most = callsInTurn(chars);
  let [left, waiting, joined] = [chars, 0, 0];
  return {
    most,
    join() {
      waiting++;
      return ++joined <= most;
    },
    shareChars: () => Math.floor(left / Math.max(1, waiting)) - OVERHEAD_CHARS,
    spend(spent) {
      left = Math.max(0, left - spent);
      waiting--;
    },
  };
}

/** The share of a turn in which the calls without room are told so. */
const refusalShare = 0.05;

/** How many calls a turn of this size has room for, each with the smallest reply there is. */
function callsInTurn(chars: number): number {
  return Math.max(1, Math.floor((chars * (1 - refusalShare)) / (SMALLEST_BUDGET_CHARS + OVERHEAD_CHARS)));
}
