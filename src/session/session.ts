/** Who is asking, during which run, with which settings: handed along to everything that does work. */
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Network } from "../acquire/http/http-client.ts";
import { openNetwork } from "../acquire/http/lazy-client.ts";
import type { BodyWatch } from "../acquire/source.ts";
import type { SourceContext } from "../acquire/source-kind.ts";
import { type ArtifactStore, openStore } from "../artifacts/artifact-store.ts";
import { diskObjects } from "../artifacts/disk-objects.ts";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import { temporaryPrefix } from "../artifacts/objects.ts";
import { loadConfig, requireValid } from "../config/load.ts";
import { dataHome } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { systemCode } from "../errors.ts";
import type { Tokenizer } from "../fit/budget.ts";
import { wordFor } from "../system/safe-names.ts";
import { openEventLog } from "../telemetry/event-log.ts";
import type { Emit } from "../telemetry/events.ts";
import { metrics } from "../telemetry/metrics.ts";
import { carefully, tokenizerFrom } from "./tokenizer.ts";

/** Everything a verb needs besides its own arguments. */
export type Session = SourceContext & {
  readonly settings: Settings;
  readonly store: ArtifactStore;
  /** Folders a body may be spooled to, the best first. */
  readonly spoolFolders: readonly string[];
  /** Where the code indexes of this owner are; null when everything is kept in memory. */
  readonly searchFolder: string | null;
  /** Where the event logs of this owner are. */
  readonly eventFolder: string;
  /** Where the transcripts of this owner's runs are. */
  readonly transcriptFolder: string;
  /** The working session that artifacts and events are grouped under. */
  readonly run: string;
  readonly emit: Emit;
  /** Ends one call, or all of them. */
  readonly signal: AbortSignal;
  /** Told of the bodies that a call has come in. */
  readonly incoming?: BodyWatch | undefined;
  /** Ends what goes on after the call that began it. */
  readonly lifetime: AbortSignal;
  /** The log of the process itself, for whoever runs it; unlike events it may hold words of a question. */
  readonly log: (line: string) => void;
  /** The tokenizer of the model that replies are for, where there is one. */
  readonly tokenizer: () => Promise<Tokenizer | undefined>;
  readonly now: () => number;
  /** Does housekeeping while the reply is already on its way; closing the session waits for it. */
  background(task: () => Promise<void>): void;
};

export type SessionOptions = {
  /** Default: what the config files and the environment say. */
  readonly settings?: Settings;
  /** Default: the folder of this process. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the user of the operating system. */
  readonly owner?: string;
  /** Paths come from a model: only files below `cwd` and the setting files.allow are read. */
  readonly confined?: boolean;
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** The way to other hosts, shared with other sessions and closed by whoever opened it. Default: one of its own. */
  readonly network?: Network;
  readonly signal?: AbortSignal;
  /** Where lines of the process's own log go. Default: nowhere. */
  readonly log?: (line: string) => void;
  /** Counts tokens for the model it names. Default: the one of the settings tokens.model and tokens.module. */
  readonly tokenizer?: Tokenizer;
  readonly now?: () => number;
  /** Keep everything in memory; it is gone with the process, and nothing is logged. */
  readonly inMemory?: boolean;
};

/** Opens a session on the user's store. Closing it (`await using`) writes what its event log still holds. */
export async function openSession(options: SessionOptions = {}): Promise<Session & AsyncDisposable> {
  const { cwd = process.cwd(), env = process.env, now = Date.now, inMemory = false } = options;
  const settings = options.settings ?? requireValid(await loadConfig({ cwd, env }));
  const owner = options.owner ?? localOwner();
  const run = settings.run ?? processRun(now());
  const home = inMemory ? tmpdir() : dataHome(settings.home, env, process.platform);
  const eventFolder = join(home, "events", wordFor(owner));
  const logLimits = { maxBytes: settings["events.bytes"], maxRuns: settings["events.runs"] };
  const events = inMemory ? undefined : openEventLog({ folder: eventFolder, run, ...logLimits, now });
  const emit: Emit = (event) => {
    metrics.add(event);
    events?.emit(event);
  };
  const housekeeping = runInBackground(emit);
  const log = options.log ?? (() => undefined);
  const { tokenizer } = options;
  const signal = options.signal ?? new AbortController().signal;
  const network = options.network ?? openNetwork({ settings, env, now });
  return {
    cwd,
    network,
    ...(options.confined ? { roots: [cwd, ...settings["files.allow"]] } : {}),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    settings,
    store: openStore(inMemory ? memoryObjects(now) : diskObjects(home), { owner, run, now }),
    spoolFolders: inMemory ? [tmpdir()] : [join(home, temporaryPrefix), tmpdir()],
    searchFolder: inMemory ? null : join(home, "search", wordFor(owner)),
    eventFolder,
    transcriptFolder: join(home, "transcripts", wordFor(owner)),
    run,
    emit,
    signal,
    lifetime: signal,
    log,
    tokenizer: tokenizer ? async () => carefully(tokenizer, log) : tokenizerFrom(settings, log),
    now,
    background: housekeeping.start,
    async [Symbol.asyncDispose]() {
      await housekeeping.finished();
      if (options.network === undefined) await network[Symbol.asyncDispose]();
      await events?.[Symbol.asyncDispose]();
    },
  };
}

/** Where housekeeping cannot be done an event says so; the reply is not worse for it. */
function runInBackground(emit: Emit) {
  const running = new Set<Promise<void>>();
  return {
    start(task: () => Promise<void>): void {
      const work = task()
        .catch((error: unknown) => emit({ event: "store.unavailable", code: systemCode(error) ?? "unknown" }))
        .finally(() => running.delete(work));
      running.add(work);
    },
    finished: async (): Promise<void> => void (await Promise.all(running)),
  };
}

/** The OS user. Where the system does not know the name, the number has to do. */
function localOwner(): string {
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
