/** Controls a browser over a pair of pipes (DevTools protocol): it opens no port, and exits when the pipes close. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { SpillwayError } from "../../errors.ts";
import { readTreeMemory } from "../../system/process-tree.ts";
import { formatSize } from "../../system/quantities.ts";
import { makeProfile, removeProfile, sweepProfiles } from "./profiles.ts";

/** An event of one of the browser's sessions. */
type DevtoolsEvent = {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
};

/** A running browser. */
export type Devtools = AsyncDisposable & {
  /** Calls a method and returns its result; rejects when the browser refuses or has exited. */
  call<T>(method: string, params?: object, sessionId?: string): Promise<T>;
  onEvent(listener: (event: DevtoolsEvent) => void): void;
  /** Resolves with the reason once the browser has exited; never rejects. */
  readonly exited: Promise<SpillwayError>;
};

export type BrowserOptions = {
  /** The path of the program. */
  readonly chromium: string;
  readonly sandbox: boolean;
  /** The most memory that all of its processes together may use. */
  readonly memoryBytes: number;
  /** Folders for its profile, in order of preference. */
  readonly folders: readonly string[];
};

/** Starts a browser with an empty profile. Disposing kills it and removes the profile. */
export async function openBrowser(options: BrowserOptions): Promise<Devtools> {
  // A process that was killed could not remove its profile.
  await sweepProfiles(options.folders, Date.now());
  const profile = await makeProfile(options.folders);
  const browser = startBrowser(options, profile);
  const watch = watchMemory(browser, options.memoryBytes);
  const exited = waitForExit(browser).then((reason) => watch.failure() ?? makeBrowserError(reason));
  const devtools = connectDevtools(browser, exited);
  return {
    ...devtools,
    exited,
    async [Symbol.asyncDispose]() {
      watch.stop();
      killGroup(browser);
      await exited;
      await removeProfile(profile);
    },
  };
}

function startBrowser({ chromium, sandbox, memoryBytes }: BrowserOptions, profile: string): ChildProcess {
  // The rest is for the browser itself and for what a page keeps outside of the heap.
  const heapMb = Math.floor((memoryBytes * 0.75) / 1024 / 1024);
  const ownFlags = [`--js-flags=--max-old-space-size=${heapMb}`, `--user-data-dir=${profile}`];
  return spawn(chromium, [...browserFlags, ...ownFlags, ...(sandbox ? [] : ["--no-sandbox"])], {
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    cwd: profile,
    // Its temporary files belong into the profile too. The path of its socket must be short, so the folder is relative.
    env: { HOME: profile, TMPDIR: ".", ...(process.env.PATH !== undefined && { PATH: process.env.PATH }) },
    // A process group of its own, so that all of its processes can be killed together.
    detached: true,
  });
}

/** How often the memory is measured; a page can allocate about 100 MB between two measurements. */
const WATCH_INTERVAL_MS = 100;

/** Kills a browser that uses more memory than it may. */
function watchMemory(browser: ChildProcess, memoryBytes: number) {
  let failure: SpillwayError | undefined;
  let isMeasuring = false;
  const measure = async () => {
    if (isMeasuring || browser.pid === undefined) return;
    isMeasuring = true;
    const usedBytes = (await readTreeMemory(browser.pid)) ?? 0;
    isMeasuring = false;
    if (usedBytes <= memoryBytes) return;
    failure ??= makeMemoryError(memoryBytes);
    killGroup(browser);
  };
  const timer = setInterval(() => void measure(), WATCH_INTERVAL_MS);
  return { failure: () => failure, stop: () => clearInterval(timer) };
}

/**
 * No name is resolved and every connection goes to a proxy that does not exist, so a page gets only what we fetch for
 * it. The other flags turn off the browser's own background work.
 */
const browserFlags = [
  "--headless",
  "--remote-debugging-pipe",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--proxy-server=spillway.invalid:1",
  "--proxy-bypass-list=<-loopback>",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--no-first-run",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--mute-audio",
];

/** Resolves with the reason once the browser has exited; never rejects. */
async function waitForExit(browser: ChildProcess): Promise<string> {
  let stderrTail = "";
  browser.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderrTail = (stderrTail + text).slice(-2_000);
  });
  const [code, signal] = await once(browser, "exit").catch((error: Error) => [error.message, null]);
  return stderrTail.includes("--no-sandbox") ? "it refuses to run as root with its sandbox" : `${signal ?? code}`;
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It exited between the check and the signal.
  }
}

type DevtoolsResponse = {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};
type PendingCall = { resolve(result: unknown): void; reject(error: Error): void };

function connectDevtools(browser: ChildProcess, exited: Promise<SpillwayError>): Pick<Devtools, "call" | "onEvent"> {
  const [commandPipe, eventPipe] = [browser.stdio[3] as Writable, browser.stdio[4] as Readable];
  const pendingCalls = new Map<number, PendingCall>();
  const listeners: Array<(event: DevtoolsEvent) => void> = [];
  let lastId = 0;
  let exitError: SpillwayError | undefined;

  // If the browser exits during a write, the pipe breaks; `exited` resolves with the reason.
  commandPipe.on("error", () => undefined);
  readMessages(eventPipe, (message) => {
    if ("method" in message) for (const listener of listeners) listener(message);
    else settleCall(message);
  });
  void exited.then((error) => {
    exitError = error;
    for (const { reject } of pendingCalls.values()) reject(error);
  });

  function settleCall({ id, result, error }: DevtoolsResponse): void {
    const pendingCall = pendingCalls.get(id);
    pendingCalls.delete(id);
    if (error) pendingCall?.reject(new Error(error.message));
    else pendingCall?.resolve(result);
  }

  return {
    call<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
      if (exitError) return Promise.reject(exitError);
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      pendingCalls.set(id, { resolve: (result) => resolve(result as T), reject });
      commandPipe.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      return promise;
    },
    onEvent: (listener) => void listeners.push(listener),
  };
}

/** Messages are JSON, each followed by a NUL. */
function readMessages(stream: Readable, onMessage: (message: DevtoolsResponse | DevtoolsEvent) => void): void {
  let buffered: Buffer[] = [];
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    for (let rest = chunk; ; ) {
      const end = rest.indexOf(0);
      if (end < 0) return void buffered.push(rest);
      onMessage(JSON.parse(Buffer.concat([...buffered, rest.subarray(0, end)]).toString("utf8")));
      [buffered, rest] = [[], rest.subarray(end + 1)];
    }
  });
}

/** The error for a page that needs more memory than the setting allows. */
export function makeMemoryError(memoryBytes: number): SpillwayError {
  const sentence = `The page needs more memory in the browser than the ${formatSize(memoryBytes)} it may use.`;
  return new SpillwayError("render_failed", sentence, {
    hint: "If it is meant, the user can raise the setting render.memory_bytes.",
  });
}

function makeBrowserError(reason: string): SpillwayError {
  return new SpillwayError("render_failed", `The browser that runs a page's scripts has ended: ${reason}.`, {
    hint: "Check the setting render.chromium; where it runs as root, render.sandbox has to be off.",
  });
}
