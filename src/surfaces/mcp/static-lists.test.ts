/** What a client lists: how long it may keep a list, and which resources it is offered. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openServed } from "../../../test/served-mcp.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "claude-code", version: "2" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("a list", () => {
  for (const method of ["server/discover", "tools/list", "resources/templates/list"]) {
    test(`of ${method} may be kept for an hour, by this client only`, async () => {
      await using served = await openServed();
      const { ttlMs, cacheScope } = await served.request<{ ttlMs: number; cacheScope: string }>(method, {
        _meta: meta,
      });
      assert.deepEqual([ttlMs, cacheScope], [3_600_000, "private"]);
    });
  }

  test("of resources may not be kept: each fetch adds one", async () => {
    await using served = await openServed();
    const { ttlMs } = await served.request<{ ttlMs: number }>("resources/list", { _meta: meta });
    assert.equal(ttlMs, 0);
  });

  test("has no resources for a client that makes tools of them; they can still be read", async () => {
    for (const { name, uris } of [
      { name: "pi-mcp-adapter", uris: [] },
      { name: "claude-code", uris: ["health://status", "metrics://prometheus"] },
    ]) {
      await using served = await openServed();
      await served.open(name);
      const { resources } = await served.request<{ resources: { uri: string }[] }>("resources/list");
      assert.deepEqual(
        resources.map(({ uri }) => uri),
        uris,
      );
      const { contents } = await served.request<{ contents: { text: string }[] }>("resources/read", {
        uri: "health://status",
      });
      assert.match(contents[0]?.text ?? "", /"status": "ok"/);
    }
  });
});
