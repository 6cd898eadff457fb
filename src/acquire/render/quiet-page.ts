/** Decides when a page is idle, by turns of its own event loop: by the clock, a page that gets no CPU looks idle too. */
import { setTimeout as pause } from "node:timers/promises";

/** A page in the browser, as seen over its session. */
export type WatchedPage = {
  readonly mainFrameId: string;
  call<T>(method: string, params?: object): Promise<T>;
  /** A number that grows with everything the page does; undefined while it loads or waits for a response. */
  readActivity(): number | undefined;
};

/** So many turns in a row without activity make a page idle; with the pauses between them, 400 ms on a free machine. */
export const QUIET_TURNS = 8;

export type QuietOptions = {
  /** How long to wait at most. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
  /** The pause before each turn. */
  readonly pauseMs?: number;
};

/** Resolves once the page is idle or its time is over. */
export async function waitUntilQuiet(page: WatchedPage, options: QuietOptions): Promise<void> {
  const { settleMs, signal, pauseMs = 50 } = options;
  const end = AbortSignal.any([signal, AbortSignal.timeout(settleMs)]);
  const ended = new Promise<boolean>((resolve) => {
    end.addEventListener("abort", () => resolve(false), { once: true });
  });
  for (let quietTurns = 0; quietTurns < QUIET_TURNS && !end.aborted; ) {
    const activity = page.readActivity();
    await pause(pauseMs);
    const hasRun = await Promise.race([waitForIdleTurn(page), ended]);
    const isQuiet = hasRun && activity !== undefined && activity === page.readActivity();
    quietTurns = isQuiet ? quietTurns + 1 : 0;
  }
}

/**
 * Whether the page has run everything that was waiting in its event loop: an idle callback comes after that. In a world
 * of its own, the script gets the browser's functions, whatever the page has put in their place.
 */
async function waitForIdleTurn({ mainFrameId, call }: WatchedPage): Promise<boolean> {
  try {
    const worldOptions = { frameId: mainFrameId, worldName: "spillway" };
    const world = await call<{ executionContextId: number }>("Page.createIsolatedWorld", worldOptions);
    const script = { contextId: world.executionContextId, expression: idleScript, awaitPromise: true };
    await call("Runtime.evaluate", script);
    return true;
  } catch {
    // The document was replaced during the turn, so the page is not idle.
    return false;
  }
}

/** A page that is always busy, such as with an animation, gets its turn after the timeout. */
const idleScript = "new Promise((resolve) => requestIdleCallback(() => resolve(), { timeout: 200 }))";
