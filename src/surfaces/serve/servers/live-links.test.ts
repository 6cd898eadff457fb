import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { createLiveLinks, type LiveLink } from "./live-links.ts";

/** Links whose ends are noted. */
function openLinks(limits: { readonly servers?: number; readonly serversPerOwner?: number } = {}) {
  let time = 0;
  const ended: string[] = [];
  const links = createLiveLinks({ servers: 3, serversPerOwner: 2, idleMs: 60_000, now: () => time, ...limits });
  return {
    links,
    ended,
    pass: (ms: number) => {
      time += ms;
    },
    /** Undefined if there is no room. */
    add(name: string, { isBusy = false, servers = 1 } = {}): LiveLink | undefined {
      const [owner = ""] = name.split(" ");
      const end = async () => void ended.push(name);
      const link = { owner, servers, usedAt: time++, isBusy: () => isBusy, end };
      return links.add(link) ? link : undefined;
    },
  };
}

describe("links to wrapped servers", () => {
  test("an owner that has its share gives up its own, the one used longest ago first", async () => {
    const { links, ended, add } = openLinks();
    add("ann 1");
    add("ann 2");
    assert.ok(add("ann 3"));
    assert.deepEqual(ended, ["ann 1"]);
    await links[Symbol.asyncDispose]();
  });

  test("where all are taken, the owner with most gives one up", async () => {
    const { links, ended, add } = openLinks();
    add("bob 1");
    add("ann 1");
    add("ann 2");
    assert.ok(add("eve 1"));
    assert.deepEqual(ended, ["ann 1"]);
    await links[Symbol.asyncDispose]();
  });

  test("what is at work is not ended: there is no room", async () => {
    const { links, ended, add } = openLinks();
    for (const name of ["ann 1", "bob 1", "eve 1"]) add(name, { isBusy: true });
    assert.equal(add("dan 1"), undefined);
    assert.equal(links.servers, 3);
    assert.deepEqual(ended, []);
    await links[Symbol.asyncDispose]();
    assert.equal(ended.length, 3);
  });

  test("more servers than an owner may have are never started", async () => {
    const { links, add } = openLinks();
    assert.equal(add("ann all", { servers: 3 }), undefined);
    assert.equal(links.servers, 0);
    await links[Symbol.asyncDispose]();
  });

  test("an idle link ends after its time, once", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const { links, ended, add, pass } = openLinks();
      const busy = add("ann busy", { isBusy: true }) ?? assert.fail();
      const idle = add("ann idle") ?? assert.fail();
      mock.timers.tick(5_000);
      assert.deepEqual(ended, []);
      pass(61_000);
      mock.timers.tick(5_000);
      assert.deepEqual(ended, ["ann idle"]);
      await links.end(idle);
      assert.deepEqual(ended, ["ann idle"]);
      await links.end(busy);
      await links[Symbol.asyncDispose]();
    } finally {
      mock.timers.reset();
    }
  });
});
