/** A few warm children that read files for us. A file that crashes, hangs or swells one costs that child, nothing else. */
import type { Extracted, Failure, Limits } from "../handler.ts";
import type { Job } from "./messages.ts";
import { Worker } from "./worker.ts";

export type PoolOptions = {
  /** The program a child runs; it calls serveEngines. */
  readonly script: URL;
  /** How many children work at once. */
  readonly children: number;
  /** What one job may use. */
  readonly limits: Limits;
  /** How long a child waits for work before it leaves. */
  readonly idleMs: number;
};

export type Pool = {
  /** The pieces an engine finds in a file; a failure of any kind is the last piece. Waits for a free child. */
  run(job: Job, signal: AbortSignal): AsyncGenerator<Extracted>;
  /** Ends all children. */
  close(): void;
};

/** How far a child came, and why no further where it was interrupted. */
type Attempt = { readonly from: number; readonly broken?: Failure };

/** A pool that has no child yet: they are started when there is work. Whoever makes it closes it. */
export function createPool({ script, children, limits, idleMs }: PoolOptions): Pool {
  const all = new Set<Worker>();
  const free: Worker[] = [];
  const leaving = new Map<Worker, NodeJS.Timeout>();
  const waiting: Array<() => void> = [];
  let busy = 0;

  function take(): Worker {
    for (let warm = free.pop(); warm; warm = free.pop()) {
      clearTimeout(leaving.get(warm));
      if (warm.usable) return warm;
      retire(warm);
    }
    const worker = new Worker(script, limits);
    all.add(worker);
    return worker;
  }

  function give(worker: Worker): void {
    if (worker.usable) wait(worker);
    else retire(worker);
  }

  function wait(worker: Worker): void {
    free.push(worker);
    const leave = () => {
      free.splice(free.indexOf(worker), 1);
      retire(worker);
    };
    leaving.set(worker, setTimeout(leave, idleMs).unref());
  }

  function retire(worker: Worker): void {
    worker.end();
    leaving.delete(worker);
    all.delete(worker);
  }

  /** Waits until a child is free; an abort ends the wait, and a turn that was given to it goes to the next. */
  function turnFor(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const taken = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(taken), 1);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(taken);
    });
  }

  async function* run(job: Job, signal: AbortSignal): AsyncGenerator<Extracted> {
    while (busy >= children) await turnFor(signal);
    busy++;
    try {
      const { from, broken } = yield* attempt(job, signal);
      if (broken === undefined) return;
      const again = yield* attempt({ ...job, ask: { ...job.ask, from } }, signal);
      if (again.broken) yield { failed: again.broken };
    } finally {
      busy--;
      waiting.shift()?.();
    }
  }

  /** One child's try. Where it was interrupted, the pieces that came before count: another goes on from there. */
  async function* attempt(job: Job, signal: AbortSignal): AsyncGenerator<Extracted, Attempt> {
    signal.throwIfAborted();
    const worker = take();
    let { from } = job.ask;
    try {
      for await (const piece of worker.run(job, signal)) {
        if ("failed" in piece && piece.failed.reason === "interrupted") return { from, broken: piece.failed };
        if ("segment" in piece) from = piece.segment.index + 1;
        yield piece;
      }
      return { from };
    } finally {
      give(worker);
    }
  }

  function close(): void {
    for (const worker of all) retire(worker);
  }

  return { run, close };
}
