/**
 * The transcript of a run: JSON lines, each on the disk before the next thing happens. What was written is never
 * changed; a line that a killed process left half written was never acknowledged and is cut off.
 */
import { type FileHandle, open, readdir, readFile, stat, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { isUnwritable, SpillwayError, systemCode } from "../../errors.ts";
import { makeFolders } from "../../folders.ts";
import { clipped, wordFor } from "../../names.ts";
import type { KnownStub } from "../../overflow/sticky.ts";
import type { RunReport } from "./report.ts";

/** What a run is about; its first line. */
export type RunHead = {
  readonly type: "run";
  readonly version: 1;
  readonly run: string;
  readonly model: string;
  readonly system: string;
  readonly cwd: string;
  readonly started_at: string;
};

/** What a model was told or said, in the AI SDK's form. */
export type MessageLine = { readonly type: "message"; readonly at: string; readonly message: ModelMessage };

/** Words of an answer that was broken off; they are not sent again. */
export type PartialLine = { readonly type: "partial"; readonly at: string; readonly text: string };

/** What was set aside to fit the model's limit: the next process sets the same aside before it sends anything. */
export type StubsLine = { readonly type: "stubs"; readonly at: string; readonly stubs: readonly KnownStub[] };

/** How one call of the runner ended. */
export type EndLine = { readonly type: "end"; readonly at: string } & RunReport;

export type TranscriptLine = RunHead | MessageLine | PartialLine | StubsLine | EndLine;

/** A transcript that is written to. Closing it lets others write. */
export type Transcript = AsyncDisposable & {
  readonly path: string;
  readonly head: RunHead;
  readonly messages: readonly ModelMessage[];
  /** Those of earlier processes. */
  readonly stubs: readonly KnownStub[];
  add(...lines: readonly Exclude<TranscriptLine, RunHead>[]): Promise<void>;
};

export type TranscriptFolder = { readonly folder: string; readonly keep: number };

/** Begins the transcript of a new run. */
export async function beginTranscript({ folder, keep }: TranscriptFolder, head: RunHead): Promise<Transcript> {
  try {
    await makeFolders(folder);
    await removeOldest(folder, keep - 1);
    const path = pathOf(folder, head.run);
    const lock = await takeLock(path, head.run);
    const file = await open(path, "ax", 0o600).catch(async (error: unknown) => {
      await lock[Symbol.asyncDispose]();
      throw systemCode(error) === "EEXIST" ? alreadyThere(head.run) : error;
    });
    await append(file, [head]);
    return writing({ path, head, messages: [], stubs: [], file, lock });
  } catch (error) {
    throw isUnwritable(error) ? unwritable(folder, error) : error;
  }
}

/** Goes on with the transcript of a run, or of the one that was active last. */
export async function resumeTranscript({ folder }: TranscriptFolder, run: string | undefined): Promise<Transcript> {
  const path = run === undefined ? await newest(folder) : pathOf(folder, run);
  const name = run ?? path?.replace(/^.*[\\/]|\.jsonl$/g, "") ?? "";
  if (path === undefined || !(await exists(path))) throw noTranscript(run);
  const lock = await takeLock(path, name);
  try {
    const { lines, wholeBytes } = await readLines(path);
    const [head] = lines;
    if (head?.type !== "run") throw damaged(path);
    await truncate(path, wholeBytes);
    const messages = lines.flatMap((line) => (line.type === "message" ? [line.message] : []));
    const stubs = lines.flatMap((line) => (line.type === "stubs" ? line.stubs : []));
    return writing({ path, head, messages, stubs, file: await open(path, "a"), lock });
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** The whole lines of a transcript, for those who only read. */
export async function readTranscript(path: string): Promise<readonly TranscriptLine[]> {
  return (await readLines(path)).lines;
}

type Writing = Pick<Transcript, "path" | "head" | "messages" | "stubs"> & {
  readonly file: FileHandle;
  readonly lock: AsyncDisposable;
};

function writing({ path, head, messages, stubs, file, lock }: Writing): Transcript {
  const known = [...messages];
  let broken: unknown;
  return {
    path,
    head,
    messages: known,
    stubs,
    async add(...lines) {
      // After half a line nothing may follow: it would be taken for its end.
      if (broken !== undefined) throw broken;
      try {
        await append(file, lines);
      } catch (error) {
        broken = isUnwritable(error) ? unwritable(path, error) : error;
        throw broken;
      }
      for (const line of lines) if (line.type === "message") known.push(line.message);
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      await lock[Symbol.asyncDispose]();
    },
  };
}

async function append(file: FileHandle, lines: readonly TranscriptLine[]): Promise<void> {
  await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await file.datasync();
}

async function readLines(path: string): Promise<{ lines: TranscriptLine[]; wholeBytes: number }> {
  const bytes = await readFile(path);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const texts = bytes.subarray(0, wholeBytes).toString("utf8").split("\n").slice(0, -1);
  try {
    // We wrote these lines ourselves; what is no JSON is damage, and the shapes are ours.
    return { lines: texts.map((text) => JSON.parse(text) as TranscriptLine), wholeBytes };
  } catch (cause) {
    throw damaged(path, cause);
  }
}

const pathOf = (folder: string, run: string): string => join(folder, `${wordFor(run)}.jsonl`);

/** One writer at a time: two would ask the same question twice. A lock whose process is gone counts for nothing. */
async function takeLock(path: string, run: string): Promise<AsyncDisposable> {
  const lock = `${path}.lock`;
  for (let tries = 0; tries < 3; tries++) {
    try {
      await writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 });
      return { [Symbol.asyncDispose]: () => unlink(lock) };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      const pid = Number(await readFile(lock, "utf8").catch(() => ""));
      if (pid > 0 && isAlive(pid)) throw busy(run, pid);
      await unlink(lock).catch(() => undefined); // Somebody else may have been faster; the next try tells.
    }
  }
  throw busy(run, 0);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

async function transcriptsIn(folder: string): Promise<{ path: string; time: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  const times = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0));
  return paths
    .map((path, index) => ({ path, time: times[index] ?? 0 }))
    .sort((one, other) => other.time - one.time || other.path.localeCompare(one.path));
}

const newest = async (folder: string): Promise<string | undefined> => (await transcriptsIn(folder))[0]?.path;

async function removeOldest(folder: string, keep: number): Promise<void> {
  for (const { path } of (await transcriptsIn(folder)).slice(keep)) {
    if (!(await exists(`${path}.lock`))) await unlink(path).catch(() => undefined); // Gone is what we wanted.
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function noTranscript(run: string | undefined): SpillwayError {
  const sentence =
    run === undefined
      ? "There is no run to go on with."
      : `There is no transcript of run ${JSON.stringify(clipped(run))}.`;
  return new SpillwayError("run_not_found", sentence, { hint: 'Start one with spillway run "<task>".' });
}

function busy(run: string, pid: number): SpillwayError {
  return new SpillwayError("run_busy", `Run ${clipped(run)} is going on in process ${pid}.`, {
    hint: "Wait until it has ended, or stop it.",
  });
}

function alreadyThere(run: string): SpillwayError {
  return new SpillwayError("usage", `There is a transcript of run ${JSON.stringify(clipped(run))} already.`, {
    hint: `Go on with it by --resume ${clipped(run)}, or choose another name (SPILLWAY_RUN).`,
  });
}

function damaged(path: string, cause?: unknown): SpillwayError {
  return new SpillwayError("artifact_damaged", `The transcript ${path} is damaged.`, {
    hint: "It is left as it is. Start a new run; what the old one kept is listed by spillway artifacts ls.",
    cause,
  });
}

function unwritable(folder: string, cause: unknown): SpillwayError {
  return new SpillwayError("store_unavailable", `No transcript can be written to ${folder}.`, {
    hint: "Free space, or set SPILLWAY_HOME to a folder that can be written.",
    cause,
  });
}
