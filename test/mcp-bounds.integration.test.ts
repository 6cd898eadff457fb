/** What a bad or slow client can do to the MCP server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { openMcp } from "./mcp.ts";

type Reply = { readonly id?: number; readonly error?: { readonly code: number; readonly message: string } };

describe("a client that never reads", () => {
  for (const [method, params] of [
    ["tools/call", { name: "fetch_content", arguments: { url: "a.txt" } }],
    ["tools/list", {}],
  ] as const) {
    test(`10,000 times ${method}: memory and open files are bounded, and the server ends with its input`, async () => {
      await using mcp = await openMcp();
      await mcp.write("a.txt", "Water level and weir.\n".repeat(1_000));
      const child = mcp.start();
      const errors: string[] = [];
      child.stderr.setEncoding("utf8").on("data", (text: string) => void errors.push(text));
      const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const clientInfo = { name: "some-client", version: "1" };
      send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
      await once(child.stdout, "readable");
      const before = await measure(child.pid);
      for (let id = 2; id < 10_002; id++) send({ id, method, params });
      if (child.stdin.writableNeedDrain) await once(child.stdin, "drain");
      const after = await measure(child.pid);
      assert.ok(after.rssMb - before.rssMb < 200, `${before.rssMb} to ${after.rssMb} MB`);
      assert.ok(after.openFiles - before.openFiles < 150, `${before.openFiles} to ${after.openFiles} open files`);
      child.stdin.end();
      assert.deepEqual(await once(child, "exit"), [0, null]);
      if (!child.stderr.readableEnded) await once(child.stderr, "end");
      assert.match(errors.join(""), /the client stopped reading; its last replies are dropped/);
    });
  }
});

test("40 callers of a slow reader cause no warnings, and each gets its reply", async () => {
  await using mcp = await openMcp();
  await mcp.write("a.txt", "Water level and weir.\n".repeat(1_000));
  const server = mcp.lines();
  await server.open();
  server.child.stdout.pause();
  const calls = Array.from({ length: 40 }, () =>
    server.request("tools/call", { name: "fetch_content", arguments: { url: "a.txt" } }),
  );
  const { openFiles } = await measure(server.child.pid);
  assert.ok(openFiles > 0);
  server.child.stdout.resume();
  for (const reply of await Promise.all(calls)) assert.ok("result" in reply);
  server.child.stdin.end();
  assert.deepEqual(await server.exited, [0, null]);
  assert.equal(server.stderr(), "");
});

describe("a request with wrong parameters", () => {
  const cases = [
    { method: "initialize", params: {} },
    { method: "initialize", params: { protocolVersion: 5 } },
    { method: "initialize", params: [] },
    { method: "tools/call", params: {} },
    { method: "tools/call", params: { name: 5 } },
    { method: "tools/call", params: { name: "web_fetch", _meta: 5 } },
    { method: "tools/list", params: { cursor: 5 } },
    { method: "resources/read", params: {} },
    { method: "resources/read", params: { uri: 5 } },
    { method: "logging/setLevel", params: { level: "loud" } },
  ];

  test("without a method, or with a fraction as its id, is answered", async () => {
    await using mcp = await openMcp();
    const client = mcp.lines();
    await client.open();
    for (const message of [{ id: 31 }, { id: 31.5, method: "ping" }, { id: "x", params: {} }]) {
      const answer = client.next(({ id }) => id === message.id);
      client.send(message);
      assert.equal(((await answer).error as { code?: number }).code, -32600, JSON.stringify(message));
    }
    client.send({ id: 99, result: {} }); // A response is not a request.
    assert.ok("result" in (await client.request("ping")));
    assert.ok(!client.received.some((line) => line.includes('"id":99')));
  });

  test("is an invalid-params error, before and after the handshake", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    for (const { method, params } of cases) {
      const { error } = (await server.request(method, params)) as Reply;
      assert.equal(error?.code, -32602, `${method} ${JSON.stringify(params)}`);
      assert.match(error.message, /^(Invalid params: params|params must|_meta must)[^{}]{5,300}$/);
    }
    assert.ok("result" in (await server.open()));
    for (const { method, params } of cases) {
      assert.equal(((await server.request(method, params)) as Reply).error?.code, -32602, method);
    }
    server.child.stdin.end();
    assert.deepEqual(await server.exited, [0, null]);
  });

  test("of any depth is answered in a sentence", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    await server.open();
    const deep = `${"[".repeat(50_000)}1${"]".repeat(50_000)}`;
    const answer = server.next(({ id }) => id === 99);
    const params = `{"name":"web_fetch","arguments":{"url":${deep}}}`;
    server.child.stdin.write(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":${params}}\n`);
    assert.match(JSON.stringify(await answer), /url must be text, not a list of 1/);
  });
});

async function measure(pid = 0): Promise<{ readonly rssMb: number; readonly openFiles: number }> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return { rssMb: Number(kilobytes) / 1_024, openFiles: (await readdir(`/proc/${pid}/fd`)).length };
}
