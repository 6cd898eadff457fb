/** Runs one of our engines on a kept file: handlers whose parser runs in a child process are this and a description. */
import type { ExtractItem, HandlerOptions, LocalFile } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { getPool } from "./pools.ts";

/** Every item of the engine. An abort is thrown as the signal's own reason, before the next item. */
export async function* runEngine(
  engine: string,
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem> {
  await assertFileExists(file, signal);
  for await (const item of getPool("parse", options.limits).run({ engine, file, options }, signal)) {
    signal.throwIfAborted();
    yield item;
  }
  signal.throwIfAborted();
}
