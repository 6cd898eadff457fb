/** No site, answer or clone leads to an address that the guard refuses: every dial is recorded, and none is made. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openHttpClient } from "../src/acquire/http/lazy-client.ts";
import { systemDialler } from "../src/acquire/http/transport/guarded-connect.ts";
import type { Settings } from "../src/config/settings.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { startServer } from "./server.ts";
import { openTools } from "./tools.ts";

/** A page of every site that is read through its API. */
const pages = {
  github: "https://github.com/delta/weir",
  gitlab: "https://gitlab.com/delta/weir",
  codeberg: "https://codeberg.org/delta/weir",
  gitea: "https://gitea.com/delta/weir",
  bitbucket: "https://bitbucket.org/delta/weir",
  npm: "https://www.npmjs.com/package/weir",
  pypi: "https://pypi.org/project/weir/",
  crates: "https://crates.io/crates/weir",
  arxiv: "https://arxiv.org/abs/2601.00001",
  stackexchange: "https://stackoverflow.com/questions/1/x",
  hackernews: "https://news.ycombinator.com/item?id=1",
  reddit: "https://www.reddit.com/r/x/comments/ab1/x/",
} as const;
const env = { PATH: process.env.PATH };
const codeHosts = ["github", "gitlab", "codeberg", "gitea", "bitbucket"] as const;

/** Every name leads to a private address. Only connections to this machine are made; all are recorded. */
function openRecording(settings: Settings) {
  const dialled: string[] = [];
  const dialler = {
    resolve: async () => ["10.0.0.1"],
    dial: (address: string, port: number, timeoutMs: number) => {
      dialled.push(address);
      if (address !== "127.0.0.1") throw new Error("nothing else may be dialled");
      return systemDialler.dial(address, port, timeoutMs);
    },
  };
  return { network: openHttpClient({ settings, env: {}, dialler }), dialled };
}

describe("the guard", () => {
  test("refuses the API and the page of every site at a private address", async () => {
    await using tools = await openTools({ "network.tries": 1 });
    for (const [site, url] of Object.entries(pages)) {
      const { network, dialled } = openRecording(tools.session.settings);
      const { text, isError } = await tools.call("fetch_content", { url }, { network, env: {} });
      await network[Symbol.asyncDispose]();
      assert.deepEqual([isError, dialled], [true, []], `${site}: ${text}`);
      assert.match(text, /private|not allowed|refused/i);
    }
  });

  test("refuses the redirects of every API to a private address", async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(302, { location: "http://inside.example/secret" }).end();
    });
    for (const [site, url] of Object.entries(pages)) {
      await using tools = await openTools({
        "network.tries": 1,
        "network.allow": [server.allow],
        "sites.addresses": [`${site}=${server.origin}`],
      });
      const { network, dialled } = openRecording(tools.session.settings);
      const asked = server.requests.length;
      const { isError } = await tools.call("fetch_content", { url }, { network, env: {} });
      await network[Symbol.asyncDispose]();
      assert.equal(isError, true, site);
      assert.ok(server.requests.length > asked, `${site}: the API was asked`);
      assert.deepEqual([...new Set(dialled)], ["127.0.0.1"], site);
    }
  });

  test("refuses clones of every code host at a private address, and what git dials", async () => {
    await using tools = await openTools({ "network.tries": 1 });
    await using folder = await makeTemporaryFolder();
    for (const site of codeHosts) {
      const { network, dialled } = openRecording(tools.session.settings);
      const input = { url: pages[site], forceClone: true };
      const { text, isError } = await tools.call("fetch_content", input, { network, env, cloneFolder: folder.path });
      await network[Symbol.asyncDispose]();
      assert.deepEqual([isError, dialled], [true, []], `${site}: ${text}`);
      assert.match(text, /private|not allowed|refused/i);
    }
  });

  test("refuses the redirect of a clone to a private address", async () => {
    await using server = await startServer(({ url }, response) => {
      response.writeHead(302, { location: `http://inside.example${url}` }).end();
    });
    await using tools = await openTools({ "network.tries": 1, "network.allow": [server.allow] });
    await using folder = await makeTemporaryFolder();
    const { network, dialled } = openRecording(tools.session.settings);
    const input = { url: `${server.origin}/delta/weir`, forceClone: true };
    const { text, isError } = await tools.call("fetch_content", input, { network, env, cloneFolder: folder.path });
    await network[Symbol.asyncDispose]();
    assert.equal(isError, true, text);
    assert.deepEqual([...new Set(dialled)], ["127.0.0.1"]);
    assert.match(text, /inside\.example/);
  });
});
