/** Runs an engine in a child process, for handlers whose parser may crash, hang or exhaust memory. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import type { ExtractItem, HandlerOptions, LocalFile } from "../handler.ts";
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
): AsyncIterable<ExtractItem> {
  if (engine.protocol !== "file:") {
    throw new SpillwayError("config_invalid", `An engine is loaded from a file, not from ${clip(engine.href)}.`, {
      hint: 'Name it as new URL("./engine.js", import.meta.url).',
    });
  }
  return getPool("parse", options.limits).run({ engine: engine.href, file, options }, signal);
}
