/** Starts `spillway serve` and connects a client to it by the line that it prints for this client. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { findClient } from "../../src/surfaces/clients/find-clients.ts";

type Connection = {
  /** Its name for `spillway install`. */
  readonly id: string;
  /** The client's program. */
  readonly program: string;
  /** Our built program. */
  readonly entry: string;
  readonly home: string;
  /** The folder with the files that the model asks for. */
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
};

type Step = { readonly command: string; readonly status: number | null; readonly output: string };

export async function connectOverHttp(connection: Connection): Promise<AsyncDisposable & { readonly steps: Step[] }> {
  const { id, program, entry, work, env } = connection;
  const child = spawn(process.execPath, [entry, "serve", "--set", "serve.port=0", "--files", work], { cwd: work, env });
  const label = `${findClient(id).title}:`;
  let line = "";
  for await (const text of createInterface({ input: child.stderr })) {
    line = text.startsWith(label) ? text.slice(label.length).trim() : line;
    if (line !== "") break;
  }
  const steps = line.startsWith("claude ") ? [runLine(program, line, connection)] : [await writeLine(line, connection)];
  return {
    steps,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** A line for a shell, whose first word is the client's program. */
function runLine(program: string, line: string, { work, env }: Connection): Step {
  const command = line.replace(/^claude /, `'${program}' `);
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: work, env, encoding: "utf8" });
  return { command, status, output: stdout + stderr };
}

/** A line for the client's config: TOML goes to the top, YAML to the end, JSON is joined with what is there. */
async function writeLine(line: string, { id, home, work, env }: Connection): Promise<Step> {
  const { format, userFiles } = findClient(id);
  const [file = ""] = userFiles({ env, platform: process.platform, home, cwd: work });
  const present = await readFile(file, "utf8").catch(() => "");
  const joins: Readonly<Record<string, () => string>> = {
    TOML: () => `${line}\n${present}`,
    YAML: () => `${present}\n${line}\n`,
    JSON: () => JSON.stringify({ ...JSON.parse(present || "{}"), ...JSON.parse(line) }),
  };
  const joined = (joins[format] ?? joins.JSON ?? assert.fail(format))();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, joined);
  return { command: line, status: 0, output: "" };
}
