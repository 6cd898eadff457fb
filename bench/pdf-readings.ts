/** Runs one engine or program over many files under the same limits, and collects the results. */
import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { on } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultSettings } from "../src/config/settings.ts";
import type { FromChild, ToChild } from "../src/extract/pool/messages.ts";
import { makeHeapOptions } from "../src/extract/pool/worker.ts";

/** The result of reading one file. */
export type Reading = {
  readonly text: string;
  readonly pages: number;
  readonly failed: string | null;
  readonly cpuMs: number;
  /** Since the start of the process that read it; 0 for programs. */
  readonly processCpuMs: number;
  readonly peakMb: number;
};

/** A file that takes longer counts as a time-out. */
export const MAX_CPU_SECONDS = 20;
const MAX_WALL_MS = 60_000;

/** Reads all files with one process per engine. The process is restarted after a crash or a time-out. */
export async function readWithEngine(
  name: string,
  paths: readonly string[],
  program = "./pdf-child.ts",
): Promise<Reading[]> {
  const readings: Reading[] = [];
  let child: ChildProcess | null = null;
  for (const path of paths) {
    child ??= await startChild(name, program);
    const reading = await readInChild(child, path);
    readings.push(reading);
    if (reading.failed !== "crash" && reading.failed !== "time-out") continue;
    child.kill("SIGKILL");
    child = null;
  }
  child?.kill();
  return readings;
}

/** CPU time of a new process that reads one file: the median of several. */
export async function measureColdCpuMs(name: string, path: string): Promise<number> {
  return measureMedian(async () => (await readWithEngine(name, [path]))[0]?.processCpuMs ?? 0);
}

/** The same for the child that our handler uses, built as for publishing, up to the first page. */
export async function measureColdChildCpuMs(path: string): Promise<number> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")]);
  const file = { content: { path }, sizeBytes: 0, kind: "pdf", mediaType: "application/pdf", charset: null } as const;
  const message: ToChild = { job: { engine: "pdfium", file, options: { mode: "text", from: 0 } } };
  return measureMedian(async () => {
    const child = fork(join(root, "dist", "child.js"), { env: {}, execArgv: [], serialization: "advanced" });
    child.send(message);
    for await (const [reply] of on(child, "message")) if (isSegment(reply)) break;
    const cpuMs = readCpuSeconds(child) * 1_000;
    child.kill("SIGKILL");
    return cpuMs;
  });
}

const isSegment = (reply: FromChild): boolean => "item" in reply && "segment" in reply.item;

async function measureMedian(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round++) times.push(await measure());
  return times.sort((a, b) => a - b)[3] ?? 0;
}

async function startChild(name: string, program: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [name], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    // As the children of the handler.
    execArgv: name.startsWith("ours") ? makeHeapOptions(defaultSettings["extract.memory_bytes"]) : [],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", () => reject(new Error(`${name} does not start; is it installed?`)));
  });
  return child;
}

function readInChild(child: ChildProcess, path: string): Promise<Reading> {
  const { promise, resolve } = Promise.withResolvers<Reading>();
  const cpuBefore = readCpuSeconds(child);
  const started = Date.now();
  const isLate = (): boolean =>
    readCpuSeconds(child) - cpuBefore > MAX_CPU_SECONDS || Date.now() - started > MAX_WALL_MS;
  const timer = setInterval(() => isLate() && resolve(failedReading("time-out")), 500);
  const crash = (): void => resolve(failedReading("crash"));
  child.once("message", resolve);
  child.once("exit", crash);
  child.send(path);
  return promise.finally(() => {
    clearInterval(timer);
    child.off("message", resolve);
    child.off("exit", crash);
  });
}

/** A time-out counts with the whole limit. */
export function failedReading(failed: string): Reading {
  return {
    text: "",
    pages: 0,
    failed,
    cpuMs: failed === "crash" ? 0 : MAX_CPU_SECONDS * 1000,
    processCpuMs: 0,
    peakMb: 0,
  };
}

const TICKS_PER_SECOND = 100;

/** User and system time of another process; 0 if there is no /proc. */
function readCpuSeconds({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    // The child has exited, or this is not Linux: the limit on wall time still applies.
    return 0;
  }
}

/** Reads files with an external program, one process per file. Null if the program is not installed. */
export function readWithProgram(command: readonly string[], paths: readonly string[]): Reading[] | null {
  if (spawnSync("sh", ["-c", `command -v ${command[0]}`]).status !== 0) return null;
  return paths.map((path) => readOne(command.map((part) => (part === "FILE" ? path : part))));
}

/** The last line of the shell's `times` is the CPU time of the program, including its start. */
function readOne(command: readonly string[]): Reading {
  const script = `ulimit -t ${MAX_CPU_SECONDS}; "$@" 2>/dev/null; code=$?; times >&2; exit $code`;
  const child = spawnSync("bash", ["-c", script, "bash", ...command], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    timeout: MAX_WALL_MS,
    killSignal: "SIGKILL",
  });
  const failed = child.signal !== null || (child.status ?? 0) > 128 ? "crash" : child.status === 0 ? null : "error";
  return { text: child.stdout, pages: 0, failed, cpuMs: parseCpuMs(child.stderr), processCpuMs: 0, peakMb: 0 };
}

function parseCpuMs(times: string): number {
  const childrenLine = times.trim().split("\n").at(-1) ?? "";
  const parts = [...childrenLine.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}
