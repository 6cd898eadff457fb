/** Opens a member of a file through an engine in a child process. */
import { ArchiveError } from "../archive/archive.ts";
import type { ExtractItem, LocalFile } from "../handler.ts";
import { getPool } from "./pools.ts";

/** The bytes of the member of this path, or undefined if the engine finds none. */
export async function openEntryInChild(
  engine: string,
  file: LocalFile,
  entry: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const items = getPool("parse").run({ engine, file, options: { mode: "raw", from: 0, entry } }, signal);
  const first = await items.next();
  return first.done ? undefined : readItems(first.value, items);
}

async function* readItems(first: ExtractItem, rest: AsyncIterable<ExtractItem>): AsyncGenerator<Uint8Array> {
  yield* toBytes(first);
  for await (const item of rest) yield* toBytes(item);
}

function* toBytes(item: ExtractItem): Generator<Uint8Array> {
  if ("failed" in item) throw new ArchiveError(item.failed.reason, item.failed.detail);
  if ("bytes" in item) yield item.bytes;
}
