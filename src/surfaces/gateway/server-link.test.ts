import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultSettings } from "../../config/settings.ts";
import { openSession } from "../../session/session.ts";
import { parseMessage } from "./json-rpc.ts";
import { openLink } from "./server-link.ts";
import { openToolPins } from "./tools/tool-pins.ts";
import { makeToolRules } from "./tools/tool-rules.ts";
import { createLineQueue, type Upstream } from "./upstream/upstream.ts";

/** A server that answers every request but `die`, at which it ends. */
function startServer(seen: string[]): Upstream {
  const lines = createLineQueue();
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const end = () => {
    lines.close();
    resolve("The server ended with code 3.");
  };
  return {
    lines,
    ended,
    async write(line) {
      const { id, method } = parseMessage(line)?.json ?? {};
      seen.push(String(method));
      if (method === "die") end();
      else if (id !== undefined) void lines.push(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      return undefined;
    },
    async stop() {
      end();
    },
  };
}

async function openTest(start = startServer) {
  let now = 1_000_000;
  const session = await openSession({ inMemory: true, settings: defaultSettings, env: {} });
  const [toClient, seen, log]: [string[], string[], string[]] = [[], [], []];
  let wake: () => void = () => undefined;
  const link = openLink({
    session: { ...session, now: () => now },
    server: "test",
    rules: makeToolRules({}),
    pins: openToolPins({ folder: null, server: "test", source: "", rule: "show", log: () => undefined }),
    start: () => start(seen),
    async toClient(line) {
      toClient.push(line);
      wake();
    },
    log: (sentence) => log.push(sentence),
  });
  let id = 0;
  async function request(method: string): Promise<{ id: number; error?: { message: string } }> {
    const answered = new Promise<void>((resolve) => {
      wake = resolve;
    });
    id += 1;
    await link.fromClient(JSON.stringify({ jsonrpc: "2.0", id, method, params: {} }));
    await answered;
    return JSON.parse(toClient.at(-1) ?? "");
  }
  return {
    link,
    seen,
    request,
    pass: (ms: number) => {
      now += ms;
    },
    async [Symbol.asyncDispose]() {
      await link.stop();
      await session[Symbol.asyncDispose]();
    },
  };
}

describe("a server that dies", () => {
  test("is started again by the next request, with the handshake that the client made", async () => {
    await using setup = await openTest();
    await setup.request("initialize");
    await setup.link.fromClient('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const { error } = await setup.request("die");
    assert.match(error?.message ?? "", /ended with code 3\. It is started again by the next call/);
    assert.equal((await setup.request("ping")).error, undefined);
    assert.deepEqual(setup.seen.slice(3), ["initialize", "notifications/initialized", "ping"]);
  });

  test("again and again is left alone for longer each time, then given up", async () => {
    await using setup = await openTest();
    await setup.request("initialize");
    const waits: string[] = [];
    for (let death = 1; death <= 4; death++) {
      await setup.request("die");
      const { error } = death === 1 ? {} : await setup.request("ping");
      waits.push(/before (\d+) s/.exec(error?.message ?? "")?.[1] ?? "none");
      setup.pass(60_000);
    }
    assert.deepEqual(waits, ["none", "1", "2", "4"]);
    const { error } = await setup.request("die");
    assert.match(error?.message ?? "", /Check its command/);
    assert.equal(await setup.link.ended, "The server ended with code 3.");
  });

  test("but answered in between is not left alone", async () => {
    await using setup = await openTest();
    for (let death = 0; death < 8; death++) {
      await setup.request("die");
      assert.equal((await setup.request("ping")).error, undefined);
    }
  });

  test("before it has said anything is given up at once", async () => {
    await using setup = await openTest();
    assert.match((await setup.request("die")).error?.message ?? "", /Check its command and its environment/);
    await setup.link.ended;
  });
});

test("a line that is longer than any message ends the server with a sentence", async () => {
  const fail = () => Promise.reject(new Error("a message has more than 67108864 bytes"));
  await using setup = await openTest((seen) => ({
    ...startServer(seen),
    lines: { [Symbol.asyncIterator]: () => ({ next: async () => new Promise(setImmediate).then(fail) }) },
  }));
  assert.match((await setup.request("ping")).error?.message ?? "", /was ended: a message has more than/);
});
