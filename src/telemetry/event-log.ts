/** The event log: JSON lines, one file per run, written in the background. A log that cannot be written stops nothing. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import { open, readdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SpillwayError } from "../errors.ts";
import { isBehindLink, makeFolders } from "../system/folders.ts";
import { clip, safeFileName } from "../system/safe-names.ts";
import { createCounters } from "./counters.ts";
import type { Emit, LoggedEvent } from "./events.ts";

type EventLog = AsyncDisposable & { readonly emit: Emit };

type EventLogOptions = {
  readonly folder: string;
  readonly run: string;
  /** Beyond this size the file is rotated to `.1`, which replaces the previous one. */
  readonly maxBytes: number;
  /** Runs whose logs are kept. */
  readonly maxRuns: number;
  readonly now?: () => number;
  /** Called before events are written. */
  readonly beforeWrite?: () => void;
};

/** Events within this time are written together. */
const GATHER_MS = 50;

/** Closing the log writes the run's summary and waits until everything is on disk. */
export function openEventLog(options: EventLogOptions): EventLog {
  const { folder, run, maxBytes, maxRuns, now = Date.now, beforeWrite } = options;
  const path = join(folder, logFileName(run));
  const counters = createCounters();
  let waiting: string[] = [];
  let pendingWrites: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let prepared = false;

  const emit: Emit = (event) => {
    counters.add(event);
    waiting.push(`${JSON.stringify({ at: new Date(now()).toISOString(), run, ...event })}\n`);
    timer ??= setTimeout(flush, GATHER_MS);
  };

  /** Writes the pending events after the current write. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    pendingWrites = pendingWrites.then(write);
    return pendingWrites;
  }

  async function write(): Promise<void> {
    if (waiting.length === 0) return;
    try {
      if (!prepared) await prepare();
      beforeWrite?.();
      const lines = waiting.join("");
      waiting = [];
      // Blocking calls: another thread would take several times as long as these short ones.
      if (sizeOf(path) > maxBytes) renameSync(path, `${path}.1`);
      appendFileSync(path, lines, { mode: 0o600 });
    } catch {
      // The reply matters more than its log. `spillway doctor` reports a folder that cannot be written.
      waiting = [];
    }
  }

  async function prepare(): Promise<void> {
    await makeFolders(folder);
    await removeOldest(folder, logFileName(run), maxRuns - 1);
    // A killed process may leave half a line; our line must not be appended to it.
    if (await endsInsideLine(path)) waiting.unshift("\n");
    prepared = true;
  }

  return {
    emit,
    async [Symbol.asyncDispose]() {
      const totals = counters.read();
      if (totals.replies > 0) emit({ event: "run.summary", ...totals });
      await flush();
    },
  };
}

/** A run's events in order; without a name those of the most recently active run. */
export async function readEvents(folder: string, run?: string): Promise<LoggedEvent[]> {
  const names = await newestFirst(folder);
  const name = run === undefined ? names[0] : logFileName(run);
  if (name === undefined || !names.includes(name)) throw noEvents(run);
  return [...(await readLog(join(folder, `${name}.1`))), ...(await readLog(join(folder, name)))];
}

function noEvents(run: string | undefined): SpillwayError {
  const sentence =
    run === undefined ? "No run has logged an event yet." : `No events of run ${JSON.stringify(clip(run))}.`;
  return new SpillwayError("run_not_found", sentence, {
    hint: "Each fetch and read logs its events under its run; spillway events --list names the runs.",
  });
}

/** Runs with events, the most recently active first. */
export async function listRuns(folder: string): Promise<string[]> {
  const logs = await Promise.all((await newestFirst(folder)).map((name) => readLog(join(folder, name))));
  return logs.flatMap(([first]) => first?.run ?? []);
}

/** The file of a run's log. */
export const logFileName = (run: string): string => `${safeFileName(run)}.jsonl`;

/** A missing log has no events. */
async function readLog(path: string): Promise<LoggedEvent[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").flatMap(parseLine);
}

/** A line cut short by a killed process is skipped. */
export function parseLine(line: string): LoggedEvent[] {
  if (line === "") return [];
  try {
    return [JSON.parse(line) as LoggedEvent];
  } catch {
    return [];
  }
}

/** The names of the logs in a folder, the most recently active first. */
export const listLogs = (folder: string): Promise<string[]> => newestFirst(folder);

const newestFirst = async (folder: string): Promise<string[]> => sortByAge(folder, await listNames(folder));

/** Without a folder there are no logs. */
async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
}

function sortByAge(folder: string, names: readonly string[]): string[] {
  const dated = names.map((name) => ({ name, at: touchedAt(join(folder, name)) }));
  return dated.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1)).map(({ name }) => name);
}

/** A log that another process has just removed counts as the oldest. It blocks: in another thread it takes ten times as long. */
function touchedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

async function endsInsideLine(path: string): Promise<boolean> {
  const size = sizeOf(path);
  if (size === 0) return false;
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== "\n";
}

/** A missing log is empty. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function removeOldest(folder: string, own: string, keep: number): Promise<void> {
  if (isBehindLink(dirname(folder), folder)) return;
  const others = (await listNames(folder)).filter((name) => name !== own);
  if (others.length <= keep) return;
  for (const name of sortByAge(folder, others).slice(keep)) {
    // Another process may be deleting old logs too.
    await Promise.allSettled([unlink(join(folder, name)), unlink(join(folder, `${name}.1`))]);
  }
}
