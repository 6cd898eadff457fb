/** A file system that fails on demand: at the nth call that changes the disk, and optionally at every later one. */
import * as blockingFiles from "node:fs";
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

/** Blocking calls that change the disk, and the syncs of open files, by the names of the calls that do the same. */
const changingBlockingCalls = new Map([
  ["openSync", "open"],
  ["writeSync", "write"],
  ["closeSync", "close"],
  ["renameSync", "rename"],
  ["mkdirSync", "mkdir"],
  ["fsync", "sync"],
  ["fdatasync", "datasync"],
]);

type FaultyFiles = typeof nodeFiles & Omit<typeof blockingFiles, keyof typeof nodeFiles>;

/** The real file system, which records its changing calls and fails where the fault says. */
export function makeFaultyFiles(fault?: Fault) {
  const calls: string[] = [];

  /** The error with which this call fails, if it does. */
  function countCall(name: string): Error | undefined {
    calls.push(name);
    const isFault = fault && (calls.length === fault.at || (fault.stays && calls.length > fault.at));
    return isFault ? Object.assign(new Error(`${fault.code}: injected into ${name}`), { code: fault.code }) : undefined;
  }

  async function recordCall<T>(real: () => Promise<T>, name: string): Promise<T> {
    const error = countCall(name);
    // A handle is closed even when that reports an error, or the test would leak it.
    if (error && name === "close") await real();
    if (error) throw error;
    return real();
  }

  /** A call that blocks, or one of those that report to a callback, which comes last. */
  function wrapBlocking(real: (...args: unknown[]) => unknown, name: string) {
    return (...args: unknown[]): unknown => {
      const error = countCall(name);
      if (error && name === "close") real(...args);
      const callback = args.at(-1);
      if (error && typeof callback === "function") return callback(error);
      if (error) throw error;
      return real(...args);
    };
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
      if (!(name in target)) {
        const blocking = Reflect.get(blockingFiles, name) as (...args: unknown[]) => unknown;
        const recordedName = changingBlockingCalls.get(name);
        return recordedName === undefined ? blocking : wrapBlocking(blocking, recordedName);
      }
      const real = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      if (!changingCalls.has(name)) return real;
      return async (...args: unknown[]) => {
        const result = await recordCall(() => real(...args), name);
        return name === "open" ? wrapHandle(result as nodeFiles.FileHandle) : result;
      };
    },
  }) as FaultyFiles;

  return { files, calls };
}
