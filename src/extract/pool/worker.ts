/** One warm child process: runs one job at a time under limits, and is killed when it exceeds them. */
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { ExtractItem, Failure, Limits } from "../handler.ts";
import { type FromChild, type Job, MAX_ITEMS_AHEAD, type ToChild } from "./messages.ts";
import { type ProcessUsage, readUsage } from "./process-usage.ts";

/** How often memory and CPU time are checked: a child grows by tens of megabytes at most between two checks. */
const WATCH_INTERVAL_MS = 40;
/** How long a child may take to stop a job. */
const STOP_TIMEOUT_MS = 250;
/** A child with more jobs or more memory is replaced between two jobs. */
const MAX_JOBS = 200;
const MAX_IDLE_BYTES = 220 * 1024 * 1024;
/** How much of a child's error output is kept: V8's report of a full heap is shorter. */
const MAX_ERROR_OUTPUT_CHARS = 16_384;

const tooLarge: Failure = { reason: "too_large", detail: "it needs more memory than is allowed" };
const tooSlow: Failure = { reason: "too_slow", detail: "it needs more time than is allowed" };

/** The parent's handle of a child process. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #limits: Limits;
  readonly #inbox: FromChild[] = [];
  #wake: (() => void) | undefined;
  #isReady = false;
  #hasEnded = false;
  #signal: NodeJS.Signals | null = null;
  #errorOutput = "";
  #jobs = 0;
  #usage: ProcessUsage = { residentBytes: 0, cpuMs: 0 };

  constructor(script: URL, limits: Limits) {
    this.#limits = limits;
    this.#child = startChild(script, limits);
    this.#child.on("message", (message: FromChild) => {
      if ("isReady" in message) this.#isReady = true;
      else this.#inbox.push(message);
      this.#wake?.();
    });
    this.#child.stderr?.setEncoding("latin1").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-MAX_ERROR_OUTPUT_CHARS);
    });
    this.#child.on("error", () => this.#markEnded());
    // Not "exit", which may come before the last error output.
    this.#child.on("close", (_, signal) => {
      this.#signal ??= signal;
      this.#markEnded();
    });
    this.unref();
  }

  /** Whether it can run another job: alive, and under its limits of jobs, memory and CPU time. */
  get isUsable(): boolean {
    const { residentBytes, cpuMs } = this.#usage;
    return !this.#hasEnded && this.#jobs < MAX_JOBS && residentBytes < MAX_IDLE_BYTES && cpuMs < this.#limits.cpuMs;
  }

  /** Lets the parent exit while the child is idle. */
  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref();
  }

  kill(): void {
    this.#signal ??= "SIGKILL";
    this.#child.kill("SIGKILL");
    this.#markEnded();
  }

  /** Yields the items of one job in order. If anything happens to the child, the last item is the failure. */
  async *run(job: Job, signal: AbortSignal): AsyncGenerator<ExtractItem> {
    this.#child.ref();
    this.#child.channel?.ref();
    this.#jobs++;
    this.#inbox.length = 0;
    const watch = this.#watch(this.#limits);
    const onAbort = () => this.kill();
    signal.addEventListener("abort", onAbort, { once: true });
    let hasFinished = false;
    try {
      this.#send({ job });
      let message = await this.#receive();
      for (; message && "item" in message; message = await this.#receive()) {
        this.#send({ sendMore: true });
        yield message.item;
      }
      hasFinished = true;
      signal.throwIfAborted();
      if (message === undefined) yield { failed: watch.failure() ?? this.#causeOfExit() };
      else if ("failure" in message) yield { failed: message.failure };
    } finally {
      watch.stop();
      signal.removeEventListener("abort", onAbort);
      if (!hasFinished && !this.#hasEnded) await this.#stopJob();
      this.#usage = (await readUsage(this.#child.pid ?? 0)) ?? this.#usage;
      this.unref();
    }
  }

  /** The next message, or undefined once the child has exited and all its messages are read. */
  async #receive(): Promise<FromChild | undefined> {
    while (this.#inbox.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#inbox.shift();
  }

  #send(message: ToChild): void {
    // If the child has just died, the exit event reports it.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Asks the child to stop, so that it stays warm. Kills it if it does not stop in time. */
  async #stopJob(): Promise<void> {
    this.#send({ stop: true });
    const deadline = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    for (let count = 0; count <= MAX_ITEMS_AHEAD * 2; count++) {
      const message = await this.#receive();
      if (message === undefined || !("item" in message)) break;
    }
    clearTimeout(deadline);
  }

  #watch({ memoryBytes, cpuMs, wallMs }: Limits) {
    const pid = this.#child.pid ?? 0;
    let failure: Failure | undefined;
    let usageAtStart: ProcessUsage | undefined;
    const killFor = (cause: Failure) => {
      failure = cause;
      this.kill();
    };
    const checkUsage = async () => {
      const usage = await readUsage(pid);
      if (usage === undefined) return;
      usageAtStart ??= usage;
      if (usage.residentBytes > memoryBytes) killFor(tooLarge);
      else if (usage.cpuMs - usageAtStart.cpuMs > cpuMs) killFor(tooSlow);
    };
    void checkUsage();
    const timer = setInterval(checkUsage, WATCH_INTERVAL_MS);
    const deadline = setTimeout(() => killFor(tooSlow), wallMs);
    return {
      failure: () => failure,
      stop: () => {
        clearInterval(timer);
        clearTimeout(deadline);
      },
    };
  }

  /** Why the child exited if we did not kill it: a crash means a bad file, anything else came from outside. */
  #causeOfExit(): Failure {
    const hasCrashed = this.#isReady && this.#signal !== "SIGKILL" && this.#signal !== "SIGTERM";
    // On a busy machine the heap may be full before its size is checked.
    if (hasCrashed && this.#errorOutput.includes("heap out of memory")) return tooLarge;
    if (hasCrashed) return { reason: "corrupt", detail: "the parser stopped working" };
    return { reason: "interrupted", detail: "the parser could not be started or was ended from outside" };
  }

  #markEnded(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }
}

/** Options of Node for a heap that stays small. By default the semi-spaces grow to 96 MB. */
export function makeHeapOptions(memoryBytes: number): string[] {
  return [`--max-old-space-size=${Math.floor(memoryBytes / 1024 / 1024)}`, "--max-semi-space-size=8"];
}

/**
 * The child gets no environment: a parser must not see keys. The system limits its CPU time too, to what a used child
 * and one more job may use: a child busy with a page would not notice that its parent has exited.
 */
function startChild(script: URL, { memoryBytes, cpuMs }: Limits): ChildProcess {
  const maxCpuSeconds = Math.ceil((2 * cpuMs) / 1_000);
  const nodeCommand = [process.execPath, ...makeHeapOptions(memoryBytes), "--no-warnings", fileURLToPath(script)];
  const limitedCommand = [
    "/bin/sh",
    "-c",
    'ulimit -t "$0" 2>/dev/null; exec "$@"',
    String(maxCpuSeconds),
    ...nodeCommand,
  ];
  const [command = "", ...args] = process.platform === "win32" ? nodeCommand : limitedCommand;
  const { NODE_COMPILE_CACHE } = process.env;
  const env = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  return spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe", "ipc"], serialization: "advanced" });
}
