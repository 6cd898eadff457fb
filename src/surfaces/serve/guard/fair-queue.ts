/** Limits the calls that are worked on at once, and serves waiting owners evenly: a busy one delays only itself. */

export type QueueLimits = {
  /** Calls at work in all, and of one owner. */
  readonly running: number;
  readonly runningPerOwner: number;
  /** Calls of one owner that may wait. */
  readonly waitingPerOwner: number;
};

/** Thrown for a call that may not even wait. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

export interface FairQueue {
  /** Does the work when it is the owner's turn. Throws QueueFullError, or the signal's reason if it is aborted before. */
  run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

type Waiter = { readonly start: () => void };
type Lane = { running: number; readonly waiting: Waiter[] };

export function createFairQueue(limits: QueueLimits): FairQueue {
  /** Owners with calls. One that was served moves to the end. */
  const lanes = new Map<string, Lane>();
  let [running, waiting] = [0, 0];

  function laneOf(owner: string): Lane {
    const lane = lanes.get(owner) ?? { running: 0, waiting: [] };
    if (!lanes.has(owner)) lanes.set(owner, lane);
    return lane;
  }

  /** The owner with the fewest calls at work; among equals the one that was served longest ago. */
  function findNext(): [string, Lane] | undefined {
    let next: [string, Lane] | undefined;
    for (const [owner, lane] of lanes) {
      const canStart = lane.waiting.length > 0 && lane.running < limits.runningPerOwner;
      if (canStart && (next === undefined || lane.running < next[1].running)) next = [owner, lane];
    }
    return next;
  }

  function startNext(): void {
    while (running < limits.running) {
      const next = findNext();
      if (next === undefined) return;
      const [owner, lane] = next;
      lanes.delete(owner);
      lanes.set(owner, lane);
      waiting--;
      running++;
      lane.running++;
      lane.waiting.shift()?.start();
    }
  }

  function finish(owner: string, lane: Lane): void {
    running--;
    lane.running--;
    removeIfIdle(owner, lane);
    startNext();
  }

  function removeIfIdle(owner: string, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(owner);
  }

  /** Resolves when the call may start. */
  function takeTurn(owner: string, lane: Lane, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const index = lane.waiting.indexOf(waiter);
        if (index === -1) return;
        lane.waiting.splice(index, 1);
        waiting--;
        removeIfIdle(owner, lane);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        start() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      lane.waiting.push(waiter);
      waiting++;
      startNext();
    });
  }

  return {
    async run(owner, signal, work) {
      signal.throwIfAborted();
      const lane = laneOf(owner);
      if (lane.waiting.length >= limits.waitingPerOwner)
        throw new QueueFullError(
          "Too many calls of this owner wait for their turn. Read the replies, then send it again.",
        );
      await takeTurn(owner, lane, signal);
      try {
        return await work();
      } finally {
        finish(owner, lane);
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}
