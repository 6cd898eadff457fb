/** Measures the memory of a process and all of its descendants, from outside: a program that grows cannot report it. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

type Process = { readonly pid: number; readonly parent: number };

/** Bytes that a process tree holds for itself, or undefined where the system does not report them. */
export async function readTreeMemory(root: number): Promise<number | undefined> {
  try {
    return await (process.platform === "linux" ? sumProc(root) : sumPs(root));
  } catch {
    return undefined;
  }
}

async function sumProc(root: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = (await Promise.all(pids.map(readParent))).filter((each) => each !== undefined);
  const sizes = await Promise.all([...findTree(processes, root)].map(readPrivateBytes));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** A process may exit while it is being read; then it holds nothing. */
async function readParent(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The command's name is in brackets and may contain anything; the parent is the second field after it.
  const parent = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  return Number.isNaN(parent) ? undefined : { pid, parent };
}

/** Without the pages of programs and libraries, which all processes of a browser share. */
async function readPrivateBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  const sizes = [...status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)];
  return sizes.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}

async function sumPs(root: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,ppid=,rss="], { maxBuffer: 16 * 1024 * 1024 });
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const processes = rows.map(([pid = 0, parent = 0, kilobytes = 0]) => ({ pid, parent, bytes: kilobytes * 1024 }));
  const tree = findTree(processes, root);
  return processes.reduce((sum, { pid, bytes }) => sum + (tree.has(pid) ? bytes : 0), 0);
}

function findTree(processes: readonly Process[], root: number): Set<number> {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const tree = new Set([root]);
  // A set that grows while it is iterated is visited to its new end.
  for (const pid of tree) for (const child of children.get(pid) ?? []) tree.add(child.pid);
  return tree;
}
