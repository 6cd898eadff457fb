/** What a process uses, asked from outside: a process that hangs or swells cannot tell. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export type Usage = { readonly residentBytes: number; readonly cpuMs: number };

/** Undefined when the process is gone or the system does not say. */
export async function usageOf(pid: number): Promise<Usage | undefined> {
  try {
    return await (process.platform === "linux" ? fromProc(pid) : fromPs(pid));
  } catch {
    return undefined;
  }
}

/** The kernel's fixed unit of CPU time in /proc, whatever its own timer runs at. */
const ticksPerSecond = 100;
const pageBytes = 4096;

async function fromProc(pid: number): Promise<Usage> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  // The command's name stands in brackets and may hold anything; the numbers follow the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0, resident = 0] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpuMs: ((user + system) * 1_000) / ticksPerSecond, residentBytes: resident * pageBytes };
}

/** `12345 1:02:03.45`: kilobytes and time. */
async function fromPs(pid: number): Promise<Usage> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=,time=", "-p", String(pid)]);
  const [resident = "0", time = "0"] = stdout.trim().split(/\s+/);
  const seconds = time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return { residentBytes: Number(resident) * 1024, cpuMs: seconds * 1_000 };
}
