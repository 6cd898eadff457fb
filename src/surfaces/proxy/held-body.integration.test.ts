/** Large requests wait in a file: what arrives upstream, and what remains of the file. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { writeRequest } from "../../../test/conversations.ts";
import { openWatchedSession } from "../../../test/recovery.ts";
import { mountSmallDisk, whyNotMounted } from "../../../test/small-disk.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { openProxy } from "./proxy-server.ts";
import { parseUpstreams } from "./upstreams.ts";

const text = "the gate at weir seven opened to 41 percent and the level fell\n";
const conversation = (lines: number) => ({
  system: "You watch dams.",
  turns: [
    {
      user: "Look.",
      rounds: [[{ tool: "shell", result: { text: text.repeat(lines), form: "text" as const } }]],
      answer: "Seen.",
    },
    { user: "And now?", rounds: [] },
  ],
  outputTokens: 200,
});
const large = JSON.stringify(writeRequest("openai-chat", conversation(60_000)));
const refusal = '{"error":{"message":"prompt is too long: 900000 tokens > 100000 maximum"}}';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

async function startProxy(listener: Listener, folders: readonly string[], bodyBytes = 2 ** 26) {
  const server = createServer((request, response) => void listener(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstreams = parseUpstreams([`up=http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const recovery = openRecovery(await openWatchedSession());
  const proxy = await openProxy({ recovery, upstreams, port: 0, allowOrigins: [], bodyBytes, folders });
  return {
    post: (body: string | ReadableStream, signal?: AbortSignal) =>
      fetch(`${proxy.url}/up/v1/chat/completions`, { method: "POST", body, duplex: "half", signal } as RequestInit),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const readAll = async (request: IncomingMessage): Promise<string> =>
  Buffer.concat(await Array.fromAsync<Buffer>(request)).toString("utf8");

/** Accepts what is short, and refuses the rest. */
function createUpstream() {
  const received: string[] = [];
  const listener: Listener = async (request, response) => {
    received.push(await readAll(request));
    if ((received.at(-1)?.length ?? 0) < 500_000) return void response.end('{"choices":[]}');
    response.writeHead(400, { "content-type": "application/json" });
    response.end(refusal);
  };
  return { received, listener };
}

/** The deleted files of a folder that this process still has open. Only Linux tells. */
function openFiles(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((file) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${file}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return []; // The descriptor of the listing itself.
    }
  });
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "held-body-"));
}

/** Without content-length the size is known only at the end. */
const inPieces = (body: string): ReadableStream =>
  ReadableStream.from(body.match(/[\s\S]{1,100000}/g)?.map((piece) => Buffer.from(piece)) ?? []);

describe("a request of several megabytes", () => {
  for (const [how, toBody] of [
    ["with its length", (body: string) => body],
    ["in chunks of unknown number", inPieces],
  ] as const) {
    test(`${how} is sent on byte for byte, recovered, and leaves no file`, async () => {
      const folder = makeFolder();
      const { received, listener } = createUpstream();
      {
        await using proxy = await startProxy(listener, [join(folder, "not-there-yet")]);
        const response = await proxy.post(toBody(large));
        assert.deepEqual([response.status, response.headers.get("x-spillway")], [200, "recovered; stubs=1"]);
        await response.text();
        assert.equal(received[0], large);
        assert.ok((received[1]?.length ?? Infinity) < 500_000);
      }
      assert.deepEqual(readdirSync(join(folder, "not-there-yet")), []);
      assert.deepEqual(openFiles(folder), []);
      rmSync(folder, { recursive: true });
    });
  }

  test("is held in memory where no file can be written", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "file"), "");
    const { received, listener } = createUpstream();
    await using proxy = await startProxy(listener, [join(folder, "file", "below")]);
    assert.equal((await proxy.post(large)).status, 200);
    assert.equal(received[0], large);
    rmSync(folder, { recursive: true });
  });

  test("continues in memory where the disk becomes full", { skip: whyNotMounted() }, async () => {
    using disk = mountSmallDisk(1_500_000);
    const { received, listener } = createUpstream();
    await using proxy = await startProxy(listener, [disk.path]);
    assert.equal((await proxy.post(large)).status, 200);
    assert.equal(received[0], large);
  });

  test("over the limit is streamed whole, and its refusal says why", async () => {
    const folder = makeFolder();
    const { received, listener } = createUpstream();
    await using proxy = await startProxy(listener, [folder], 2_000_000);
    const response = await proxy.post(inPieces(large));
    assert.equal(received[0], large);
    assert.match(await response.text(), /"reason":"not_read"/);
    assert.deepEqual([response.status, openFiles(folder)], [400, []]);
    rmSync(folder, { recursive: true });
  });

  test("that is refused before it was read is recovered too", async () => {
    const folder = makeFolder();
    let calls = 0;
    const listener: Listener = async (request, response) => {
      if (++calls > 1) {
        await readAll(request);
        return void response.end('{"choices":[]}');
      }
      response.writeHead(413, { "content-type": "application/json", connection: "close" });
      response.end('{"error":{"message":"request body too large, the limit is 1000000 bytes"}}');
    };
    {
      await using proxy = await startProxy(listener, [folder]);
      assert.equal((await proxy.post(large)).status, 200);
    }
    assert.deepEqual([calls, openFiles(folder)], [2, []]);
    rmSync(folder, { recursive: true });
  });

  test("whose client leaves before the answer is let go", async () => {
    const folder = makeFolder();
    const arrived = Promise.withResolvers<IncomingMessage>();
    const stop = new AbortController();
    {
      await using proxy = await startProxy(
        async (request) => {
          await readAll(request);
          arrived.resolve(request);
        },
        [folder],
      );
      const posted = assert.rejects(proxy.post(large, stop.signal));
      const request = await arrived.promise;
      if (process.platform === "linux") assert.equal(openFiles(folder).length, 1);
      stop.abort();
      await Promise.all([posted, once(request.socket, "close")]);
    }
    assert.deepEqual([readdirSync(folder), openFiles(folder)], [[], []]);
    rmSync(folder, { recursive: true });
  });
});
