/**
 * The transcript of a run: JSON lines, each flushed to disk before the run continues. Written lines never change. A
 * killed process can leave an incomplete last line; it was never acknowledged and is removed.
 */
import { type FileHandle, open, readdir, readFile, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { isUnwritable, SpillwayError } from "../../errors.ts";
import { toFields } from "../../overflow/dialects/dialect.ts";
import type { RememberedStub } from "../../overflow/memory/remembered-change.ts";
import { makeFolders } from "../../system/folders.ts";
import { takeLock } from "../../system/lock.ts";
import { clip, safeFileName } from "../../system/safe-names.ts";
import { isRefused } from "../../system/sqlite.ts";
import type { RunReport } from "./run-report.ts";

/** The first line: what the run is about. */
export type RunHead = {
  readonly type: "run";
  readonly version: 1;
  readonly run: string;
  readonly model: string;
  readonly system: string;
  readonly cwd: string;
  readonly started_at: string;
};

/** A message to or from the model, in the AI SDK's form, and why the model's answer ended, as the provider reports it. */
export type MessageLine = {
  readonly type: "message";
  readonly at: string;
  readonly message: ModelMessage;
  readonly finish?: string;
};

/** The text of an interrupted answer. It is not sent again. */
type PartialLine = { readonly type: "partial"; readonly at: string; readonly text: string };

/** The stubs that made the request fit the model's limit. The next process applies them before it sends anything. */
type StubsLine = { readonly type: "stubs"; readonly at: string; readonly stubs: readonly RememberedStub[] };

/** How one call of the runner ended. */
type EndLine = { readonly type: "end"; readonly at: string } & RunReport;

/** Any line of a transcript. */
type TranscriptLine = RunHead | MessageLine | PartialLine | StubsLine | EndLine;

/** A transcript open for writing. Disposing it releases its lock. */
export type Transcript = AsyncDisposable & {
  readonly path: string;
  readonly head: RunHead;
  readonly messages: readonly ModelMessage[];
  /** The line of the last message. */
  readonly lastMessage: MessageLine;
  /** The stubs of earlier processes. */
  readonly stubs: readonly RememberedStub[];
  add(...lines: readonly Exclude<TranscriptLine, RunHead>[]): Promise<void>;
};

/** The folder of the transcripts, and how many it keeps. */
type TranscriptFolder = { readonly folder: string; readonly maxTranscripts: number };

/** Begins the transcript of a new run. The file appears with its head and its task, or not at all. */
export async function beginTranscript(
  { folder, maxTranscripts }: TranscriptFolder,
  head: RunHead,
  task: MessageLine,
): Promise<Transcript> {
  return explainUnwritable(folder, async () => {
    await makeFolders(folder);
    await removeOldest(folder, maxTranscripts - 1);
    const path = pathOf(folder, head.run);
    return withLock(path, head.run, async (lock) => {
      if (await exists(path)) throw transcriptExistsError(head.run);
      const file = await createFile(path, [head, task]);
      return makeTranscript({ path, head, messageLines: [task], stubs: [], file, lock });
    });
  });
}

/** Opens the transcript of a run for writing; without a name, that of the run that was active last. */
export async function resumeTranscript({ folder }: TranscriptFolder, run: string | undefined): Promise<Transcript> {
  const path = run === undefined ? await findNewest(folder) : pathOf(folder, run);
  const name = run ?? path?.replace(/^.*[\\/]|\.jsonl$/g, "") ?? "";
  if (path === undefined || !(await exists(path))) throw transcriptNotFoundError(run);
  return explainUnwritable(folder, () =>
    withLock(path, name, async (lock) => {
      const { lines, wholeBytes } = await readWholeLines(path);
      const [head] = lines;
      const messageLines = lines.filter((line) => line.type === "message");
      if (head?.type !== "run" || messageLines.length === 0) return throwDamaged(path);
      await truncate(path, wholeBytes);
      const stubs = lines.flatMap((line) => (line.type === "stubs" ? line.stubs : []));
      return makeTranscript({ path, head, messageLines, stubs, file: await open(path, "a"), lock });
    }),
  );
}

/** Turns errors of an unwritable folder into a SpillwayError. */
async function explainUnwritable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnwritable(error) || isRefused(error) ? unwritableError(folder, error) : error;
  }
}

/** Takes the lock for `work`, whose result then owns it. Releases it only if `work` fails. */
async function withLock<T>(path: string, run: string, work: (lock: Disposable) => Promise<T>): Promise<T> {
  const lock = lockOrThrow(path, run);
  try {
    return await work(lock);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Reads the complete lines of a transcript, without a lock. */
export async function readTranscript(path: string): Promise<readonly TranscriptLine[]> {
  return (await readWholeLines(path)).lines;
}

type OpenTranscript = Pick<Transcript, "path" | "head" | "stubs"> & {
  readonly messageLines: readonly MessageLine[];
  readonly file: FileHandle;
  readonly lock: Disposable;
};

function makeTranscript({ path, head, messageLines, stubs, file, lock }: OpenTranscript): Transcript {
  const messages = messageLines.map(({ message }) => message);
  let lastMessage = messageLines.at(-1) ?? throwDamaged(path);
  let writeError: unknown;
  return {
    path,
    head,
    messages,
    get lastMessage() {
      return lastMessage;
    },
    stubs,
    async add(...lines) {
      // Nothing may follow an incomplete line: it would be read as its end.
      if (writeError !== undefined) throw writeError;
      try {
        await append(file, lines);
      } catch (error) {
        writeError = isUnwritable(error) ? unwritableError(path, error) : error;
        throw writeError;
      }
      for (const line of lines.filter((each) => each.type === "message")) {
        lastMessage = line;
        messages.push(line.message);
      }
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      lock[Symbol.dispose]();
    },
  };
}

/** Creates a file that gets its name only when its first lines are on disk. */
async function createFile(path: string, lines: readonly TranscriptLine[]): Promise<FileHandle> {
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await append(file, lines);
    await rename(`${path}.new`, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function append(file: FileHandle, lines: readonly TranscriptLine[]): Promise<void> {
  await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await file.datasync();
}

async function readWholeLines(path: string): Promise<{ lines: TranscriptLine[]; wholeBytes: number }> {
  const bytes = await readFile(path);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const texts = bytes.subarray(0, wholeBytes).toString("utf8").split("\n").slice(0, -1);
  return { lines: texts.map((text) => parseLine(text) ?? throwDamaged(path)), wholeBytes };
}

/** Parses a line; undefined for one that we cannot have written. */
function parseLine(text: string): TranscriptLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isTranscriptLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isTranscriptLine(value: unknown): value is TranscriptLine {
  const { type, message, stubs, version, run, model, system, cwd } = toFields(value);
  if (type === "message") return roles.has(String(toFields(message).role)) && "content" in toFields(message);
  if (type === "stubs") return Array.isArray(stubs);
  if (type === "run") return version === 1 && [run, model, system, cwd].every((word) => typeof word === "string");
  return type === "partial" || type === "end";
}

const roles: ReadonlySet<string> = new Set(["user", "assistant", "tool"]);

const pathOf = (folder: string, run: string): string => join(folder, `${safeFileName(run)}.jsonl`);

/** Allows one writer at a time: two would send the same request twice. The lock of a dead process is free. */
function lockOrThrow(path: string, run: string): Disposable {
  const lock = takeLock(`${path}.lock`);
  if (lock !== null) return lock;
  throw new SpillwayError("run_busy", `Run ${clip(run)} is active in another process.`, {
    hint: "Wait until it ends, or stop it.",
  });
}

async function listTranscripts(folder: string): Promise<{ path: string; time: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  const times = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0));
  return paths
    .map((path, index) => ({ path, time: times[index] ?? 0 }))
    .sort((one, other) => other.time - one.time || other.path.localeCompare(one.path));
}

const findNewest = async (folder: string): Promise<string | undefined> => (await listTranscripts(folder))[0]?.path;

async function removeOldest(folder: string, maxCount: number): Promise<void> {
  for (const { path } of (await listTranscripts(folder)).slice(maxCount)) {
    using lock = takeLock(`${path}.lock`, 0);
    if (lock === null) continue;
    for (const name of [path, `${path}.lock`, `${path}.lock-journal`]) await rm(name, { force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function transcriptNotFoundError(run: string | undefined): SpillwayError {
  const sentence =
    run === undefined ? "There is no run to resume." : `There is no transcript of run ${JSON.stringify(clip(run))}.`;
  const hint = 'Start one with spillway run "<task>". Continue the last one with spillway run "<task>" --resume.';
  return new SpillwayError("run_not_found", sentence, { hint });
}

function transcriptExistsError(run: string): SpillwayError {
  return new SpillwayError("usage", `Run ${JSON.stringify(clip(run))} already has a transcript.`, {
    hint: `Continue it with --resume ${clip(run)}, or choose another name (SPILLWAY_RUN).`,
  });
}

function throwDamaged(path: string): never {
  throw new SpillwayError("artifact_damaged", `The transcript ${path} is damaged.`, {
    hint: "It is left unchanged. Start a new run; spillway artifacts ls lists what the old one kept.",
  });
}

function unwritableError(folder: string, cause: unknown): SpillwayError {
  return new SpillwayError("store_unavailable", `No transcript can be written to ${folder}.`, {
    hint: "Free space, or set SPILLWAY_HOME to a writable folder.",
    cause,
  });
}
