/** A file system that fails on demand: at the nth call that changes the disk, and optionally at every later one. */
import * as nodeFiles from "node:fs/promises";

export type Fault = {
  /** Which of the changing calls fails, counted from 1. */
  readonly at: number;
  readonly code: "ENOSPC" | "EIO" | "EROFS";
  /** Whether every later one fails too, as on a disk that stays full. */
  readonly stays: boolean;
};

const changingCalls = new Set(["open", "mkdir", "link", "rename", "unlink", "rmdir", "utimes", "copyFile"]);
const changingHandleCalls = new Set([
  "write",
  "writev",
  "writeFile",
  "appendFile",
  "sync",
  "datasync",
  "truncate",
  "close",
]);

/** The real file system, which records its changing calls and fails where the fault says. */
export function makeFaultyFiles(fault?: Fault) {
  const calls: string[] = [];

  async function recordCall<T>(real: () => Promise<T>, name: string): Promise<T> {
    calls.push(name);
    const isFault = fault && (calls.length === fault.at || (fault.stays && calls.length > fault.at));
    // A handle is closed even when that reports an error, or the test would leak it.
    if (isFault && name === "close") await real();
    if (isFault) throw Object.assign(new Error(`${fault.code}: injected into ${name}`), { code: fault.code });
    return real();
  }

  const wrapHandle = (handle: nodeFiles.FileHandle): nodeFiles.FileHandle =>
    new Proxy(handle, {
      get(target, name: string) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        const real = member.bind(target);
        return changingHandleCalls.has(name) ? (...args: unknown[]) => recordCall(() => real(...args), name) : real;
      },
    });

  const files = new Proxy(nodeFiles, {
    get(target, name: string) {
      const real = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      if (!changingCalls.has(name)) return real;
      return async (...args: unknown[]) => {
        const result = await recordCall(() => real(...args), name);
        return name === "open" ? wrapHandle(result as nodeFiles.FileHandle) : result;
      };
    },
  }) as typeof nodeFiles;

  return { files, calls };
}
