/** `spillway gateway` with a real server process behind it, spoken to as a client does. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "./bodies.ts";

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

/** A gateway in front of a command, as a client of the given name starts it. */
async function openGateway(command: readonly string[] = [process.execPath, server], clientName = "opencode") {
  const folder = await makeTemporaryFolder();
  const child = spawn(process.execPath, [program, "gateway", "--", ...command], {
    env: { ...process.env, SPILLWAY_HOME: folder.path },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let nextId = 1;
  let notes = "";
  child.stderr.on("data", (chunk) => {
    notes += chunk;
  });
  const readLine = async (): Promise<string> => (await lines.next()).value ?? "";
  async function request(method: string, params: object): Promise<Reply> {
    const id = nextId++;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (let line = await readLine(); line !== ""; line = await readLine()) {
      const reply: Reply | undefined = line.startsWith("{") ? JSON.parse(line) : undefined;
      if (reply?.id === id) return reply;
    }
    return {};
  }
  const clientInfo = { name: clientName, version: "1" };
  const hello = () => request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  return {
    child,
    hello,
    request,
    call: (name: string, args: object = {}) => request("tools/call", { name, arguments: args }),
    notes: () => notes,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
      await folder[Symbol.asyncDispose]();
    },
  };
}

const textOf = ({ result }: Reply): string => (result?.content ?? []).map(({ text }) => text).join("\n");

describe("spillway gateway", () => {
  test("lists the server's tools and one of its own, and passes small results", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const { result } = await gateway.request("tools/list", {});
    assert.deepEqual(
      result?.tools?.map(({ name }) => name),
      ["text", "twice", "garbage", "silence", "crash", "read_artifact"],
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

  test("passes an answer that comes twice and a line that is no message, and goes on", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    await gateway.call("twice");
    await gateway.call("garbage");
    assert.match(textOf(await gateway.call("text")), /NEEDLE/);
  });

  test("answers every open call with an error when the server crashes, and exits with 1", async () => {
    await using gateway = await openGateway();
    await gateway.hello();
    const { error } = await gateway.call("crash");
    assert.match(error?.message ?? "", /ended with code 3/);
    const [code] = gateway.child.exitCode === null ? await once(gateway.child, "exit") : [gateway.child.exitCode];
    assert.equal(code, 1);
  });

  test("says so when the command does not exist", async () => {
    await using gateway = await openGateway(["no-such-mcp-server"]);
    const { error } = await gateway.hello();
    assert.match(error?.message ?? gateway.notes(), /could not be started/);
  });

  test("ends the server when its client leaves", async () => {
    const gateway = await openGateway();
    await gateway.hello();
    await gateway[Symbol.asyncDispose]();
    assert.equal(gateway.child.exitCode, 0);
  });
});
