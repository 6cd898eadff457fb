/** Runs git: without prompts, hooks, helpers or the user's configuration, and never longer or larger than allowed. */
import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { SpillwayError, systemCode } from "../errors.ts";
import { DETAIL_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";

export type GitOptions = {
  readonly folder: string;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
  /** Settings of this call alone; they are passed in the environment, where other users cannot see them. */
  readonly config?: Readonly<Record<string, string>>;
  /** Protocols that it may use; none if undefined. */
  readonly protocol?: "http" | "https";
  readonly stdin?: string | Uint8Array;
};

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What git prints; throws with its last line where it fails. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { folder, signal, stdin = "" } = options;
  const child = spawn("git", args, {
    cwd: folder,
    env: makeEnvironment(options),
    stdio: ["pipe", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const output: Buffer[] = [];
  let [bytes, errors] = [0, ""];
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) output.push(chunk);
    else child.kill("SIGKILL");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-4_096);
  });
  child.stdin.on("error", () => undefined); // It may end before it has read everything.
  child.stdin.end(stdin);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (systemCode(error) === "ENOENT") throw makeMissingError();
    throw error;
  });
  signal.throwIfAborted();
  if (status === 0) return Buffer.concat(output);
  throw new GitError(errors, bytes > MAX_OUTPUT_BYTES);
}

/** Git ended with an error; what it printed comes in part from the server. */
export class GitError extends Error {
  readonly detail: string;
  /** Whether it was ended because it printed more than is read. */
  readonly isOutputTooLong: boolean;

  constructor(errors: string, isOutputTooLong = false) {
    super("git failed");
    this.isOutputTooLong = isOutputTooLong;
    const lines = errors.split(/[\r\n]+/).filter((line) => /^(fatal|error|remote):/.test(line));
    this.detail = clip((lines.at(-1) ?? "").replace(/\/\/[^\s/@]*@/g, "//"), DETAIL_CHARS);
  }
}

function makeEnvironment({ folder, path, config = {}, protocol }: GitOptions): NodeJS.ProcessEnv {
  const settings = Object.entries({ ...safeConfig, ...config });
  return {
    PATH: path,
    HOME: folder,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_LFS_SKIP_SMUDGE: "1",
    // An empty list would mean that every protocol is allowed.
    GIT_ALLOW_PROTOCOL: protocol ?? "none",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

const safeConfig = {
  "core.hooksPath": devNull,
  // A link could lead out of the clone; it becomes a small file with its target.
  "core.symlinks": "false",
  "core.fsmonitor": "false",
  "core.attributesFile": devNull,
  "credential.helper": "",
  "submodule.recurse": "false",
  "fetch.recurseSubmodules": "false",
  "gc.auto": "0",
  "http.lowSpeedLimit": "1000",
  "http.lowSpeedTime": "30",
} as const;

function makeMissingError(): SpillwayError {
  return new SpillwayError("source_unreadable", "git is not installed, so nothing can be cloned.", {
    hint: "Install git, or fetch the address without forceClone.",
  });
}
