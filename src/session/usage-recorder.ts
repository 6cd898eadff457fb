/** Writes the usage of a session to the catalogue: some seconds after it happened, and when the session ends. */
import type { Sql } from "../catalogue/sql.ts";
import type { CallOrigin, Event } from "../telemetry/events.ts";
import { createUsageCollector } from "../telemetry/usage.ts";

export type RecorderOptions = {
  readonly catalogue: Sql;
  /** The owner and the run as the catalogue names them. */
  readonly owner: string;
  readonly run: string;
  readonly now: () => number;
};

export type UsageRecorder = AsyncDisposable & { add(event: Event, origin?: CallOrigin): void };

/** How long usage is collected: a write takes longer than counting thousands of events. */
const COLLECT_MS = 5_000;

/** A store that cannot be written costs the counts of this session and nothing else. */
export function openUsageRecorder({ catalogue, owner, run, now }: RecorderOptions): UsageRecorder {
  const collector = createUsageCollector();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    const rows = collector.take();
    if (rows.length === 0) return;
    try {
      const { addUsageRows } = await import("../catalogue/usage-rows.ts");
      await addUsageRows(catalogue, { owner, run, now: now() }, rows);
    } catch {
      // The store is busy or cannot be written, which `doctor` reports. The next write tries again.
      collector.addRows(rows);
    }
  }

  return {
    add(event, origin) {
      collector.add(event, origin, now());
      timer ??= setTimeout(flush, COLLECT_MS).unref();
    },
    [Symbol.asyncDispose]: flush,
  };
}
