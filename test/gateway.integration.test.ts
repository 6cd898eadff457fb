/** `spillway gateway` with a real server process behind it, spoken to as a client does. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "./bodies.ts";
import { waitUntil } from "./waiting.ts";

const program = join(import.meta.dirname, "../src/surfaces/cli/process.ts");
const server = join(import.meta.dirname, "flooding-server.ts");

type Reply = {
  readonly id?: number;
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly tools?: readonly { name: string }[];
  };
  readonly error?: { readonly message: string };
};

type GatewayOptions = {
  readonly command?: readonly string[];
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly clientName?: string;
};

/** A gateway in front of a command, as a client of the given name starts it. */
async function openGateway(given: GatewayOptions = {}) {
  const { command = [process.execPath, server], options = [], env = {}, clientName = "opencode" } = given;
  const folder = await makeTemporaryFolder();
  const child = spawn(process.execPath, [program, "gateway", ...options, "--", ...command], {
    env: { ...process.env, SPILLWAY_HOME: folder.path, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let nextId = 1;
  let notes = "";
  child.stderr.on("data", (chunk) => {
    notes += chunk;
  });
  const readLine = async (): Promise<string> => (await lines.next()).value ?? "";
  function send(method: string, params: object): number {
    const id = nextId++;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return id;
  }
  async function wait(id: number): Promise<Reply> {
    for (let line = await readLine(); line !== ""; line = await readLine()) {
      const reply: Reply | undefined = line.startsWith("{") ? JSON.parse(line) : undefined;
      if (reply?.id === id) return reply;
    }
    return {};
  }
  const request = (method: string, params: object): Promise<Reply> => wait(send(method, params));
  const clientInfo = { name: clientName, version: "1" };
  const hello = () => request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  return {
    child,
    hello,
    send,
    wait,
    request,
    call: (name: string, args: object = {}) => request("tools/call", { name, arguments: args }),
    notes: () => notes,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Whether a process runs; one that has ended may wait for its parent to take notice. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

const textOf = ({ result }: Reply): string => (result?.content ?? []).map(({ text }) => text).join("\n");

describe("spillway gateway", () => {
  test("lists the server's tools and one of its own, and passes small results", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const { result } = await gateway.request("tools/list", {});
    assert.deepEqual(
      result?.tools?.map(({ name }) => name),
      ["text", "twice", "garbage", "silence", "crash", "pid", "flood", "owner", "env", "read_artifact"],
    );
    assert.match(textOf(await gateway.call("text", { chars: 100 })), /^The quick brown fox[\s\S]*NEEDLE 4711/);
  });

  test("bounds a result of 500 KB for its client, and the fact in its middle is one call away", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const page = textOf(await gateway.call("text", { chars: 250_000 }));
    assert.ok(page.length < 50_000 && !page.includes("NEEDLE"), `${page.length} characters`);
    const artifact_ref = /af_[0-9a-f]{32}/.exec(page)?.[0];
    const found = textOf(await gateway.call("read_artifact", { artifact_ref, query: "NEEDLE" }));
    assert.match(found, /NEEDLE 4711/);
  });

  test("drops a second answer, passes a line that is not a message, and continues", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    await gateway.call("twice");
    await gateway.call("garbage");
    assert.match(textOf(await gateway.call("text")), /NEEDLE/);
  });

  test("answers every open call with an error when the server crashes, and starts it again for the next one", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const { error } = await gateway.call("crash");
    assert.match(error?.message ?? "", /ended with code 3\. It is started again by the next call/);
    assert.match(textOf(await gateway.call("text")), /NEEDLE/);
  });

  test("starts a killed server again, and nothing that was kept is lost", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const page = textOf(await gateway.call("text", { chars: 250_000 }));
    const silent = gateway.send("tools/call", { name: "silence", arguments: {} });
    process.kill(Number(textOf(await gateway.call("pid"))), "SIGKILL");
    assert.match((await gateway.wait(silent)).error?.message ?? "", /was ended by SIGKILL/);
    const artifact_ref = /af_[0-9a-f]{32}/.exec(page)?.[0];
    assert.match(textOf(await gateway.call("read_artifact", { artifact_ref, query: "NEEDLE" })), /NEEDLE 4711/);
    assert.match(textOf(await gateway.call("text")), /NEEDLE/);
  });

  test("leaves no server behind when it is killed", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const pid = Number(textOf(await gateway.call("pid")));
    gateway.child.kill("SIGKILL");
    await waitUntil("the server has ended", () => !isAlive(pid));
  });

  test("leaves no server behind that ignores the end of its input and signals, nor what that has started", async () => {
    const script = [
      "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); process.on('SIGHUP', () => {});",
      "process.stdin.on('error', () => {}); process.stdout.on('error', () => {}); setInterval(() => {}, 1000);",
      "const { pid } = require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' });",
      "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {",
      "  const { id } = JSON.parse(line); const text = process.pid + ' ' + pid;",
      "  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));",
      "});",
    ].join("\n");
    for (const end of ["killed", "left"]) {
      await using gateway = await openGateway({ command: [process.execPath, "-e", script] });
      const pids = textOf(await gateway.call("pids"))
        .split(" ")
        .map(Number);
      assert.ok(pids.length === 2 && pids.every(isAlive));
      if (end === "killed") gateway.child.kill("SIGKILL");
      else gateway.child.stdin.end();
      await waitUntil("both have ended", () => !pids.some(isAlive));
    }
  });

  test("ends a call that takes too long, and continues", async () => {
    await using gateway = await openGateway({ env: { SPILLWAY_GATEWAY_CALL_TIMEOUT: "1s" } });
    await gateway.hello();
    const { error } = await gateway.call("silence");
    assert.match(error?.message ?? "", /did not answer within 1 second, and the call was cancelled/);
    assert.match(textOf(await gateway.call("text")), /NEEDLE/);
  });

  test("answers other calls while one hangs, and passes a flood in order", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    gateway.send("tools/call", { name: "silence", arguments: {} });
    assert.equal(textOf(await gateway.call("flood")), "flooded");
    assert.match(textOf(await gateway.call("text")), /NEEDLE/);
  });

  test("passes only the variables that are named, besides the usual ones", async () => {
    await using gateway = await openGateway({ options: ["--env", "WANTED"], env: { WANTED: "1", SECRET_KEY: "2" } });
    await gateway.hello();
    const names = textOf(await gateway.call("env")).split("\n");
    assert.deepEqual(
      ["WANTED", "PATH", "SECRET_KEY", "SPILLWAY_HOME"].map((name) => names.includes(name)),
      [true, true, false, false],
    );
  });

  test("answers while the server does not read", async () => {
    await using gateway = await openGateway({ command: [process.execPath, "-e", "setInterval(() => {}, 1000)"] });
    const params = { name: "t", arguments: { text: "x".repeat(4_000_000) } };
    const calls = Array.from({ length: 8 }, () => gateway.send("tools/call", params));
    const { error } = await gateway.wait(calls.at(-1) ?? 0);
    assert.match(error?.message ?? "", /does not read: .* are waiting/);
  });

  test("shows what the server logs without the codes of a terminal, and without secrets in colours", async () => {
    const key = `sk-${"a1B2".repeat(12)}`;
    const log = `\u001b]0;title\u0007\u001b[2J\u001b[31mready\u001b[0m api_key=${key.slice(0, 20)}\u001b[1m${key.slice(20)}\u0007\n`;
    const script = `process.stderr.write(${JSON.stringify(log)}, () => process.exit(0))`;
    await using gateway = await openGateway({ command: [process.execPath, "-e", script] });
    await gateway.hello();
    while (!gateway.notes().includes("ready")) await once(gateway.child.stderr, "data");
    assert.match(gateway.notes(), /^ready api_key=/m);
    assert.doesNotMatch(gateway.notes(), /[\p{Cc}--[\t\n]]/v);
    assert.ok(!gateway.notes().includes(key.slice(20)), gateway.notes());
  });

  test("says so when the command does not exist", async () => {
    await using gateway = await openGateway({ command: ["no-such-mcp-server"] });
    const { error } = await gateway.hello();
    assert.match(
      error?.message ?? gateway.notes(),
      /"no-such-mcp-server" was not found\. Install it, or write the path/,
    );
    assert.doesNotMatch(gateway.notes(), /Premature close/);
  });

  test("ends the server when its client leaves", async () => {
    const gateway = await openGateway();
    await gateway.hello();
    await gateway[Symbol.asyncDispose]();
    assert.equal(gateway.child.exitCode, 0);
  });
});
