/** Who is asking, during which run, with which settings: handed along to everything that does work. */
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { SourceContext } from "./acquire/source.ts";
import { diskObjects } from "./artifacts/disk.ts";
import { memoryObjects } from "./artifacts/memory.ts";
import { temporaryPrefix } from "./artifacts/objects.ts";
import { keyWord } from "./artifacts/ref.ts";
import { type ArtifactStore, openStore } from "./artifacts/store.ts";
import { dataHome } from "./config/places.ts";
import { defaultSettings, type Settings } from "./config/settings.ts";
import type { Emit } from "./telemetry/events.ts";
import { openEventLog } from "./telemetry/log.ts";

export type Session = SourceContext & {
  readonly settings: Settings;
  readonly store: ArtifactStore;
  /** Folders a body may be spooled to, the best first. */
  readonly spoolFolders: readonly string[];
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly now: () => number;
};

export type SessionOptions = Partial<Omit<SourceContext, "cwd">> & {
  readonly settings?: Settings;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly owner?: string;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** Keep artifacts in memory only; they are gone with the process. */
  readonly inMemory?: boolean;
};

/** Opens a session on the user's store. Disposing it writes what its event log still holds. */
export function openSession(options: SessionOptions = {}): Session & AsyncDisposable {
  const { settings = defaultSettings, cwd = process.cwd(), env = process.env, now = Date.now } = options;
  const owner = options.owner ?? localOwner();
  const run = settings.run ?? processRun(now());
  const home = dataHome(settings.home, env, process.platform);
  const objects = options.inMemory ? memoryObjects(now) : diskObjects(home);
  const log = openEventLog({
    folder: eventFolder(home, owner),
    run,
    maxBytes: settings["events.bytes"],
    maxRuns: settings["events.runs"],
    now,
  });
  return {
    cwd,
    ...(options.roots === undefined ? {} : { roots: options.roots }),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    settings,
    store: openStore(objects, { owner, run, now }),
    spoolFolders: options.inMemory ? [tmpdir()] : [join(home, temporaryPrefix), tmpdir()],
    emit: log.emit,
    signal: options.signal ?? new AbortController().signal,
    now,
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}

export const eventFolder = (home: string, owner: string): string => join(home, "events", keyWord(owner));

/** The OS user. Where the system does not know the name, the number has to do. */
export function localOwner(): string {
  try {
    const { uid, username } = userInfo();
    return uid >= 0 ? `user-${uid}` : `user-${username}`;
  } catch {
    return `user-${process.getuid?.() ?? "unknown"}`;
  }
}

/** `20261115t031811-4711`: sorts by time and tells the process. */
function processRun(now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "").toLowerCase();
  return `${stamp}-${process.pid}`;
}
