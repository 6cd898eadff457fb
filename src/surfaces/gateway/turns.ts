/**
 * Which calls belong to one turn of the model: those that the client makes at the same time. Their results go to the model
 * together, so they share a number of characters.
 */
import type { Session } from "../../session/session.ts";
import { openTurn, type TurnBudget } from "../../tools/turn-budget.ts";

/** One call of a turn. */
export type TurnCall = {
  /** Characters that its result may have; no limit for a call that is alone. */
  shareChars(): number;
  /** Notes how many characters of its result reach the model; the first time counts. */
  finish(chars: number): void;
};

export type Turns = {
  /** Adds a call to the turn that is running, or begins a new one. */
  join(): TurnCall;
};

/** Calls of one turn are sent within moments. A call that never ends must not tie later ones to its turn. */
const JOIN_MS = 1_000;

/** The turns of one client. */
export function openTurns({ settings, now }: Pick<Session, "settings" | "now">): Turns {
  let current: Turn | undefined;
  return {
    join() {
      const isOver = current === undefined || current.openCalls === 0 || now() - current.startedAt > JOIN_MS;
      const turn: Turn = isOver || current === undefined ? startTurn() : current;
      current = turn;
      turn.openCalls += 1;
      turn.calls += 1;
      turn.budget.join();
      let isFinished = false;
      return {
        shareChars: () => (turn.calls === 1 ? Infinity : turn.budget.shareChars()),
        finish(chars) {
          if (isFinished) return;
          isFinished = true;
          turn.openCalls -= 1;
          turn.budget.spend(chars);
        },
      };
    },
  };

  function startTurn(): Turn {
    return { budget: openTurn(settings["gateway.turn_chars"]), startedAt: now(), openCalls: 0, calls: 0 };
  }
}

type Turn = { readonly budget: TurnBudget; readonly startedAt: number; openCalls: number; calls: number };
