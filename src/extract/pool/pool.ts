/** A pool of warm child processes that read files. A file that crashes, hangs or bloats a child affects only that child. */
import { metrics } from "../../telemetry/metrics.ts";
import type { ExtractItem, Failure, Limits } from "../handler.ts";
import type { Job } from "./messages.ts";
import { Worker } from "./worker.ts";

/** Options of `createPool`. */
type PoolOptions = {
  /** The program of a child; it calls serveEngines. */
  readonly script: URL;
  /** The maximum number of children that run at once. */
  readonly children: number;
  /** What one job may use. */
  readonly limits: Limits;
  /** How long an idle child is kept. */
  readonly idleMs: number;
};

/** Runs jobs in children. */
export type Pool = {
  /** Yields what an engine reads from a file. A failure of any kind is the last item. Waits for a free child. */
  run(job: Job, signal: AbortSignal): AsyncGenerator<ExtractItem>;
  /** Kills all children. */
  close(): void;
};

/** The index of the first segment not read, and the failure if the child was interrupted. */
type Attempt = { readonly nextIndex: number; readonly interruption?: Failure };

/** Creates a pool without children: they are started when there is work. The caller must close it. */
export function createPool({ script, children, limits, idleMs }: PoolOptions): Pool {
  const workers = new Set<Worker>();
  const idleWorkers: Worker[] = [];
  const idleTimers = new Map<Worker, NodeJS.Timeout>();
  const waitingJobs: Array<() => void> = [];
  let busyCount = 0;

  function takeWorker(): Worker {
    for (let worker = idleWorkers.pop(); worker; worker = idleWorkers.pop()) {
      clearTimeout(idleTimers.get(worker));
      if (worker.isUsable) return worker;
      retire(worker);
    }
    const worker = new Worker(script, limits);
    workers.add(worker);
    return worker;
  }

  function returnWorker(worker: Worker): void {
    if (worker.isUsable) keepIdle(worker);
    else {
      metrics.addPoolRestart();
      retire(worker);
    }
  }

  function keepIdle(worker: Worker): void {
    idleWorkers.push(worker);
    const retireIdle = () => {
      idleWorkers.splice(idleWorkers.indexOf(worker), 1);
      retire(worker);
    };
    idleTimers.set(worker, setTimeout(retireIdle, idleMs).unref());
  }

  function retire(worker: Worker): void {
    worker.kill();
    idleTimers.delete(worker);
    workers.delete(worker);
  }

  /** Waits until a child is free. An abort ends the wait and removes the job from the queue. */
  function waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        waitingJobs.splice(waitingJobs.indexOf(start), 1);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", giveUp, { once: true });
      waitingJobs.push(start);
    });
  }

  async function* run(job: Job, signal: AbortSignal): AsyncGenerator<ExtractItem> {
    while (busyCount >= children) await waitForTurn(signal);
    busyCount++;
    try {
      const { nextIndex, interruption } = yield* attempt(job, signal);
      if (interruption === undefined) return;
      const retry = yield* attempt({ ...job, options: { ...job.options, from: nextIndex } }, signal);
      if (retry.interruption) yield { failed: retry.interruption };
    } finally {
      busyCount--;
      waitingJobs.shift()?.();
    }
  }

  /** Runs a job in one child. After an interruption another child can continue at the returned index. */
  async function* attempt(job: Job, signal: AbortSignal): AsyncGenerator<ExtractItem, Attempt> {
    signal.throwIfAborted();
    const worker = takeWorker();
    let nextIndex = job.options.from;
    try {
      for await (const item of worker.run(job, signal)) {
        if ("failed" in item && item.failed.reason === "interrupted") return { nextIndex, interruption: item.failed };
        if ("segment" in item) nextIndex = item.segment.index + 1;
        yield item;
      }
      return { nextIndex };
    } finally {
      returnWorker(worker);
    }
  }

  function close(): void {
    for (const worker of workers) retire(worker);
  }

  return { run, close };
}
