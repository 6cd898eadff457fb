/** Measures the memory and CPU time of another process: one that hangs or grows cannot report them. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

/** What a process uses now. */
export type ProcessUsage = { readonly residentBytes: number; readonly cpuMs: number };

/** The usage of a process, or undefined if it has exited or the system does not report it. */
export async function readUsage(pid: number): Promise<ProcessUsage | undefined> {
  try {
    return await (process.platform === "linux" ? readProc(pid) : runPs(pid));
  } catch {
    return undefined;
  }
}

/** The unit of CPU time in /proc, which does not depend on the kernel's timer frequency. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The kernel answers from memory; asking for it in another thread would cost ten times the CPU. */
function readProc(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The command's name is in brackets and may contain anything; the numbers follow the last bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0, resident = 0] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpuMs: ((user + system) * 1_000) / TICKS_PER_SECOND, residentBytes: resident * PAGE_BYTES };
}

/** `12345 1:02:03.45`: kilobytes and time. */
async function runPs(pid: number): Promise<ProcessUsage> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=,time=", "-p", String(pid)]);
  const [resident = "0", time = "0"] = stdout.trim().split(/\s+/);
  const seconds = time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return { residentBytes: Number(resident) * 1024, cpuMs: seconds * 1_000 };
}
