/** What a person sees on a terminal, and what a script does not: progress and colours. `script` makes the terminal. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { startServer } from "./server.ts";

const entry = join(import.meta.dirname, "..", "src", "surfaces", "cli", "entry.ts");
const canTest = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const MIB = 1024 * 1024;

type Cli = Awaited<ReturnType<typeof openCli>>;

/** Runs a command on a terminal of its own, and without one. Both streams of a terminal arrive as one. */
async function runTwice(cli: Cli, args: readonly string[], more: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? "", HOME: cli.userHome, SPILLWAY_HOME: cli.home, TERM: "xterm", ...more };
  const words = [process.execPath, entry, ...args].map((word) => `'${word}'`).join(" ");
  const run = async (command: string, given: readonly string[]) => {
    const child = spawn(command, given, { cwd: cli.work, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        text += chunk;
      });
    await once(child, "close");
    return text;
  };
  return {
    onTerminal: await run("script", ["-qec", words, "/dev/null"]),
    inScript: await run(process.execPath, [entry, ...args]),
  };
}

/** The control sequence before each state of the progress line. */
const CLEAR_LINE = "\r\x1b[2K";

describe("a terminal", { skip: !canTest && "there is no script command" }, () => {
  test("a long download is shown while it lasts, on terminals only", async () => {
    await using cli = await openCli();
    await using server = await startServer((_, response) => {
      const body = Buffer.alloc(5 * MIB, "a line of text\n");
      response.writeHead(200, { "content-type": "text/plain", "content-length": body.length }).end(body);
    });
    const allow = { SPILLWAY_NETWORK_ALLOW: server.allow };
    const args = ["fetch", `${server.origin}/a.txt`, "--max-chars", "100", "--no-cache"];
    const { onTerminal, inScript } = await runTwice(cli, args, allow);
    assert.match(onTerminal, /\r\x1b\[2Kdownloading: [\d.]+ MB of 5\.2 MB/);
    assert.match(onTerminal, /\r\x1b\[2K\[Fetched text artifact/, "the line is removed before the answer");
    assert.ok(!inScript.includes("downloading") && !inScript.includes("\x1b"), inScript.slice(0, 500));
  });

  test("indexing shows its files, on terminals only", async () => {
    await using cli = await openCli();
    await mkdir(join(cli.work, "code"));
    const file = "export const level = 1;\n".repeat(200);
    for (let number = 0; number < 300; number++) await writeFile(join(cli.work, "code", `${number}.ts`), file);
    const { onTerminal, inScript } = await runTwice(cli, ["index", "code", "--force"]);
    assert.match(onTerminal, /\r\x1b\[2K\[=* *\] \d+ of \d+ files/);
    assert.ok(!inScript.includes("\x1b"), inScript);
  });

  test("a migration shows what it has copied", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "kept");
    await cli.run(["fetch", "a.txt"]);
    await cli.write("other.jsonc", JSON.stringify({ home: join(cli.userHome, "other") }));
    const { onTerminal, inScript } = await runTwice(cli, ["store", "migrate", "--to", "other.jsonc"]);
    assert.ok(onTerminal.includes(CLEAR_LINE), JSON.stringify(onTerminal));
    assert.match(onTerminal, /1 blob copied and compared/);
    assert.ok(!inScript.includes("\x1b"), inScript);
  });

  test("a sweep shows what it has deleted", async () => {
    await using cli = await openCli();
    const { onTerminal, inScript } = await runTwice(cli, ["artifacts", "sweep"]);
    assert.match(onTerminal, /\r\x1b\[2K0 blobs deleted/);
    assert.ok(!inScript.includes("\x1b"), inScript);
  });

  test("matches are coloured on a terminal, and not with NO_COLOR", async () => {
    await using cli = await openCli();
    await cli.write("gate.ts", "export function openGate() {}\n");
    const args = ["search", "openGate"];
    const { onTerminal, inScript } = await runTwice(cli, args);
    assert.match(onTerminal, /\x1b\[\d+(?:;\d+)*m/);
    assert.ok(!inScript.includes("\x1b["), inScript);
    const { onTerminal: plain } = await runTwice(cli, args, { NO_COLOR: "1" });
    assert.doesNotMatch(plain, /\x1b\[\d+(?:;\d+)*m/);
  });
});
