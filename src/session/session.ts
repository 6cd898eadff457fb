/** The session: owner, run, settings and store, passed to everything that does work. */
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { HttpClient } from "../acquire/http/http-client.ts";
import { openHttpClient } from "../acquire/http/lazy-client.ts";
import type { DownloadMonitor } from "../acquire/source.ts";
import type { SourceContext } from "../acquire/source-kind.ts";
import { type ArtifactStore, openStore } from "../artifacts/artifact-store.ts";
import { temporaryPrefix } from "../artifacts/objects.ts";
import { diskStorage, memoryStorage, refusedStorage, type Storage } from "../artifacts/storage.ts";
import { describeProblems } from "../config/config-problem.ts";
import { loadConfig, requireValid } from "../config/load-config.ts";
import { type Environment, findDataHome } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { systemCode } from "../errors.ts";
import type { Handler } from "../extract/handler.ts";
import type { Tokenizer } from "../fit/budget.ts";
import { findExposure } from "../system/folders.ts";
import { makeRandomWord } from "../system/random-word.ts";
import { safeFileName } from "../system/safe-names.ts";
import { openEventLog } from "../telemetry/event-log.ts";
import type { Emit } from "../telemetry/events.ts";
import { metrics } from "../telemetry/metrics.ts";
import type { MetricReading } from "../telemetry/prometheus.ts";
import type { Trace } from "../telemetry/spans.ts";
import { guardTokenizer, makeTokenizerLoader } from "./tokenizer.ts";
import { openUsageRecorder } from "./usage-recorder.ts";

/** Everything a verb needs besides its own arguments. */
export type Session = SourceContext & {
  readonly settings: Settings;
  /** Format handlers of the library user, asked before the built-in ones. */
  readonly handlers: readonly Handler[];
  readonly store: ArtifactStore;
  /** Folders for spooled bodies, in order of preference. */
  readonly spoolFolders: readonly string[];
  /** The folder of this owner's code indexes; null when everything is kept in memory. */
  readonly searchFolder: string | null;
  /** The folder of this owner's clones of repositories; null when everything is kept in memory. */
  readonly cloneFolder: string | null;
  /** Why the data folder is not used, in one sentence; null if it is. */
  readonly homeProblem: string | null;
  /** The folder of this owner's event logs. */
  readonly eventFolder: string;
  /** The folder of this owner's run transcripts. */
  readonly transcriptFolder: string;
  /** The run under which artifacts and events are grouped. */
  readonly run: string;
  readonly emit: Emit;
  /** Runs work as a span, where an OpenTelemetry collector is configured. */
  readonly trace: Trace;
  /** Adds metrics of a surface to what is exported there, as long as the session is open. */
  readonly exportMetrics: (read: () => readonly MetricReading[]) => void;
  /** Writes what was counted here, and what processes have counted that were killed, so that sums are complete. */
  readonly settleUsage: () => Promise<void>;
  /** Aborts one call, or all of them. */
  readonly signal: AbortSignal;
  /** Called with what is being done, where a user or client waits for it. */
  readonly progress?: ((message: string) => void) | undefined;
  /** Watches the bodies that a call receives. */
  readonly incoming?: DownloadMonitor | undefined;
  /** Aborts work that continues after the call that started it. */
  readonly lifetime: AbortSignal;
  /** The log of the process, for its operator; unlike events it may contain words of a query. */
  readonly log: (line: string) => void;
  /** The tokenizer of the model that reads the replies, where one is configured. */
  readonly tokenizer: () => Promise<Tokenizer | undefined>;
  readonly now: () => number;
  /** The environment: keys of services are read from it when they are needed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Makes the random word of the fence around untrusted content; another one for each reply. */
  readonly makeFenceWord: () => string;
  /** Runs housekeeping after the reply; closing the session waits for it. */
  background(task: () => Promise<void>): void;
};

export type SessionOptions = {
  /** Default: from the config files and the environment. */
  readonly settings?: Settings;
  /** Default: the working directory of this process. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the user of the operating system. */
  readonly owner?: string;
  /** Format handlers of your own, asked before the built-in ones; `spillway/testing` has their contract as tests. */
  readonly handlers?: readonly Handler[];
  /** Set where paths are chosen by a model: only files below `cwd` and the setting files.allow are read. */
  readonly confined?: boolean;
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** The HTTP client, shared with other sessions and closed by the caller. Default: one of its own. */
  readonly network?: HttpClient;
  /** The storage, shared with other sessions and closed by the caller. Default: one of its own. */
  readonly storage?: Storage;
  readonly signal?: AbortSignal;
  /** Receives lines of the process log. Default: they are dropped. */
  readonly log?: (line: string) => void;
  /** Counts tokens for the model it names. Default: from the settings tokens.model and tokens.module. */
  readonly tokenizer?: Tokenizer;
  readonly now?: () => number;
  /** Makes the word of the fence around untrusted content, of 8 characters. Default: a random one. */
  readonly makeFenceWord?: () => string;
  /** Keep everything in memory until the process ends, and log no events. */
  readonly inMemory?: boolean;
};

/** Opens a session on the user's store. Closing it (`await using`) writes pending events. */
export async function openSession(options: SessionOptions = {}): Promise<Session & AsyncDisposable> {
  const { cwd = process.cwd(), env = process.env, now = Date.now, inMemory = false } = options;
  const log = options.log ?? (() => undefined);
  const settings = forTeam(options.settings ?? (await loadSettings(cwd, env, log)));
  const { handlers = [] } = options;
  if (handlers.length > 0) (await import("../extract/handlers.ts")).assertHandlers(handlers);
  const owner = options.owner ?? findLocalOwner();
  const run = settings.run ?? makeRunName(now());
  const home = inMemory ? tmpdir() : findDataHome(settings.home, env, process.platform);
  const homeProblem = inMemory ? null : describeExposure(home);
  const isOnDisk = !inMemory && homeProblem === null;
  const eventFolder = join(home, "events", safeFileName(owner));
  const logLimits = { maxBytes: settings["events.bytes"], maxRuns: settings["events.runs"] };
  const beforeWrite = () => usage?.journal();
  const events = !isOnDisk ? undefined : openEventLog({ folder: eventFolder, run, ...logLimits, now, beforeWrite });
  const storage = options.storage ?? (await openStorage(home, { inMemory, homeProblem, now, settings }));
  const store = openStore(storage, { owner, run, now });
  const usageFolder = join(home, "usage", safeFileName(owner));
  const usage = isOnDisk
    ? openUsageRecorder({ catalogue: storage.catalogue, owner: store.ownerId, run, now, folder: usageFolder })
    : undefined;
  const emit: Emit = (event, origin) => {
    metrics.add(event, origin);
    events?.emit(event);
    usage?.add(event, origin);
  };
  const telemetry = isExported(settings, env)
    ? (await import("./open-telemetry.ts")).openTelemetry({ settings, env, emit, log })
    : undefined;
  const housekeeping = createHousekeeping(emit);
  const { tokenizer } = options;
  const signal = options.signal ?? new AbortController().signal;
  const network = options.network ?? openHttpClient({ settings, env, now });
  const cloneFolder = isOnDisk ? join(home, "clones", safeFileName(owner)) : null;
  return {
    cwd,
    network,
    ...(options.confined
      ? { roots: [cwd, ...settings["files.allow"], ...(cloneFolder === null ? [] : [cloneFolder])] }
      : {}),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    settings,
    handlers,
    store,
    spoolFolders: !isOnDisk ? [tmpdir()] : [join(home, temporaryPrefix), tmpdir()],
    searchFolder: !isOnDisk ? null : join(home, "search", safeFileName(owner)),
    cloneFolder,
    homeProblem,
    eventFolder,
    transcriptFolder: join(home, "transcripts", safeFileName(owner)),
    run,
    emit,
    trace: telemetry?.trace ?? runUntraced,
    exportMetrics: telemetry?.addSource ?? (() => undefined),
    settleUsage: async () => usage?.settle(),
    signal,
    lifetime: signal,
    log,
    tokenizer: tokenizer ? async () => guardTokenizer(tokenizer, log) : makeTokenizerLoader(settings, log),
    now,
    env,
    makeFenceWord: options.makeFenceWord ?? makeRandomWord,
    background: housekeeping.start,
    async [Symbol.asyncDispose]() {
      await housekeeping.finished();
      await telemetry?.[Symbol.asyncDispose]();
      if (options.network === undefined) await network[Symbol.asyncDispose]();
      await usage?.[Symbol.asyncDispose]();
      await events?.[Symbol.asyncDispose]();
      if (options.storage === undefined) await closeStorage(storage);
    },
  };
}

/** The user's settings. What a project's file may not set is ignored and logged. */
async function loadSettings(cwd: string, env: Environment, log: (line: string) => void): Promise<Settings> {
  const config = await loadConfig({ cwd, env });
  const settings = requireValid(config);
  for (const problem of describeProblems(config.problems)) log(problem);
  return settings;
}

/** The standard variables that name a collector. Whether they count is decided by the code that is loaded for them. */
const collectorVariables = ["", "_TRACES", "_METRICS"].map((signal) => `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`);

function isExported(settings: Settings, env: Environment): boolean {
  if (settings["otel.signals"] === "none") return false;
  return settings["otel.endpoint"] !== null || collectorVariables.some((name) => env[name]);
}

const runUntraced: Trace = (_start, work) => work(noSpan);

const noSpan = { set: () => undefined };

/** Where other users could change the folder, nothing is read from it or written to it. */
function describeExposure(home: string): string | null {
  const exposure = findExposure(home);
  return exposure && `The data folder ${home} is not used: ${exposure}.`;
}

type StoragePlace = {
  readonly inMemory: boolean;
  readonly homeProblem: string | null;
  readonly now: () => number;
  readonly settings: Settings;
};

async function openStorage(home: string, place: StoragePlace): Promise<Storage> {
  const { inMemory, homeProblem, now, settings } = place;
  if (inMemory) return memoryStorage(now);
  if (homeProblem !== null) return refusedStorage(homeProblem);
  if (!isTeamStore(settings)) return diskStorage(home);
  return (await import("../artifacts/team-storage.ts")).teamStorage(home, settings);
}

async function closeStorage({ catalogue, close }: Storage): Promise<void> {
  await catalogue.close();
  await close?.();
}

/** A file of this machine cannot be read in place by others, so a team store has a copy, however large it is. */
function forTeam(settings: Settings): Settings {
  return isTeamStore(settings) ? { ...settings, "artifacts.copy_bytes": Number.MAX_SAFE_INTEGER } : settings;
}

/** Whether the settings name a store that is not only in the data folder. */
const isTeamStore = (settings: Settings): boolean =>
  settings["store.catalogue"] !== null || settings["store.objects"] !== null;

/** Runs tasks in the background. A failure is reported as an event and does not affect the reply. */
function createHousekeeping(emit: Emit) {
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

/** The OS user, by number where the system has no name. */
function findLocalOwner(): string {
  try {
    const { uid, username } = userInfo();
    return uid >= 0 ? `user-${uid}` : `user-${username}`;
  } catch {
    return `user-${process.getuid?.() ?? "unknown"}`;
  }
}

/** `20261115t031811-4711`: sorts by time and contains the process id. */
function makeRunName(now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "").toLowerCase();
  return `${stamp}-${process.pid}`;
}
