import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { startRawServer, startServer } from "../../../../test/server.ts";
import { makeGuard } from "../guard/address-guard.ts";
import { systemDialler } from "./guarded-connect.ts";
import { openGuardedProxy } from "./guarded-proxy.ts";

async function open(allow: readonly string[]) {
  const dialled: string[] = [];
  const dialler = {
    resolve: async (host: string) => (host === "inside.example" ? ["10.0.0.1"] : ["127.0.0.1"]),
    dial: (address: string, port: number, timeoutMs: number) => {
      dialled.push(address);
      assert.equal(address, "127.0.0.1");
      return systemDialler.dial(address, port, timeoutMs);
    },
  };
  const proxy = await openGuardedProxy({
    maxBytes: 64 * 1024,
    guard: makeGuard({ allow: [...allow], deny: [] }),
    dialler,
    timeoutMs: 5_000,
  });
  return { ...proxy, dialled };
}

/** The status of a tunnel's answer, and what comes through it. */
async function tunnel(proxyUrl: string, target: string, isKnown = true): Promise<string> {
  const { hostname, port, username, password } = new URL(proxyUrl);
  const socket = connect(Number(port), hostname);
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  socket.write(`CONNECT ${target} HTTP/1.1\r\n${isKnown ? `Proxy-Authorization: Basic ${credentials}\r\n` : ""}\r\n`);
  let received = "";
  socket.on("data", (chunk) => {
    if (received === "" && String(chunk).includes(" 200 ")) socket.write("GET /a HTTP/1.0\r\n\r\n");
    received += chunk;
  });
  await once(socket, "close");
  return received;
}

describe("the proxy for programs that dial by themselves", () => {
  test("passes what the guard allows, by tunnel and by request", async () => {
    await using server = await startServer((_, response) => void response.end("from the server"));
    await using proxy = await open([server.allow]);
    assert.match(await tunnel(proxy.url, `127.0.0.1:${server.port}`), /^HTTP\/1\.1 200 [\s\S]*from the server$/);
    const { hostname, port, username, password } = new URL(proxy.url);
    const call = request({ hostname, port, path: `${server.origin}/b?c=1`, auth: undefined });
    call.setHeader("proxy-authorization", `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
    call.end();
    const [response] = await once(call, "response");
    assert.equal(response.statusCode, 200);
    response.resume();
    assert.equal(server.requests.at(-1)?.url, "/b?c=1");
    assert.equal(server.requests.at(-1)?.headers["proxy-authorization"], undefined);
  });

  test("closes every connection once more was sent than is allowed", async () => {
    await using server = await startServer((_, response) => void response.end(Buffer.alloc(1024 * 1024)));
    await using proxy = await open([server.allow]);
    const received = await tunnel(proxy.url, `127.0.0.1:${server.port}`);
    assert.ok(received.length < 512 * 1024, `${received.length} of a megabyte`);
    assert.equal(proxy.isOverLimit(), true);
  });

  test("survives answers that cannot be sent on", async () => {
    for (const head of [
      "HTTP/1.1 001 OK\r\n",
      "HTTP/1.1 099 Odd\r\n",
      "HTTP/1.1 200 OK\r\ntrailer: x\r\ncontent-length: 1\r\n",
      "",
    ]) {
      await using server = await startRawServer((socket) => void socket.end(`${head}\r\nx`));
      await using proxy = await open([server.allow]);
      const { hostname, port, username, password } = new URL(proxy.url);
      const call = request({ hostname, port, path: `${server.origin}/b` });
      call.setHeader("proxy-authorization", `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
      call.end();
      const ended = Promise.race([once(call, "response").then(([answer]) => answer.resume()), once(call, "close")]);
      await ended.catch(() => undefined);
      call.destroy();
    }
  });

  test("refuses addresses that the guard refuses, and says which", async () => {
    await using proxy = await open([]);
    for (const target of ["127.0.0.1:80", "inside.example:443", "169.254.169.254:80"])
      assert.match(await tunnel(proxy.url, target), /^HTTP\/1\.1 403 /);
    assert.deepEqual(proxy.dialled, []);
    assert.equal(proxy.refusal()?.code, "network_refused");
  });

  test("refuses programs that do not know its password", async () => {
    await using server = await startServer((_, response) => void response.end("from the server"));
    await using proxy = await open([server.allow]);
    assert.match(await tunnel(proxy.url, `127.0.0.1:${server.port}`, false), /^HTTP\/1\.1 407 /);
    assert.equal(server.requests.length, 0);
  });
});
