/** The CLI test harness: runs commands in this process, on a temporary store, and captures their output. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCli } from "../src/surfaces/cli/main.ts";
import { makeTemporaryFolder, splitChunks } from "./bodies.ts";

/** The outcome of one command. */
export type CliResult = { readonly status: number; readonly out: string; readonly err: string; readonly bytes: Buffer };

/** Options of one command. */
export type CliRunOptions = {
  readonly stdin?: string | Uint8Array;
  readonly env?: object;
  readonly signal?: AbortSignal;
  /** The current folder. Default: the work folder of the test. */
  readonly cwd?: string;
  /** Answers questions, as a person at a terminal does. Default: there is no terminal. */
  readonly ask?: (question: string) => string;
  /** Called with standard output as it is printed. */
  readonly onOut?: (text: string) => void;
};

/** Opens a harness with a work folder and a store of its own. */
export async function openCli() {
  const folder = await makeTemporaryFolder();
  const work = join(folder.path, "work");
  await mkdir(work);

  async function run(argv: readonly string[], more: CliRunOptions = {}): Promise<CliResult> {
    const out: Buffer[] = [];
    let err = "";
    const env = { HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home"), ...more.env };
    const status = await runCli(
      argv,
      {
        cwd: more.cwd ?? work,
        env,
        stdin: splitChunks(Buffer.from(more.stdin ?? "")),
        out: async (text) => {
          more.signal?.throwIfAborted();
          out.push(Buffer.from(text));
          more.onOut?.(String(text));
        },
        lastOut: (text) => void out.push(Buffer.from(text)),
        note: (text) => {
          err += text;
        },
        ...(more.ask && { ask: async (question: string) => more.ask?.(question) ?? "" }),
      },
      more.signal ?? new AbortController().signal,
    );
    const bytes = Buffer.concat(out);
    return { status, out: bytes.toString(), err, bytes };
  }

  return {
    work,
    home: join(folder.path, "home"),
    /** The home folder of the user, and of the configs of clients. */
    userHome: folder.path,
    run,
    /** Runs with --json and returns the parsed lines. */
    async json(...argv: string[]) {
      const { out } = await run([...argv, "--json"]);
      return out
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    async write(name: string, content: string | Uint8Array): Promise<string> {
      await mkdir(dirname(join(work, name)), { recursive: true });
      await writeFile(join(work, name), content);
      return name;
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}
