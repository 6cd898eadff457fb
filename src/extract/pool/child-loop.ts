/** The child process: runs one job at a time, sends items as fast as the parent takes them, and exits with the parent. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { systemCode } from "../../errors.ts";
import type { ExtractItem, Failure, HandlerOptions, LocalFile } from "../handler.ts";
import { type FromChild, type Job, MAX_ITEMS_AHEAD, type ToChild } from "./messages.ts";

/** Reads one kind of file. It may crash, hang or exhaust memory: only its own process is affected. */
export type Engine = { extract(file: LocalFile, options: HandlerOptions): AsyncIterable<ExtractItem> };

/** A module that a library user names by its URL. */
type EngineModule = { readonly engine?: Engine };

/** Engines by name, each loaded on first use. */
type Engines = Readonly<Record<string, () => Promise<Engine>>>;

/** Bounds what the parent must hold in memory for one message. */
const MAX_SEGMENT_CHARS = 16 * 1024 * 1024;

/** Serves jobs until the parent exits. */
export function serveEngines(engines: Engines): void {
  /** How many items may be sent before the parent asks for more. */
  let credit = 0;
  let isStopped = false;
  let wake: (() => void) | undefined;

  process.on("disconnect", () => process.exit());
  process.on("message", (message: ToChild) => {
    if ("job" in message) {
      [credit, isStopped] = [MAX_ITEMS_AHEAD, false];
      void runJob(message.job);
    }
    if ("sendMore" in message) credit++;
    if ("stop" in message) isStopped = true;
    wake?.();
  });
  send({ isReady: true });

  async function runJob(job: Job): Promise<void> {
    const { engine, file } = job;
    try {
      const loaded = await loadEngine(engine, engines);
      for await (const item of loaded.extract(file, job.options)) {
        if ("segment" in item && item.segment.text.length > MAX_SEGMENT_CHARS) throw new Error("One page is too long.");
        await waitForCredit();
        if (isStopped) break;
        send({ item });
      }
      send({ done: true });
    } catch (error) {
      send({ failure: toFailure(error) });
    }
  }

  /** Lets messages from the parent arrive, then waits while the parent is behind. */
  async function waitForCredit(): Promise<void> {
    await nextEventLoopTurn();
    while (credit === 0 && !isStopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    credit--;
  }
}

/** One of ours by its name, or a library user's by the URL of its module. */
async function loadEngine(name: string, engines: Engines): Promise<Engine> {
  try {
    const load = Object.hasOwn(engines, name) ? engines[name] : undefined;
    if (load) return await load();
    const { engine }: EngineModule = name.startsWith("file:") ? await import(name) : {};
    if (engine === undefined) throw new Error(`There is no engine ${name}`);
    return engine;
  } catch (error) {
    throw new EngineLoadError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The engine could not be loaded, so the file was not looked at: another attempt may read it. */
class EngineLoadError extends Error {}

/** An error of the operating system is not the file's fault and may be temporary. */
function toFailure(error: unknown): Failure {
  const cause = error instanceof EngineLoadError ? error.cause : error;
  const code = systemCode(cause);
  // An engine may look for its own package only when it reads the first file.
  if (code === "ERR_MODULE_NOT_FOUND") return { reason: "unavailable", detail: "" };
  if (error instanceof EngineLoadError) return { reason: "unavailable", detail: error.message };
  if (error instanceof Error && "syscall" in error)
    return { reason: "interrupted", detail: `the system answered ${code ?? "with an error"}` };
  return { reason: "corrupt", detail: error instanceof Error ? error.message : String(error) };
}

function send(message: FromChild): void {
  process.send?.(message);
}
