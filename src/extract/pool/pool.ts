/** A few warm children that read files for us. A file that crashes, hangs or swells one costs that child, nothing else. */
import type { Extracted, Limits } from "../handler.ts";
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

/** A pool that has no child yet: they are started when there is work. */
export function createPool({ script, children, limits, idleMs }: PoolOptions): Pool {
  const all = new Set<Worker>();
  const free: Worker[] = [];
  const waiting: Array<() => void> = [];
  let busy = 0;

  const close = () => {
    for (const worker of all) worker.end();
  };
  process.once("exit", close);

  function take(): Worker {
    const warm = free.pop();
    if (warm?.usable) return warm;
    if (warm) retire(warm);
    const worker = new Worker(script, limits);
    all.add(worker);
    return worker;
  }

  function give(worker: Worker): void {
    if (worker.usable) free.push(worker);
    else retire(worker);
    const leave = () => {
      const index = free.indexOf(worker);
      if (index >= 0) retire(...free.splice(index, 1));
    };
    setTimeout(leave, idleMs).unref();
  }

  function retire(...workers: Worker[]): void {
    for (const worker of workers) {
      worker.end();
      all.delete(worker);
    }
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
    let worker: Worker | undefined;
    try {
      signal.throwIfAborted();
      worker = take();
      yield* worker.run(job, signal);
    } finally {
      busy--;
      if (worker) give(worker);
      waiting.shift()?.();
    }
  }

  return { run, close };
}
