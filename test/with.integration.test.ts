/** `spillway with`: a client of any kind, through the real command. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { writeRequest } from "./conversations.ts";
import { serveProvider } from "./provider.ts";

const entry = join(import.meta.dirname, "..", "src", "surfaces", "cli", "entry.ts");

/** Runs `spillway with` to its end. */
async function runWith(
  cli: { readonly home: string; readonly work: string },
  args: readonly string[],
  { env = {}, onStart }: { env?: Record<string, string>; onStart?: (pid: number) => void } = {},
) {
  const child = spawn(process.execPath, [entry, "with", ...args], {
    cwd: cli.work,
    env: { ...process.env, SPILLWAY_HOME: cli.home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  let isReady = false;
  child.stdout.on("data", (chunk) => {
    texts.out += chunk;
    if (!isReady && texts.out.includes("ready")) onStart?.(child.pid ?? 0);
    isReady ||= texts.out.includes("ready");
  });
  child.stderr.on("data", (chunk) => {
    texts.err += chunk;
  });
  const [status] = await once(child, "close");
  return { status, ...texts };
}

/** A client that posts a file to the OpenAI address it is given, and prints what it gets. */
const clientScript = `
import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
const response = await fetch(process.env.MY_BASE + "/chat/completions", {
  method: "POST", headers: { authorization: "Bearer k" }, body: readFileSync(process.argv[2], "utf8"),
});
console.log(response.status, response.headers.get("x-spillway"), (await response.text()).includes("done"));
console.log(execFileSync("spillway", ["artifacts", "ls", "--json"], { encoding: "utf8" }).includes("af_"));
process.exitCode = 7;
`;

describe("spillway with", () => {
  test("recovers an overflow of any program, passes its status, and says what was saved", async () => {
    await using cli = await openCli();
    await using provider = await serveProvider({ windowTokens: 3_000 });
    const text = "the gate at weir seven opened to 41 percent\n".repeat(900);
    const turns = [
      { user: "Look.", rounds: [[{ tool: "shell", result: { text, form: "text" as const } }]], answer: "Seen." },
      { user: "And now?", rounds: [] },
    ];
    const request = writeRequest("openai-chat", { system: "You watch dams.", turns, outputTokens: 100 });
    await writeFile(join(cli.work, "request.json"), JSON.stringify(request));
    await writeFile(join(cli.work, "client.mjs"), clientScript);
    const env = { OPENAI_BASE_URL: `${provider.url}/v1` };
    const args = ["--openai-env", "MY_BASE", process.execPath, "client.mjs", "request.json"];
    const { status, out, err } = await runWith(cli, args, { env });
    assert.deepEqual([status, out], [7, "200 recovered; stubs=1 true\ntrue\n"], err);
    assert.match(err, /^spillway: 1 request recovered, about [\d,]+ tokens kept out of the context\.\n$/);
    const quiet = await runWith(cli, ["--quiet", ...args], { env });
    assert.deepEqual([quiet.status, quiet.err], [7, ""]);
    assert.equal(provider.exchanges.length, 3, "the second run sends the smaller request at once");
  });

  test("passes arguments, signals and the end by a signal through", {
    skip: process.platform === "win32",
  }, async () => {
    await using cli = await openCli();
    const script = 'echo "$@"; trap "echo caught; exit 5" TERM; echo ready; while :; do sleep 0.05; done';
    const args = ["--openai-env", "X", "sh", "-c", script, "sh", "--model", "m", "--quiet"];
    const onStart = (pid: number) => void process.kill(pid, "SIGTERM");
    const caught = await runWith(cli, args, { onStart });
    assert.deepEqual([caught.status, caught.out], [5, "--model m --quiet\nready\ncaught\n"]);
    const killed = await runWith(cli, ["--openai-env", "X", "sh", "-c", "kill -KILL $$"]);
    assert.equal(killed.status, 128 + 9);
  });

  test("leaves no temporary files behind", async () => {
    await using cli = await openCli();
    const before = await readdir(tmpdir());
    await runWith(cli, ["--openai-env", "X", process.execPath, "-e", "0"]);
    const left = (await readdir(tmpdir())).filter(
      (name) => name.startsWith("spillway-with-") && !before.includes(name),
    );
    assert.deepEqual(left, []);
  });

  for (const [args, sentence] of [
    [[], /No client was named/],
    [["cluade"], /"cluade" is not a client.*\n.*Did you mean claude\?/],
    [["--openai-env", "1X", "sh"], /"1X" is not the name of an environment variable/],
    [["--openai-env", "X", "no-such-program"], /"no-such-program" was not found/],
    [["--opnai-env", "X", "sh"], /with has no option --opnai-env/],
  ] as const) {
    test(`refuses ${args.join(" ") || "nothing"} with a hint`, async () => {
      await using cli = await openCli();
      const { status, err } = await runWith(cli, args);
      assert.equal(status, 2, err);
      assert.match(err, sentence);
    });
  }
});
