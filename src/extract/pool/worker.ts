/** One warm child process: started with its own limits, given one job at a time, watched, ended when it misbehaves. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Extracted, Failure, Limits } from "../handler.ts";
import { type FromChild, type Job, piecesAhead, type ToChild } from "./messages.ts";
import { type Usage, usageOf } from "./process-usage.ts";

/** How often memory and CPU time are looked at: a child grows by tens of megabytes between two looks at the most. */
const watchMs = 40;
/** How long a child may take to leave a job that nobody wants any more. */
const politeMs = 250;
/** A child that is grown or has worked for long is replaced between two jobs. */
const mostJobs = 200;
const grownBytes = 220 * 1024 * 1024;

/** A child process as its parent sees it. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #limits: Limits;
  readonly #inbox: FromChild[] = [];
  #wake: (() => void) | undefined;
  #up = false;
  #ended = false;
  #signal: NodeJS.Signals | null = null;
  #jobs = 0;
  #usage: Usage = { residentBytes: 0, cpuMs: 0 };

  constructor(script: URL, limits: Limits) {
    this.#limits = limits;
    this.#child = start(script, limits);
    this.#child.on("message", (message: FromChild) => {
      if ("up" in message) this.#up = true;
      else this.#inbox.push(message);
      this.#wake?.();
    });
    this.#child.on("error", () => this.#end());
    this.#child.on("exit", (_, signal) => {
      this.#signal ??= signal;
      this.#end();
    });
    this.idle();
  }

  /** Whether it can take a job: alive, and not grown or worn by those it had. */
  get usable(): boolean {
    const { residentBytes, cpuMs } = this.#usage;
    return !this.#ended && this.#jobs < mostJobs && residentBytes < grownBytes && cpuMs < this.#limits.cpuMs;
  }

  /** An idle child does not keep its parent alive. */
  idle(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  end(): void {
    this.#signal ??= "SIGKILL";
    this.#child.kill("SIGKILL");
    this.#end();
  }

  /** The pieces of one job in order; whatever happens to the child, the last one says so. */
  async *run(job: Job, signal: AbortSignal): AsyncGenerator<Extracted> {
    this.#child.ref();
    this.#child.channel?.ref();
    this.#jobs++;
    this.#inbox.length = 0;
    const watch = this.#watch(this.#limits);
    const onAbort = () => this.end();
    signal.addEventListener("abort", onAbort, { once: true });
    let finished = false;
    try {
      this.#say({ job });
      let message = await this.#next();
      for (; message && "piece" in message; message = await this.#next()) {
        this.#say({ more: true });
        yield message.piece;
      }
      finished = true;
      signal.throwIfAborted();
      if (message === undefined) yield { failed: watch.verdict() ?? this.#death() };
      else if ("threw" in message) yield { failed: message.threw };
    } finally {
      watch.stop();
      signal.removeEventListener("abort", onAbort);
      if (!finished && !this.#ended) await this.#leaveJob();
      this.#usage = (await usageOf(this.#child.pid ?? 0)) ?? this.#usage;
      this.idle();
    }
  }

  /** Undefined once the child is gone and everything it had sent is taken. */
  async #next(): Promise<FromChild | undefined> {
    while (this.#inbox.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#inbox.shift();
  }

  #say(message: ToChild): void {
    // A child that died this moment is noticed by its exit.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Asks the child to stop where it is, so that it stays warm; one that is deep in a page is ended. */
  async #leaveJob(): Promise<void> {
    this.#say({ stop: true });
    const deadline = setTimeout(() => this.end(), politeMs);
    for (let taken = 0; taken <= piecesAhead * 2; taken++) {
      const message = await this.#next();
      if (message === undefined || !("piece" in message)) break;
    }
    clearTimeout(deadline);
  }

  #watch({ memoryBytes, cpuMs, wallMs }: Limits) {
    const pid = this.#child.pid ?? 0;
    let verdict: Failure | undefined;
    let before: Usage | undefined;
    const stopFor = (reason: Failure["reason"], detail: string) => {
      verdict = { reason, detail };
      this.end();
    };
    const look = async () => {
      const usage = await usageOf(pid);
      if (usage === undefined) return;
      before ??= usage;
      if (usage.residentBytes > memoryBytes) stopFor("too_large", "it needs more memory than is allowed");
      else if (usage.cpuMs - before.cpuMs > cpuMs) stopFor("too_slow", "it needs more time than is allowed");
    };
    void look();
    const timer = setInterval(look, watchMs);
    const deadline = setTimeout(() => stopFor("too_slow", "it needs more time than is allowed"), wallMs);
    return {
      verdict: () => verdict,
      stop: () => {
        clearInterval(timer);
        clearTimeout(deadline);
      },
    };
  }

  /** Why it ended where not we ended it: a parser that crashes has met a bad file, anything else was done to it. */
  #death(): Failure {
    const crashed = this.#up && this.#signal !== "SIGKILL" && this.#signal !== "SIGTERM";
    if (crashed) return { reason: "corrupt", detail: "the parser stopped working" };
    return { reason: "interrupted", detail: "the parser could not be started or was ended from outside" };
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }
}

/**
 * Without the parent's environment: a parser has no business with keys. Its CPU time is limited by the system too, at
 * what a worn child has used and one more job may use: deep in a page, it would not notice that its parent is gone.
 */
function start(script: URL, { memoryBytes, cpuMs }: Limits): ChildProcess {
  const heapMb = Math.floor(memoryBytes / 1024 / 1024);
  const lifeSeconds = Math.ceil((2 * cpuMs) / 1_000);
  // By itself Node lets the room for new objects grow to 96 MB.
  const heap = [`--max-old-space-size=${heapMb}`, "--max-semi-space-size=8"];
  const node = [process.execPath, ...heap, "--no-warnings", fileURLToPath(script)];
  const limited = ["/bin/sh", "-c", 'ulimit -t "$0" 2>/dev/null; exec "$@"', String(lifeSeconds), ...node];
  const [command = "", ...args] = process.platform === "win32" ? node : limited;
  const { NODE_COMPILE_CACHE } = process.env;
  const env = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  return spawn(command, args, { env, stdio: ["ignore", "ignore", "ignore", "ipc"], serialization: "advanced" });
}
