/** The child's side: takes one job at a time, sends its pieces as fast as the parent takes them, and leaves with it. */
import { setImmediate as turn } from "node:timers/promises";
import { systemCode } from "../../errors.ts";
import type { Ask, Extracted, Failure, LocalFile } from "../handler.ts";
import { type FromChild, type Job, piecesAhead, type ToChild } from "./messages.ts";

/** Reads one kind of file. It may crash, hang or eat memory: the process it runs in is expendable. */
export type Engine = { extract(file: LocalFile, ask: Ask): AsyncIterable<Extracted> };

/** Engines by name, each loaded when it is first asked for. */
export type Engines = Readonly<Record<string, () => Promise<Engine>>>;

/** One message may not carry more than the parent can hold. */
const longestTextChars = 16 * 1024 * 1024;

/** Serves jobs until the parent is gone. */
export function serveEngines(engines: Engines): void {
  let room = 0;
  let stopped = false;
  let wake: (() => void) | undefined;

  process.on("disconnect", () => process.exit());
  process.on("message", (message: ToChild) => {
    if ("job" in message) {
      [room, stopped] = [piecesAhead, false];
      void work(message.job);
    }
    if ("more" in message) room++;
    if ("stop" in message) stopped = true;
    wake?.();
  });
  say({ up: true });

  async function work({ engine, file, ask }: Job): Promise<void> {
    try {
      const load = Object.hasOwn(engines, engine) ? engines[engine] : undefined;
      if (load === undefined) throw new Error(`There is no engine ${engine}.`);
      for await (const piece of (await load()).extract(file, ask)) {
        if ("segment" in piece && piece.segment.text.length > longestTextChars)
          throw new Error("One page is too long.");
        await roomForOne();
        if (stopped) break;
        say({ piece });
      }
      say({ done: true });
    } catch (error) {
      say({ threw: failureOf(error) });
    }
  }

  /** Gives a word from the parent the chance to arrive, then waits while the parent is behind. */
  async function roomForOne(): Promise<void> {
    await turn();
    while (room === 0 && !stopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    room--;
  }
}

/** What the system refuses is no fault of the file, and may be granted another time. */
function failureOf(error: unknown): Failure {
  const code = systemCode(error);
  if (code === "ERR_MODULE_NOT_FOUND") return { reason: "unavailable", detail: "" };
  if (error instanceof Error && "syscall" in error)
    return { reason: "interrupted", detail: `the system answered ${code ?? "with an error"}` };
  return { reason: "corrupt", detail: error instanceof Error ? error.message : String(error) };
}

function say(message: FromChild): void {
  process.send?.(message);
}
