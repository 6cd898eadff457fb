/** Runs one PDF reader over many files, each file under the same limit, and keeps what came of it. */
import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { on } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type Reading = {
  readonly text: string;
  readonly pages: number;
  readonly failed: string | null;
  readonly cpuMs: number;
  /** From the start of the process that read it; 0 for programs. */
  readonly processCpuMs: number;
  readonly peakMb: number;
};

const limitCpuSeconds = 20;
const limitWallMs = 60_000;

/** All files through one process for the engine; it is started again when a file ends it or takes too long. */
export async function readWithEngine(name: string, paths: readonly string[]): Promise<Reading[]> {
  const readings: Reading[] = [];
  let child: ChildProcess | null = null;
  for (const path of paths) {
    child ??= await startChild(name);
    const reading = await ask(child, path);
    readings.push(reading);
    if (reading.failed !== "crash" && reading.failed !== "time-out") continue;
    child.kill("SIGKILL");
    child = null;
  }
  child?.kill();
  return readings;
}

/** CPU of a process that starts, reads one file and has read nothing before: the middle of several. */
export async function coldCpuMs(name: string, path: string): Promise<number> {
  return middle(async () => (await readWithEngine(name, [path]))[0]?.processCpuMs ?? 0);
}

/** The same for the child our handler really uses, as it is built for publishing, up to the first page. */
export async function coldChildCpuMs(path: string): Promise<number> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")]);
  const content = { path };
  const file = { content, sizeBytes: 0, kind: "pdf", mediaType: "application/pdf", charset: null };
  return middle(async () => {
    const child = fork(join(root, "dist", "child.js"), { env: {}, execArgv: [], serialization: "advanced" });
    child.send({ job: { engine: "pdfium", file, ask: { mode: "text", from: 0 } } });
    for await (const [message] of on(child, "message")) if ("segment" in (message.piece ?? {})) break;
    const cpuMs = cpuSecondsOf(child) * 1_000;
    child.kill("SIGKILL");
    return cpuMs;
  });
}

async function middle(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round++) times.push(await measure());
  return times.sort((a, b) => a - b)[3] ?? 0;
}

async function startChild(name: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("./pdf-child.ts", import.meta.url)), [name], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", () => reject(new Error(`${name} does not start; is it installed?`)));
  });
  return child;
}

function ask(child: ChildProcess, path: string): Promise<Reading> {
  const { promise, resolve } = Promise.withResolvers<Reading>();
  const cpuBefore = cpuSecondsOf(child);
  const started = Date.now();
  const isLate = (): boolean => cpuSecondsOf(child) - cpuBefore > limitCpuSeconds || Date.now() - started > limitWallMs;
  const timer = setInterval(() => isLate() && resolve(lost("time-out")), 500);
  const crash = (): void => resolve(lost("crash"));
  child.once("message", resolve);
  child.once("exit", crash);
  child.send(path);
  return promise.finally(() => {
    clearInterval(timer);
    child.off("message", resolve);
    child.off("exit", crash);
  });
}

/** A file that ended its reader counts with the whole limit. */
function lost(failed: string): Reading {
  return {
    text: "",
    pages: 0,
    failed,
    cpuMs: failed === "crash" ? 0 : limitCpuSeconds * 1000,
    processCpuMs: 0,
    peakMb: 0,
  };
}

const ticksPerSecond = 100;

/** User and system time of another process; 0 where there is no /proc. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    // The child is gone, or this is no Linux: the limit on wall time still holds.
    return 0;
  }
}

/** Readers that are programs: one process for each file. Null when the program is not installed. */
export function readWithProgram(command: readonly string[], paths: readonly string[]): Reading[] | null {
  if (spawnSync("sh", ["-c", `command -v ${command[0]}`]).status !== 0) return null;
  return paths.map((path) => readOne(command.map((part) => (part === "FILE" ? path : part))));
}

/** The shell's own "times" has the CPU of the program, start included, on its last line. */
function readOne(command: readonly string[]): Reading {
  const script = `ulimit -t ${limitCpuSeconds}; "$@" 2>/dev/null; code=$?; times >&2; exit $code`;
  const child = spawnSync("bash", ["-c", script, "bash", ...command], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    timeout: limitWallMs,
    killSignal: "SIGKILL",
  });
  const failed = child.signal !== null || (child.status ?? 0) > 128 ? "crash" : child.status === 0 ? null : "error";
  return { text: child.stdout, pages: 0, failed, cpuMs: cpuMsOf(child.stderr), processCpuMs: 0, peakMb: 0 };
}

function cpuMsOf(times: string): number {
  const ofChildren = times.trim().split("\n").at(-1) ?? "";
  const parts = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}
