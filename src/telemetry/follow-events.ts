/** Follows event logs: yields events as other processes write them. */
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import { logFileName, parseLine } from "./event-log.ts";
import type { LoggedEvent } from "./events.ts";

export type FollowOptions = {
  /** Only this run, from its first event on. Without, all runs from now on. */
  readonly run?: string | undefined;
  readonly signal: AbortSignal;
  /** Waits before the logs are looked at again. */
  readonly pause?: (signal: AbortSignal) => Promise<unknown>;
};

/** A follower is a person or the dashboard: neither notices a shorter delay. */
const POLL_MS = 300;

/** Bytes read at once, so that a large log is not held in memory. */
const READ_BYTES = 256 * 1024;

/** Yields events until the signal is aborted. Logs are looked at again and again: not every disk reports changes. */
export async function* followEvents(folder: string, options: FollowOptions): AsyncGenerator<LoggedEvent> {
  const { run, signal, pause = waitBetween } = options;
  const logs = new Map<string, LogPosition>();
  if (run === undefined) await skipWritten(folder, logs);
  while (!signal.aborted) {
    for (const name of await listLogs(folder, run)) {
      const position = logs.get(name) ?? newPosition();
      logs.set(name, position);
      yield* readNew(folder, name, position);
    }
    await pause(signal);
  }
}

const waitBetween = (signal: AbortSignal): Promise<unknown> =>
  wait(POLL_MS, undefined, { signal }).catch(() => undefined);

/** How far a log was read. `rest` is the beginning of a line whose end is not written yet. */
type LogPosition = { inode: number; bytes: number; decoder: StringDecoder; rest: string };

const newPosition = (inode = 0, bytes = 0): LogPosition => ({
  inode,
  bytes,
  decoder: new StringDecoder("utf8"),
  rest: "",
});

async function listLogs(folder: string, run: string | undefined): Promise<string[]> {
  if (run !== undefined) return [logFileName(run)];
  return (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl")).sort();
}

async function skipWritten(folder: string, logs: Map<string, LogPosition>): Promise<void> {
  for (const name of await listLogs(folder, undefined)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined) logs.set(name, newPosition(found.ino, found.size));
  }
}

/** The events written since the last time. Of a log that was rotated, the rest of the older part comes first. */
async function* readNew(folder: string, name: string, position: LogPosition): AsyncGenerator<LoggedEvent> {
  const found = await stat(join(folder, name)).catch(() => undefined);
  if (found === undefined || (found.ino === position.inode && found.size === position.bytes)) return;
  if (found.ino !== position.inode || found.size < position.bytes) {
    const older = await stat(join(folder, `${name}.1`)).catch(() => undefined);
    if (older !== undefined && (older.ino === position.inode || position.inode === 0))
      yield* readFrom(join(folder, `${name}.1`), position);
    Object.assign(position, newPosition(found.ino));
  }
  yield* readFrom(join(folder, name), position);
}

async function* readFrom(path: string, position: LogPosition): AsyncGenerator<LoggedEvent> {
  await using file = await open(path).catch(() => null);
  const buffer = Buffer.alloc(READ_BYTES);
  for (;;) {
    const bytesRead = (await file?.read(buffer, 0, READ_BYTES, position.bytes))?.bytesRead ?? 0;
    if (bytesRead === 0) return;
    position.bytes += bytesRead;
    const lines = (position.rest + position.decoder.write(buffer.subarray(0, bytesRead))).split("\n");
    position.rest = lines.pop() ?? "";
    yield* lines.flatMap(parseLine);
  }
}
