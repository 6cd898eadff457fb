/** Finds the latest events of some kinds in an owner's logs, without reading all of them. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { listLogs, parseLine } from "./event-log.ts";
import type { EventName, LoggedEvent } from "./events.ts";

export type RecentQuery<E extends EventName> = {
  readonly names: readonly E[];
  readonly maxEvents: number;
  /** What is read of the logs in all, their ends first. */
  readonly maxBytes?: number;
};

/** Enough for about 50,000 events, and read within a fraction of a second. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The latest first. Of what is not read, nothing is known. */
export async function readRecentEvents<E extends EventName>(
  folder: string,
  { names, maxEvents, maxBytes = MAX_BYTES }: RecentQuery<E>,
): Promise<Extract<LoggedEvent, { readonly event: E }>[]> {
  const found: Extract<LoggedEvent, { readonly event: E }>[] = [];
  let left = maxBytes;
  for (const name of await listLogs(folder)) {
    if (left <= 0) break;
    const text = await readEnd(join(folder, name), left);
    left -= text.length;
    for (const line of text.split("\n")) {
      // Most lines are of other events, and parsing takes longest.
      if (!names.some((each) => line.includes(`"event":"${each}"`))) continue;
      for (const event of parseLine(line)) if (isNamed(event, names)) found.push(event);
    }
  }
  return found.sort((one, other) => (one.at < other.at ? 1 : -1)).slice(0, maxEvents);
}

function isNamed<E extends EventName>(
  event: LoggedEvent,
  names: readonly E[],
): event is Extract<LoggedEvent, { readonly event: E }> {
  return names.some((name) => name === event.event);
}

/** The last bytes of a log. Its first line may be cut, which the parser skips. A missing log is empty. */
async function readEnd(path: string, maxBytes: number): Promise<string> {
  await using file = await open(path).catch(() => null);
  if (file === null) return "";
  const { size } = await file.stat();
  const length = Math.min(size, maxBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("utf8", 0, bytesRead);
}
