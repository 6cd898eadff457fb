/** Events as JSON lines, one file per run, written in the background; a log that cannot be written stops nothing. */
import { appendFile, mkdir, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { SpillwayError } from "../errors.ts";
import { createCounters } from "./counters.ts";
import type { Emit, LoggedEvent } from "./events.ts";

export type EventLog = AsyncDisposable & { readonly emit: Emit };

export type EventLogOptions = {
  readonly folder: string;
  readonly run: string;
  /** The file is set aside as `.1` when it has grown past this; the one set aside before goes. */
  readonly maxBytes: number;
  /** How many runs keep their logs. */
  readonly maxRuns: number;
  readonly now?: () => number;
};

/** Closing the log writes the run's summary and waits until everything is on the disk. */
export function openEventLog({ folder, run, maxBytes, maxRuns, now = Date.now }: EventLogOptions): EventLog {
  const path = join(folder, fileName(run));
  const counters = createCounters();
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let prepared = false;

  const emit: Emit = (event) => {
    counters.add(event);
    waiting.push(`${JSON.stringify({ at: new Date(now()).toISOString(), run, ...event })}\n`);
    writing ??= write();
  };

  async function write(): Promise<void> {
    try {
      if (!prepared) await prepare();
      while (waiting.length > 0) {
        const lines = waiting.join("");
        waiting = [];
        await rotate(path, maxBytes);
        await appendFile(path, lines, { mode: 0o600 });
      }
    } catch {
      // The reply matters more than its log; `spillway doctor` tells when the folder cannot be written.
      waiting = [];
    }
    writing = undefined;
  }

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOldest(folder, fileName(run), maxRuns - 1);
    // A process killed while writing leaves half a line; ours must not become its end.
    if (await endsInsideLine(path)) waiting.unshift("\n");
    prepared = true;
  }

  return {
    emit,
    async [Symbol.asyncDispose]() {
      const totals = counters.read();
      if (totals.replies > 0) emit({ event: "run.summary", ...totals });
      await writing;
    },
  };
}

/** A run's events in the order they happened; without a name those of the run that was active last. */
export async function readEvents(folder: string, run?: string): Promise<LoggedEvent[]> {
  const names = await newestFirst(folder);
  const name = run === undefined ? names[0] : fileName(run);
  if (name === undefined || !names.includes(name)) throw noEvents(run);
  const older = await readFile(join(folder, `${name}.1`), "utf8").catch(() => "");
  const text = older + (await readFile(join(folder, name), "utf8"));
  return text.split("\n").flatMap(parseLine);
}

function noEvents(run: string | undefined): SpillwayError {
  return new SpillwayError(
    "usage",
    run === undefined ? "No run has logged an event yet." : `No events of run ${run}.`,
    {
      hint: "Each fetch and read logs its events under its run; spillway events --list names the runs.",
    },
  );
}

/** The runs that have events, the most recently active first. */
export async function listRuns(folder: string): Promise<string[]> {
  return (await newestFirst(folder)).map((name) => decodeURIComponent(name.slice(0, -".jsonl".length)));
}

const fileName = (run: string): string => `${encodeURIComponent(run).replaceAll("*", "%2A").slice(0, 150)}.jsonl`;

/** A line cut short by a killed process is left out; the others stand for themselves. */
function parseLine(line: string): LoggedEvent[] {
  if (line === "") return [];
  try {
    return [JSON.parse(line) as LoggedEvent];
  } catch {
    return [];
  }
}

async function newestFirst(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const dated = await Promise.all(
    names.map(async (name) => ({
      name,
      at: await stat(join(folder, name)).then(
        (s) => s.mtimeMs,
        () => 0,
      ),
    })),
  );
  return dated.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1)).map(({ name }) => name);
}

async function endsInsideLine(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text !== "" && !text.endsWith("\n");
}

async function rotate(path: string, maxBytes: number): Promise<void> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > maxBytes) await rename(path, `${path}.1`);
}

async function removeOldest(folder: string, own: string, keep: number): Promise<void> {
  const others = (await newestFirst(folder)).filter((name) => name !== own);
  for (const name of others.slice(keep)) {
    // Another process may be tidying up as well.
    await Promise.allSettled([unlink(join(folder, name)), unlink(join(folder, `${name}.1`))]);
  }
}
