/** A browser spoken to over a pair of pipes (the DevTools protocol): it opens no port, and leaves when the pipes close. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { SpillwayError } from "../../errors.ts";

/** What a browser says unasked: an event of one of its sessions. */
export type DevtoolsEvent = {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
};

export type Devtools = AsyncDisposable & {
  /** Calls a method and gives its result; rejects when the browser refuses or is gone. */
  call<T>(method: string, params?: object, sessionId?: string): Promise<T>;
  onEvent(listener: (event: DevtoolsEvent) => void): void;
};

export type BrowserOptions = {
  /** The program. */
  readonly chromium: string;
  readonly sandbox: boolean;
};

/** Starts a browser with an empty profile of its own. Disposing ends it and removes the profile. */
export async function openBrowser({ chromium, sandbox }: BrowserOptions): Promise<Devtools> {
  const profile = await mkdtemp(join(tmpdir(), "spillway-render-"));
  const browser = spawn(
    chromium,
    [...browserFlags, `--user-data-dir=${profile}`, ...(sandbox ? [] : ["--no-sandbox"])],
    {
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      env: { HOME: profile, ...(process.env.PATH !== undefined && { PATH: process.env.PATH }) },
      // A group of its own: its many processes are ended together.
      detached: true,
    },
  );
  const ended = waitForExit(browser);
  const devtools = connectDevtools(browser, ended);
  return {
    ...devtools,
    async [Symbol.asyncDispose]() {
      killGroup(browser);
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * No name is resolved and every connection goes to a proxy that is not there: what a page wants is fetched by us or not
 * at all. The rest keeps the browser from doing anything of its own.
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

/** Resolves with why, once the browser is gone; never rejects. */
async function waitForExit(browser: ChildProcess): Promise<string> {
  let said = "";
  browser.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const [code, signal] = await once(browser, "exit").catch((error: Error) => [error.message, null]);
  return said.includes("--no-sandbox") ? "it refuses to run as root with its sandbox" : `${signal ?? code}`;
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended between the question and the signal.
  }
}

type DevtoolsResponse = {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};
type PendingCall = { resolve(result: unknown): void; reject(error: Error): void };

function connectDevtools(browser: ChildProcess, ended: Promise<string>): Omit<Devtools, typeof Symbol.asyncDispose> {
  const [to, from] = [browser.stdio[3] as Writable, browser.stdio[4] as Readable];
  const waiting = new Map<number, PendingCall>();
  const listeners: Array<(event: DevtoolsEvent) => void> = [];
  let calls = 0;
  let gone: SpillwayError | undefined;

  // A browser that ends while it is written to breaks the pipe; `ended` tells why.
  to.on("error", () => undefined);
  readMessages(from, (message) => {
    if ("method" in message) for (const listener of listeners) listener(message);
    else settle(message);
  });
  void ended.then((why) => {
    gone = makeBrowserError(why);
    for (const { reject } of waiting.values()) reject(gone);
  });

  function settle({ id, result, error }: DevtoolsResponse): void {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error) caller?.reject(new Error(error.message));
    else caller?.resolve(result);
  }

  return {
    call<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
      if (gone) return Promise.reject(gone);
      const id = ++calls;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.set(id, { resolve: (result) => resolve(result as T), reject });
      to.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      return promise;
    },
    onEvent: (listener) => void listeners.push(listener),
  };
}

/** Messages are JSON, each closed by a NUL. */
function readMessages(from: Readable, take: (message: DevtoolsResponse | DevtoolsEvent) => void): void {
  let pieces: Buffer[] = [];
  from.on("error", () => undefined);
  from.on("data", (chunk: Buffer) => {
    for (let rest = chunk; ; ) {
      const end = rest.indexOf(0);
      if (end < 0) return void pieces.push(rest);
      take(JSON.parse(Buffer.concat([...pieces, rest.subarray(0, end)]).toString("utf8")));
      [pieces, rest] = [[], rest.subarray(end + 1)];
    }
  });
}

function makeBrowserError(why: string): SpillwayError {
  return new SpillwayError("render_failed", `The browser that runs a page's scripts has ended: ${why}.`, {
    hint: "Check the setting render.chromium; where it runs as root, render.sandbox has to be off.",
  });
}
