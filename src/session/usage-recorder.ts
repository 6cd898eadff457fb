/**
 * Writes the usage of a session to the catalogue: some seconds after it happened, and when the session ends. Until then
 * it is in a file, written before the log of the same events, from which another process adds it if this one is killed.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, readdirSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Sql } from "../catalogue/sql.ts";
import { makeFoldersSync } from "../system/folders.ts";
import { safeFileName } from "../system/safe-names.ts";
import type { CallOrigin, Event } from "../telemetry/events.ts";
import { createUsageCollector, type UsageBatch } from "../telemetry/usage.ts";

export type RecorderOptions = {
  readonly catalogue: Sql;
  /** The owner and the run as the catalogue names them. */
  readonly owner: string;
  readonly run: string;
  readonly now: () => number;
  /** Where counts are kept that are not in the catalogue yet. */
  readonly folder: string;
};

export type UsageRecorder = AsyncDisposable & {
  add(event: Event, origin?: CallOrigin): void;
  /** Keeps what was counted in case this process is killed. */
  journal(): void;
  /** Writes what was counted, here and by killed processes. */
  settle(): Promise<void>;
};

/** A line of the file: everything that its batch has counted so far. */
export type JournalLine = UsageBatch & { readonly owner: string; readonly run: string };

/** How long usage is collected: a write takes longer than counting thousands of events. */
const COLLECT_MS = 5_000;

/** A store that cannot be written costs the counts of this session and nothing else. */
export function openUsageRecorder({ catalogue, owner, run, now, folder }: RecorderOptions): UsageRecorder {
  const collector = createUsageCollector();
  const place = `${process.pid}.${safeFileName(hostname())}.jsonl`;
  let batch = makeBatch();
  /** Taken from the collector, and not in the catalogue as far as is known. */
  let pending: (ReturnType<typeof makeBatch> & { readonly counts: UsageBatch }) | undefined;
  let hasNews = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function makeBatch() {
    const id = randomUUID();
    return { id, path: join(folder, `${id}.${place}`), isOnDisk: false };
  }

  function journal(): void {
    if (!hasNews) return;
    const counts = collector.read();
    if (!isEmpty(counts) && !append(batch.path, counts)) return;
    batch.isOnDisk ||= !isEmpty(counts);
    hasNews = false;
  }

  /** Whether it worked. The log of events is on the same disk; the counts may still reach the catalogue. */
  function append(path: string, counts: UsageBatch): boolean {
    const line: JournalLine = { owner, run, ...counts };
    try {
      makeFoldersSync(folder);
      appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    // What could not be written before comes first.
    if (!(await writePending())) return;
    const counts = collector.take();
    if (isEmpty(counts)) return;
    pending = { ...batch, counts };
    batch = makeBatch();
    hasNews = false;
    await writePending();
  }

  /** Whether nothing is pending any more. The store may be busy, or may not be writable, which `doctor` reports. */
  async function writePending(): Promise<boolean> {
    if (pending === undefined) return true;
    const { id, path, isOnDisk, counts } = pending;
    try {
      const { addUsageRows } = await import("../catalogue/usage-rows.ts");
      await addUsageRows(catalogue, { owner, run, now: now(), batch: id }, counts);
      pending = undefined;
      if (isOnDisk) unlinkSync(path);
      return true;
    } catch {
      if (pending !== undefined && !isOnDisk) pending = { ...pending, isOnDisk: append(path, counts) };
      return pending === undefined; // A file that cannot be deleted is not added again.
    }
  }

  async function addOfKilled(): Promise<void> {
    if (!listFiles(folder).some((name) => !name.endsWith(`.${place}`))) return;
    const { addKilledUsage } = await import("./killed-usage.ts");
    await addKilledUsage(folder, { catalogue, now: now() });
  }

  return {
    add(event, origin) {
      collector.add(event, origin, now());
      hasNews = true;
      timer ??= setTimeout(flush, COLLECT_MS).unref();
    },
    journal,
    async settle() {
      await flush();
      await addOfKilled();
    },
    [Symbol.asyncDispose]: flush,
  };
}

/** Not every event is counted. */
const isEmpty = ({ rows, outcomes }: UsageBatch): boolean => rows.length + outcomes.length === 0;

/** Without a folder there are none. */
function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
