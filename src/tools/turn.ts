/** One budget for the calls of a turn: whatever a model asks for at once comes back within one number of characters. */
import { OVERHEAD_CHARS, SMALLEST_BUDGET_CHARS } from "../fit/limits.ts";

/** The room that the calls of one turn share. */
export type Turn = {
  /** One more call waits for its reply. */
  join(): void;
  /** Characters of content that the next reply may carry; what earlier replies left over is shared by the rest. */
  shareChars(): number;
  /** A reply of this length has left. */
  spend(chars: number): void;
};

/** Splits the characters of a turn evenly between the calls that wait, as they finish. */
export function openTurn(chars: number): Turn {
  let [left, waiting] = [chars, 0];
  return {
    join: () => void waiting++,
    shareChars: () => Math.floor(left / Math.max(1, waiting)) - OVERHEAD_CHARS,
    spend(spent) {
      left = Math.max(0, left - spent);
      waiting--;
    },
  };
}

/** How many calls a turn of this size has room for, each with the smallest reply there is. */
export function callsInTurn(chars: number): number {
  return Math.max(1, Math.floor(chars / (SMALLEST_BUDGET_CHARS + OVERHEAD_CHARS)));
}
