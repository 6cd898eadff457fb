import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fetchBytes, openTestClient } from "../../../test/http-client.ts";
import { startServer } from "../../../test/server.ts";
import type { Settings } from "../../config/settings.ts";
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

  test("reach only that host, and no longer after a redirect through another site", async () => {
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
    assert.deepEqual(received, ["wiki sid=s1d", "away undefined", "wiki undefined"]);
  });

  describe("when a redirect from another site leads to it", () => {
    /** A wiki that needs the cookie for some pages, and a site that redirects to any of its pages. */
    async function startSites(more: Partial<Settings> = {}) {
      const received: string[] = [];
      const wiki = await startServer((request, response) => {
        received.push(`${request.url} ${request.headers.cookie}`);
        if (request.url === "/robots.txt") return void response.writeHead(404).end();
        if (request.url === "/moved") return void response.writeHead(302, { location: "/page" }).end();
        if (request.url === "/secret") return void response.writeHead(401).end();
        if (request.url === "/page.md") return void response.setHeader("content-type", "text/markdown").end("# md");
        response.setHeader("content-type", "text/html");
        response.end('<link rel="alternate" type="text/markdown" href="/page.md"><p>page');
      });
      const away = await startServer(
        ({ url = "" }, response) => void response.writeHead(302, { location: `${wiki.origin}${url}` }).end(),
      );
      const settings = { "network.headers": { [wiki.allow]: { Cookie: "sid=$SID" } }, ...more };
      const client = openTestClient([wiki, away], { settings, env });
      return { received, wiki, away, client };
    }

    test("are not sent there, nor on its own redirects, nor for its Markdown form", async () => {
      const { received, wiki, away, client } = await startSites();
      await using _wiki = wiki;
      await using _away = away;
      await using _client = client;
      const fetched = await fetchBytes(client, `${away.origin}/moved`);
      assert.equal(fetched.text, "# md");
      assert.equal(fetched.response.isDirect, false);
      assert.deepEqual(received, ["/moved undefined", "/page undefined", "/page.md undefined"]);
      assert.match(
        fetched.response.notes.join(" "),
        /network\.headers of 127\.0\.0\.1:\d+ were not sent, because a redirect from another site led there\. Read as/,
      );
    });

    test("are not sent for its robots.txt either", async () => {
      const { received, wiki, away, client } = await startSites({ "network.robots": "on" });
      await using _wiki = wiki;
      await using _away = away;
      await using _client = client;
      await fetchBytes(client, `${away.origin}/page`);
      const robots = "/robots.txt undefined"; // Asked for by both sites: the other one redirects to this one.
      assert.deepEqual(received, [robots, robots, "/page undefined", "/page.md undefined"]);
    });

    test("are sent when its own pages redirect to each other", async () => {
      const { received, wiki, away, client } = await startSites();
      await using _wiki = wiki;
      await using _away = away;
      await using _client = client;
      const fetched = await fetchBytes(client, `${wiki.origin}/moved`);
      assert.equal(fetched.response.isDirect, true);
      assert.deepEqual(received, ["/moved sid=s1d", "/page sid=s1d", "/page.md sid=s1d"]);
    });

    test("the error for a page that needs them says why, and names no address that the other site chose", async () => {
      const { wiki, away, client } = await startSites();
      await using _wiki = wiki;
      await using _away = away;
      await using _client = client;
      await assert.rejects(fetchBytes(client, `${away.origin}/secret`), {
        code: "http_status",
        hint: /redirect from another site led there\.$/,
      });
    });
  });
});
