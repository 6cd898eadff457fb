/**
 * A server and what it starts, as one group of processes that does not outlive the gateway. Windows ends the children of a
 * process with it; elsewhere each server leads a group, and a shell watches over it that waits for the gateway to end.
 */
import { spawn } from "node:child_process";

/** Whether servers lead a group of their own. */
export const hasGroups = process.platform !== "win32";

/**
 * A word on its input dismisses it. The end of its input means that the gateway was killed: the server, whose input has ended
 * too, has two seconds to notice, then two to obey. A shell, because another Node process would need forty megabytes.
 */
const WATCH = 'read -r word && exit; sleep 2; kill -s TERM -- "-$1" && sleep 2 && kill -s KILL -- "-$1"';

export type GroupWatch = { dismiss(): void };

/** Watches over the group of this process. */
export function watchGroup(pid: number | undefined): GroupWatch {
  if (!hasGroups || pid === undefined) return { dismiss: () => undefined };
  // In a session of its own: what ends the gateway must not end its watch.
  const watch = spawn("/bin/sh", ["-c", WATCH, "spillway-watch", String(pid)], {
    env: {},
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watch.on("error", () => undefined); // Without a shell, a server that ignores the end of its input stays.
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return { dismiss: () => void watch.stdin.end("done\n") };
}

/** Sends a signal to a process and to everything in its group. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // All of it has ended.
  }
}
