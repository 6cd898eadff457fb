import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { startServer, type TestServer } from "../../test/server.ts";
import { answerText } from "../answer/answer.ts";
import { defaultSettings, type Settings } from "../config/settings.ts";
import { openSession, type SessionOptions } from "../session/session.ts";
import { fetchSource } from "../verbs/fetch.ts";
import { readArtifact } from "../verbs/read.ts";
import { removeArtifact } from "../verbs/sweep.ts";

/** A store that several sessions open, as processes do, with an injected clock. */
async function openPlace(server: TestServer) {
  const folder = await makeTemporaryFolder();
  const clock = { time: Date.UTC(2026, 10, 15) };
  const home = join(folder.path, "home");
  const session = (settings: Partial<Settings> = {}, options: SessionOptions = {}) =>
    openSession({
      env: {},
      now: () => clock.time,
      ...options,
      settings: { ...defaultSettings, home, "network.allow": [server.allow], "network.tries": 1, ...settings },
    });
  async function fetched(path: string, options = {}, settings: Partial<Settings> = {}, more: SessionOptions = {}) {
    await using opened = await session(settings, more);
    return await fetchSource(server.origin + path, options, opened);
  }
  return { clock, home, session, fetched, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const minute = 60_000;
const serveText =
  (body: string, headers = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { "content-type": "text/plain", ...headers }).end(body);

describe("a URL that was fetched before", () => {
  test("is answered from the cache in another process, with a ref that works", async () => {
    await using server = await startServer(serveText("the page"));
    await using place = await openPlace(server);
    const first = await place.fetched("/page?token=s3cret");
    const again = await place.fetched("/page?token=s3cret#part");
    assert.equal(server.requests.length, 1);
    assert.deepEqual([first.fields.cached, again.fields.cached], [false, true]);
    assert.deepEqual([first.fields.status_code, again.fields.status_code], [200, 200]);
    assert.deepEqual([again.content, again.fields.artifact_ref], ["the page", first.fields.artifact_ref]);
    assert.equal(again.fields.source_url, `${server.origin}/page?token=***#part`);
    assert.match(
      answerText(again),
      /Served from the cache, last checked at 2026-11-15T00:00:00\.000Z\. fetch_content with noCache fetches it again; on the command line use --no-cache\./,
    );
    await using session = await place.session();
    assert.equal((await readArtifact(again.fields.artifact_ref ?? "", {}, session)).content, "the page");
  });

  test("is fetched and cached again on noCache", async () => {
    await using server = await startServer((request, response) =>
      serveText(`page ${server.requests.length}`)(request, response),
    );
    await using place = await openPlace(server);
    await place.fetched("/");
    assert.equal((await place.fetched("/", { noCache: true })).content, "page 2");
    assert.equal(server.requests[1]?.headers["cache-control"], "no-cache");
    assert.equal((await place.fetched("/")).content, "page 2");
    assert.equal(server.requests.length, 2);
  });

  test("is revalidated when it is stale, and stays cached when nothing changed", async () => {
    await using server = await startServer((request, response) => {
      const { "if-none-match": etag, "if-modified-since": since } = request.headers;
      if (etag === '"v1"' && since === "Sun, 15 Nov 2026 00:00:00 GMT") response.writeHead(304).end();
      else serveText("v1", { etag: '"v1"', "last-modified": "Sun, 15 Nov 2026 00:00:00 GMT" })(request, response);
    });
    await using place = await openPlace(server);
    const first = await place.fetched("/");
    place.clock.time += 16 * minute;
    const renewed = await place.fetched("/");
    assert.deepEqual([renewed.content, renewed.fields.cached, renewed.fields.status_code], ["v1", true, 200]);
    assert.equal(renewed.fields.artifact_ref, first.fields.artifact_ref);
    await place.fetched("/");
    assert.equal(server.requests.length, 2);
  });

  for (const [says, first, second, requests] of [
    ["has no lifetime, and is revalidated each time", { "cache-control": "max-age=0" }, {}, 3],
    [
      "must be asked about, and may not be stored any more",
      { "cache-control": "no-cache" },
      { "cache-control": "no-store" },
      3,
    ],
    ["lasts no time, then an hour", { "cache-control": "max-age=0" }, { "cache-control": "max-age=3600" }, 2],
  ] as const) {
    test(`is cached by what its server said last: ${says}`, async () => {
      await using server = await startServer((request, response) => {
        if (request.headers["if-none-match"] === '"v1"') response.writeHead(304, second).end();
        else serveText("v1", { etag: '"v1"', ...first })(request, response);
      });
      await using place = await openPlace(server);
      for (let round = 0; round < 3; round++) assert.equal((await place.fetched("/")).content, "v1");
      assert.equal(server.requests.length, requests);
    });
  }

  test("is revalidated with all validators, also when the server repeats only some", async () => {
    await using server = await startServer((request, response) => {
      const lastModified = { "last-modified": "Sun, 15 Nov 2026 00:00:00 GMT" };
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304, lastModified).end();
      else serveText("v1", { etag: '"v1"', "cache-control": "no-cache", ...lastModified })(request, response);
    });
    await using place = await openPlace(server);
    for (let round = 0; round < 3; round++) await place.fetched("/");
    assert.deepEqual(
      server.requests.map(({ headers }) => headers["if-none-match"]),
      [undefined, '"v1"', '"v1"'],
    );
  });

  for (const [what, redirect, requests] of [
    ["may not be stored", { "cache-control": "no-store" }, 4],
    ["is for this time only", {}, 4],
    ["may be stored", { "cache-control": "max-age=600" }, 2],
  ] as const) {
    test(`is cached no longer than the redirect that led to it, which ${what}`, async () => {
      await using server = await startServer((request, response) => {
        if (request.url === "/") response.writeHead(302, { location: "/end", ...redirect }).end();
        else serveText("end")(request, response);
      });
      await using place = await openPlace(server);
      for (let round = 0; round < 2; round++) await place.fetched("/");
      assert.equal(server.requests.length, requests);
    });
  }

  for (const [what, ofPage, ofAlternate, requests] of [
    ["the page may not be stored", { "cache-control": "no-store" }, {}, 4],
    ["the alternate may not", {}, { "cache-control": "no-store" }, 4],
    ["both may", { etag: '"p"' }, { etag: '"m"' }, 2],
  ] as const) {
    test(`in its Markdown form is cached if both allow it: ${what}`, async () => {
      await using server = await startServer((request, response) => {
        if (request.url === "/page.md")
          response.writeHead(200, { "content-type": "text/markdown", ...ofAlternate }).end("# md");
        else {
          const link = '</page.md>; rel="alternate"; type="text/markdown"';
          response.writeHead(200, { "content-type": "text/html", link, ...ofPage }).end("<p>page</p>");
        }
      });
      await using place = await openPlace(server);
      for (let round = 0; round < 2; round++) assert.equal((await place.fetched("/")).content, "# md");
      assert.equal(server.requests.length, requests);
      // The alternate's validators are not the page's: once stale, the page is fetched completely.
      place.clock.time += 16 * minute;
      await place.fetched("/");
      assert.equal(server.requests.at(-2)?.headers["if-none-match"], undefined);
    });
  }

  test("is replaced when it has changed", async () => {
    await using server = await startServer((request, response) => {
      const version = server.requests.length;
      serveText(`v${version}`, { etag: `"v${version}"` })(request, response);
    });
    await using place = await openPlace(server);
    await place.fetched("/");
    place.clock.time += 16 * minute;
    const changed = await place.fetched("/");
    assert.deepEqual([changed.content, changed.fields.cached], ["v2", false]);
    assert.equal((await place.fetched("/")).content, "v2");
  });

  for (const { says, headers, settings, after, requests } of [
    { says: "may not be stored", headers: { "cache-control": "private, no-store" }, after: 0, requests: 2 },
    { says: "differs for everybody", headers: { vary: "*" }, after: 0, requests: 2 },
    { says: "differs for everybody", headers: { vary: "Accept-Encoding, *" }, after: 0, requests: 2 },
    { says: "must be asked about", headers: { "cache-control": "no-cache" }, after: 0, requests: 2 },
    { says: "lasts a minute", headers: { "cache-control": "max-age=60" }, after: 2 * minute, requests: 2 },
    { says: "lasts a minute", headers: { "cache-control": "max-age=60" }, after: 30_000, requests: 1 },
    {
      says: "lasts a day, which is longer than we keep it",
      headers: { "cache-control": "max-age=86400" },
      after: 20 * minute,
      requests: 2,
    },
    { says: "is over already", headers: { expires: "0" }, after: 0, requests: 2 },
    { says: "nothing, and we keep nothing", headers: {}, settings: { "network.cache_ttl": 0 }, after: 0, requests: 2 },
    {
      says: "nothing, and an hour is set",
      headers: {},
      settings: { "network.cache_ttl": 60 * minute },
      after: 59 * minute,
      requests: 1,
    },
  ]) {
    test(`whose server says that it ${says} is requested ${requests} times after ${after / 1000} s`, async () => {
      await using server = await startServer(serveText("page", headers));
      await using place = await openPlace(server);
      await place.fetched("/", {}, settings);
      place.clock.time += after;
      await place.fetched("/", {}, settings);
      assert.equal(server.requests.length, requests);
    });
  }

  test("has separate entries for other forms, owners and credentials", async () => {
    await using server = await startServer((request, response) =>
      serveText(String(request.headers.cookie))(request, response),
    );
    await using place = await openPlace(server);
    const headers = { "network.headers": { [server.allow]: { Cookie: "sid=$SID" } } };
    const contents = [
      await place.fetched("/", {}, headers, { env: { SID: "one" } }),
      await place.fetched("/", {}, headers, { env: { SID: "two" } }),
      await place.fetched("/", {}),
      await place.fetched("/", { mode: "raw" }),
      await place.fetched("/", {}, {}, { owner: "somebody else" }),
      await place.fetched("/", {}, headers, { env: { SID: "one" } }),
    ].map(({ content, fields }) => `${content} ${fields.cached}`);
    const fresh = ["sid=one false", "sid=two false", "undefined false", "undefined false", "undefined false"];
    assert.deepEqual(contents, [...fresh, "sid=one true"]);
  });

  test("is fetched again when its artifact is gone or its entry is damaged", async () => {
    await using server = await startServer(serveText("page"));
    await using place = await openPlace(server);
    await using session = await place.session();
    const { fields } = await fetchSource(server.origin, {}, session);
    await removeArtifact(fields.artifact_ref ?? "", session);
    const again = await fetchSource(server.origin, {}, session);
    assert.deepEqual([again.fields.cached, again.content, server.requests.length], [false, "page", 2]);
    await session.store.catalogue.run("UPDATE cache_entries SET entry = ?", '{"artifact_ref":');
    assert.equal((await fetchSource(server.origin, {}, session)).fields.cached, false);
    assert.equal((await fetchSource(server.origin, {}, session)).fields.cached, true);
  });

  test("is cached correctly by many parallel fetches", async () => {
    await using server = await startServer(serveText("page"));
    await using place = await openPlace(server);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => place.fetched(`/${index % 4}`)));
    assert.ok(answers.every(({ content, fields }) => content === "page" && fields.artifact_ref));
    const before = server.requests.length;
    await Promise.all(Array.from({ length: 20 }, (_, index) => place.fetched(`/${index % 4}`)));
    assert.equal(server.requests.length, before);
  });
});

describe("never cached", () => {
  test("an error of any kind", async () => {
    await using server = await startServer((_, response) => {
      if (server.requests.length === 1) response.writeHead(404).end();
      else serveText("found")(_, response);
    });
    await using place = await openPlace(server);
    await assert.rejects(place.fetched("/"), /^SpillwayError: HTTP 404 Not Found$/);
    assert.equal((await place.fetched("/")).content, "found");
  });

  test("a body that is larger than the cap, or endless", async () => {
    await using server = await startServer((_, response) => {
      const more = () => {
        while (response.write("endless ".repeat(1_000)));
      };
      response.on("drain", more);
      more();
    });
    await using place = await openPlace(server);
    for (let round = 1; round <= 2; round++) {
      const { fields } = await place.fetched("/", {}, { "artifacts.source_bytes": 100_000 });
      assert.deepEqual([fields.size_bytes, fields.source_truncated, fields.cached], [100_000, true, false]);
      assert.ok(fields.artifact_ref);
    }
    assert.equal(server.requests.length, 2);
  });

  test("an incomplete body", async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": 1_000 });
      response.write("half a page", () => response.destroy());
    });
    await using place = await openPlace(server);
    const { content, fields } = await place.fetched("/");
    assert.deepEqual([content, fields.source_truncated, fields.truncated], ["half a page", true, true]);
    assert.match(
      fields.warnings.join(" "),
      /Only the first 11 B of the source were kept: the download broke off\. Fetch it again/,
    );
    await place.fetched("/");
    assert.equal(server.requests.length, 2);
  });
});

describe("a fetch over the network", () => {
  test("keeps secrets out of records, events and cache entries", async () => {
    await using server = await startServer(serveText("page"));
    await using place = await openPlace(server);
    const settings = { "network.headers": { [server.allow]: { Authorization: "Bearer $KEY" } }, run: "r" };
    await place.fetched("/private/path?q=qu3ry", {}, settings, { env: { KEY: "s3cret" } });
    assert.equal(server.requests[0]?.headers.authorization, "Bearer s3cret");
    await using session = await place.session();
    for await (const { key } of session.store.objects.list("")) {
      const stored = await readFile(join(place.home, key), "utf8");
      assert.doesNotMatch(stored, /s3cret/, key);
      if (key.startsWith("events/")) assert.doesNotMatch(stored, /qu3ry|private/, key);
    }
  });

  test("reads a wrong charset by its bytes", async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain; charset=us-ascii" }).end("naïve café, größer");
    });
    await using place = await openPlace(server);
    assert.equal((await place.fetched("/")).content, "naïve café, größer");
  });

  test("answers from memory when the store cannot be written", async () => {
    await using server = await startServer(serveText("page"));
    await using place = await openPlace(server);
    const { content, fields } = await place.fetched("/", {}, { home: "/proc/nowhere" });
    assert.deepEqual([content, fields.artifact_ref, fields.cached, fields.status_code], ["page", null, false, 200]);
  });

  test("is stopped by the session's signal", async () => {
    const stop = new AbortController();
    await using server = await startServer(() => stop.abort(new Error("enough")));
    await using place = await openPlace(server);
    await assert.rejects(place.fetched("/", {}, {}, { signal: stop.signal }), /enough/);
  });

  test("of something that is not a URL says so", async () => {
    await using server = await startServer(serveText("page"));
    await using place = await openPlace(server);
    await using session = await place.session();
    for (const bad of ["http://", "https://[::1", "http://a b/", "http://exa%mple/", "HTTP://:80"]) {
      await assert.rejects(fetchSource(bad, {}, session), /^SpillwayError: Invalid URL$/, bad);
    }
    await assert.rejects(fetchSource("http://me:s3cret@example.com/", {}, session), /user name or password/);
    await assert.rejects(fetchSource("ftp://example.com/", {}, session), /ftp:/);
  });
});
