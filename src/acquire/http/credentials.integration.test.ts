import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fetchBytes, openTestClient } from "../../../test/http-client.ts";
import { startServer } from "../../../test/server.ts";
import { makeCredentials } from "./credentials.ts";

const env = { TOKEN: "t0ken", SID: "s1d" };

describe("headers for a host", () => {
  for (const { host, url, isSent } of [
    { host: "wiki.example.com", url: "https://wiki.example.com/a", isSent: true },
    { host: "wiki.example.com", url: "https://WIKI.example.com.:8443/a", isSent: true },
    { host: "wiki.example.com", url: "http://wiki.example.com/a", isSent: false },
    { host: "http://wiki.example.com", url: "http://wiki.example.com/a", isSent: true },
    { host: "http://wiki.example.com", url: "https://wiki.example.com/a", isSent: false },
    { host: "wiki.example.com:8443", url: "https://wiki.example.com:8443/a", isSent: true },
    { host: "wiki.example.com:8443", url: "https://wiki.example.com/a", isSent: false },
    { host: "wiki.example.com:443", url: "https://wiki.example.com/a", isSent: true },
    { host: "wiki.example.com", url: "https://evil.wiki.example.com/a", isSent: false },
    { host: "wiki.example.com", url: "https://wiki.example.com.evil.org/a", isSent: false },
    { host: "127.0.0.1:8080", url: "http://127.0.0.1:8080/", isSent: true },
    { host: "[::1]:8080", url: "http://[::1]:8080/", isSent: true },
    { host: "127.evil.com", url: "http://127.evil.com/", isSent: false },
    { host: "::1", url: "http://[::1]:8080/", isSent: true },
  ]) {
    test(`${host} ${isSent ? "reach" : "do not reach"} ${url}`, () => {
      const { headersFor } = makeCredentials({ [host]: { Cookie: "sid=$SID" } }, env);
      assert.deepEqual(headersFor(new URL(url)), isSent ? { cookie: "sid=s1d" } : {});
    });
  }

  test("read their secrets from the environment, and an error names the header that lacks one", () => {
    const headers = {
      "a.example": { A: "x \u0024{TOKEN}y", B: "$TOKEN$SID", C: "5$$ $" },
      "b.example": { D: "$NONE" },
    };
    const { headersFor, fingerprint } = makeCredentials(headers, env);
    assert.deepEqual(headersFor(new URL("https://a.example/")), { a: "x t0keny", b: "t0kens1d", c: "5$ $" });
    assert.throws(
      () => headersFor(new URL("https://b.example/")),
      /The header D for b\.example needs an environment variable/,
    );
    assert.notEqual(fingerprint, makeCredentials(headers, { ...env, TOKEN: "other" }).fingerprint);
    for (const TOKEN of ["x\r\nInjected: y", "snow \u2603"]) {
      const broken = makeCredentials({ "a.example": { A: "$TOKEN" } }, { TOKEN });
      assert.throws(() => broken.headersFor(new URL("https://a.example/")), /line breaks or odd characters/);
    }
  });

  test("reach only that host, also when it redirects elsewhere and back", async () => {
    const received: string[] = [];
    await using away = await startServer((request, response) => {
      received.push(`away ${request.headers.cookie}`);
      response.writeHead(302, { location: `${wiki.origin}/end` }).end();
    });
    await using wiki = await startServer((request, response) => {
      received.push(`wiki ${request.headers.cookie}`);
      if (request.url === "/") response.writeHead(302, { location: away.origin }).end();
      else response.end("page");
    });
    await using client = openTestClient([wiki, away], {
      settings: { "network.headers": { [wiki.allow]: { Cookie: "sid=$SID" } } },
      env,
    });
    assert.equal((await fetchBytes(client, wiki.origin)).text, "page");
    assert.deepEqual(received, ["wiki sid=s1d", "away undefined", "wiki sid=s1d"]);
  });
});
