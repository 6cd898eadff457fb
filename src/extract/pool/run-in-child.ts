/** Runs an engine in a child process, for handlers whose parser may crash, hang or exhaust memory. */
import type { Extracted, HandlerOptions, LocalFile } from "../handler.ts";
import { getPool } from "./pools.ts";

/**
 * Extracts a file in a child process under the limits of the settings. `engine` is the URL of a module that exports
 * `engine: Engine`. The child has none of this process's environment.
 */
export function runInChild(
  engine: URL,
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncIterable<Extracted> {
  return getPool("parse", options.limits).run({ engine: engine.href, file, options }, signal);
}
