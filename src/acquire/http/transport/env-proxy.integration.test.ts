import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { makeCertificate } from "../../../../test/certificate.ts";
import { startProxy } from "../../../../test/forward-proxy.ts";
import { fetchBytes, openTestClient } from "../../../../test/http-client.ts";
import { startServer } from "../../../../test/server.ts";
import { makeProxyChooser } from "./env-proxy.ts";
import { systemDialler } from "./guarded-connect.ts";

describe("the proxy for a URL", () => {
  const all = { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "q:2" };
  for (const { env, url, proxy } of [
    { env: {}, url: "http://a.example/", proxy: undefined },
    { env: all, url: "http://a.example/", proxy: "http://p:1" },
    { env: all, url: "https://a.example/", proxy: "http://q:2" },
    {
      env: { https_proxy: "http://lower:1", HTTPS_PROXY: "http://upper:1" },
      url: "https://a.example/",
      proxy: "http://lower:1",
    },
    { env: { ALL_PROXY: "http://p:1" }, url: "https://a.example/", proxy: "http://p:1" },
    { env: all, url: "http://localhost:80/", proxy: undefined },
    { env: all, url: "http://127.0.0.1:80/", proxy: undefined },
    { env: all, url: "http://127.evil.com/", proxy: "http://p:1" },
    { env: all, url: "http://localhost../", proxy: undefined },
    { env: { ...all, NO_PROXY: "*" }, url: "http://a.example/", proxy: undefined },
    { env: { ...all, NO_PROXY: "b.example, example" }, url: "http://a.example/", proxy: undefined },
    { env: { ...all, NO_PROXY: ".a.example" }, url: "http://x.a.example/", proxy: undefined },
    { env: { ...all, NO_PROXY: "a.example:8080" }, url: "http://a.example/", proxy: "http://p:1" },
    { env: { ...all, NO_PROXY: "a.example:80" }, url: "http://a.example/", proxy: undefined },
    { env: { ...all, no_proxy: "notexample" }, url: "http://a.example/", proxy: "http://p:1" },
    { env: { ...all, NO_PROXY: "fd00::1" }, url: "http://[fd00::1]/", proxy: undefined },
  ]) {
    test(`${JSON.stringify(env)} ${url}: ${proxy}`, () => assert.equal(makeProxyChooser(env)(new URL(url)), proxy));
  }

  test("that cannot be used is named by its variable, without its password", () => {
    for (const bad of ["socks5://u:s3cret@p:1", "http://u:s3cret@[bad"]) {
      assert.throws(
        () => makeProxyChooser({ HTTP_PROXY: bad })(new URL("http://a.example/")),
        (error: Error) => {
          assert.match(error.message, /HTTP_PROXY/);
          assert.doesNotMatch(error.message, /s3cret/);
          return true;
        },
      );
    }
  });
});

describe("behind a proxy", () => {
  const neverResolving = { ...systemDialler, resolve: () => assert.fail("resolved") };

  test("plain HTTP goes to the proxy, a note says so, and no name is resolved here", async () => {
    await using proxy = await startProxy(() => 0);
    await using client = openTestClient([], { env: { HTTP_PROXY: proxy.url }, dialler: neverResolving });
    const { text, response } = await fetchBytes(client, "http://a.example/page?q=1");
    assert.equal(text, "through the proxy");
    assert.deepEqual(proxy.requests, ["GET http://a.example/page?q=1 Basic bWU6cGFzcw=="]);
    await assert.rejects(fetchBytes(client, "http://closed.example/"), /blocked by the proxy/);
    assert.deepEqual(response.notes, [
      "Fetched through a proxy: the host's name was checked, its address could not be.",
    ]);
  });

  test("HTTPS goes through a tunnel, and the certificate is still the host's", async () => {
    await using folder = await makeTemporaryFolder();
    const certificate = makeCertificate(["a.example"]);
    await writeFile(join(folder.path, "ca.pem"), certificate.cert);
    await using server = await startServer((_, response) => response.end("secret page"), certificate);
    await using proxy = await startProxy(() => server.port);
    const env = { HTTPS_PROXY: proxy.url };
    const settings = { "network.ca_file": join(folder.path, "ca.pem") };
    await using client = openTestClient([], { env, settings, dialler: neverResolving });
    assert.equal((await fetchBytes(client, "https://a.example/")).text, "secret page");
    await assert.rejects(fetchBytes(client, "https://b.example/"), /ALTNAME_INVALID/);
    await assert.rejects(fetchBytes(client, "https://closed.example/"), /blocked by the proxy/);
    assert.deepEqual(proxy.requests.slice(0, 2), ["CONNECT a.example:443", "CONNECT b.example:443"]);
    await using untrusting = openTestClient([], { env, dialler: neverResolving });
    await assert.rejects(fetchBytes(untrusting, "https://a.example/"), /no secure connection/);
  });

  for (const url of [
    "http://10.0.0.1/",
    "http://[::ffff:10.0.0.1]/",
    "http://0xa000001/",
    "http://wiki.internal/",
    "https://169.254.169.254/",
    "http://denied.example/",
  ]) {
    test(`${url} is refused before the proxy is contacted`, async () => {
      await using proxy = await startProxy(() => 0);
      const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
      await using client = openTestClient([], {
        env,
        dialler: neverResolving,
        settings: { "network.deny": ["denied.example"] },
      });
      await assert.rejects(fetchBytes(client, url), /is not fetched/);
      assert.deepEqual(proxy.requests, []);
    });
  }
});
