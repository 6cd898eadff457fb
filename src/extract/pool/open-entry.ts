/** Opens a member of a file through an engine in a child process. */
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, Limits, LocalFile, OpenedEntry } from "../handler.ts";
import { getPool } from "./pools.ts";

/** The engine gets the path as `entry` and yields bytes, or all paths if there is no such member. */
export async function openEntryInChild(
  engine: string,
  file: LocalFile,
  entry: string,
  { signal, limits }: { readonly signal: AbortSignal; readonly limits: Limits | undefined },
): Promise<OpenedEntry> {
  const items = getPool("parse", limits).run({ engine, file, options: { mode: "raw", from: 0, entry } }, signal);
  const first = await items.next();
  if (first.done) return { chunks: readItems([], items) };
  if ("paths" in first.value) {
    await items.return(undefined);
    return first.value;
  }
  return { chunks: readItems([first.value], items) };
}

async function* readItems(first: readonly ExtractItem[], rest: AsyncIterable<ExtractItem>): AsyncGenerator<Uint8Array> {
  for (const item of first) yield* toBytes(item);
  for await (const item of rest) yield* toBytes(item);
}

function* toBytes(item: ExtractItem): Generator<Uint8Array> {
  if ("failed" in item) throw new FailureError(item.failed.reason, item.failed.detail);
  if ("bytes" in item) yield item.bytes;
}
