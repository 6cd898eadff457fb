/** A file system that fails on demand: the nth call that changes the disk, and from then on if wanted. */
import * as nodeFiles from "node:fs/promises";

export type Fault = {
  /** Which changing call fails, counted from 1. */
  readonly at: number;
  readonly code: "ENOSPC" | "EIO" | "EROFS";
  /** Whether every later one fails too, as on a disk that stays full. */
  readonly stays: boolean;
};

const changing = new Set(["open", "mkdir", "link", "rename", "unlink", "rmdir", "utimes", "copyFile"]);
const changingHandle = new Set(["write", "writev", "writeFile", "appendFile", "sync", "datasync", "truncate", "close"]);

/** The real calls, in the order they were made, with one of them failing if a fault is given. */
export function faultyFiles(fault?: Fault) {
  const calls: string[] = [];

  async function step<T>(real: () => Promise<T>, name: string): Promise<T> {
    calls.push(name);
    const hit = fault && (calls.length === fault.at || (fault.stays && calls.length > fault.at));
    // A handle is closed even when that reports an error, or the test would leak it.
    if (hit && name === "close") await real();
    if (hit) throw Object.assign(new Error(`${fault.code}: injected into ${name}`), { code: fault.code });
    return real();
  }

  const wrapHandle = (handle: nodeFiles.FileHandle): nodeFiles.FileHandle =>
    new Proxy(handle, {
      get(target, name: string) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        const real = member.bind(target);
        return changingHandle.has(name) ? (...args: unknown[]) => step(() => real(...args), name) : real;
      },
    });

  const files = new Proxy(nodeFiles, {
    get(target, name: string) {
      const real = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      if (!changing.has(name)) return real;
      return async (...args: unknown[]) => {
        const result = await step(() => real(...args), name);
        return name === "open" ? wrapHandle(result as nodeFiles.FileHandle) : result;
      };
    },
  }) as typeof nodeFiles;

  return { files, calls };
}
