import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { temporaryFolder } from "../../../test/bodies.ts";
import { selfSigned } from "../../../test/certificate.ts";
import { fetchBytes, openTestClient } from "../../../test/http-client.ts";
import { startRawServer, startServer } from "../../../test/server.ts";
import { SpillwayError } from "../../errors.ts";
import { version } from "../../version.ts";
import type { HttpOpenOptions, Network } from "./http-client.ts";

async function failure(network: Network, url: string, ask: Partial<HttpOpenOptions> = {}): Promise<SpillwayError> {
  const error = await fetchBytes(network, url, ask).then(
    ({ text }) => assert.fail(`fetched ${JSON.stringify(text.slice(0, 80))}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SpillwayError, String(error));
  assert.notEqual(error.hint, "");
  assert.doesNotMatch(error.advice, /s3cret/);
  return error;
}

describe("a request", () => {
  test("says honestly who asks, prefers Markdown, and takes every encoding", async () => {
    await using server = await startServer((_, response) => response.end("hello"));
    await using network = openTestClient([server]);
    const { text, name, response } = await fetchBytes(network, `${server.origin}/docs/page.txt?q=1`);
    assert.deepEqual([text, name, response.statusCode, response.notes], ["hello", "page.txt", 200, []]);
    const { accept, "user-agent": agent, "accept-encoding": encodings } = server.requests[0]?.headers ?? {};
    assert.equal(accept, "text/markdown, text/html;q=0.9, */*;q=0.8");
    assert.equal(agent, `Spillway/${version} (retrieval for AI agents)`);
    assert.match(String(encodings), /^gzip, deflate, br/);
  });

  test("asks for the page as browsers get it where its source is wanted, and under the name that was set", async () => {
    await using server = await startServer((_, response) => response.end("hello"));
    await using network = openTestClient([server], { settings: { "network.user_agent": "Acme bot" } });
    await fetchBytes(network, server.origin, { prefers: "source" });
    assert.match(String(server.requests[0]?.headers.accept), /^text\/html,/);
    assert.equal(server.requests[0]?.headers["user-agent"], "Acme bot");
  });

  test("takes its name from the server, without any path in it", async () => {
    await using server = await startServer((request, response) => {
      response.setHeader("content-disposition", decodeURIComponent(request.url?.slice(2) ?? ""));
      response.end("x");
    });
    await using network = openTestClient([server]);
    for (const [disposition, name] of [
      ['attachment; filename="report.pdf"', "report.pdf"],
      ["attachment; filename=plain.txt", "plain.txt"],
      ["attachment; filename*=UTF-8''na%C3%AFve.txt; filename=\"n.txt\"", "naïve.txt"],
      ['attachment; filename="../../etc/passwd"', "passwd"],
      ['attachment; filename="..\\\\evil.exe"', "evil.exe"],
      ["inline", server.allow],
    ]) {
      assert.equal(
        (await fetchBytes(network, `${server.origin}/?${encodeURIComponent(disposition ?? "")}`)).name,
        name,
      );
    }
  });
});

describe("a redirect", () => {
  const to = (location: string, status = 302) => ({ location, status });

  test("is followed, at most five times, and told", async () => {
    await using server = await startServer((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("arrived");
      else response.writeHead(301 + (left % 2), { location: `/${left - 1}` }).end("moved");
    });
    await using network = openTestClient([server]);
    const { text, response, location } = await fetchBytes(network, `${server.origin}/5`);
    assert.deepEqual(
      [text, location, response.notes],
      ["arrived", `${server.origin}/0`, [`Redirected to ${server.origin}/0.`]],
    );
    assert.match((await failure(network, `${server.origin}/6`)).message, /More than 5 redirects/);
  });

  for (const [name, { location, status }, sentence] of [
    ["a loop", to("/a?s3cret"), /Redirect loop/],
    ["nowhere", to(""), /^HTTP 302 Found$/],
    ["a file", to("file:///etc/passwd"), /redirect to file: is not followed/],
    ["a password", to("http://u:s3cret@example.com/"), /user name or password/],
    ["no URL", to("http://[bad"), /redirects to a URL that cannot be fetched \(Invalid URL\)/],
    ["304 without being asked", to("", 304), /^HTTP 304 Not Modified$/],
    ["300 choices", to("/x", 300), /^HTTP 300 Multiple Choices$/],
  ] as const) {
    test(`to ${name} is a named error`, async () => {
      await using server = await startServer((_, response) => {
        response.writeHead(status, location === "" ? {} : { location }).end();
      });
      await using network = openTestClient([server]);
      assert.match((await failure(network, `${server.origin}/a?s3cret`)).message, sentence);
    });
  }

  test("in UTF-8 leads where it says", async () => {
    await using server = await startServer((request, response) => {
      const location = Buffer.from("/zürich").toString("latin1");
      if (request.url === "/") response.writeHead(302, { location }).end();
      else response.end(request.url);
    });
    await using network = openTestClient([server]);
    assert.equal((await fetchBytes(network, server.origin)).text, "/z%C3%BCrich");
  });

  test("to another origin takes none of the caller's headers along, nor one back home", async () => {
    const seen: string[] = [];
    const note = (place: string, key: unknown) => seen.push(`${place}:${key ?? "none"}`);
    await using away = await startServer((request, response) => {
      note("away", request.headers["x-api-key"]);
      response.writeHead(302, { location: `${home.origin}/end` }).end();
    });
    await using home = await startServer((request, response) => {
      note(request.url ?? "", request.headers["x-api-key"]);
      const next = request.url === "/start" ? "/middle" : request.url === "/middle" ? away.origin : undefined;
      if (next) response.writeHead(307, { location: next }).end();
      else response.end("done");
    });
    await using network = openTestClient([home, away]);
    await fetchBytes(network, `${home.origin}/start`, { headers: { "x-api-key": "k" } });
    assert.deepEqual(seen, ["/start:k", "/middle:k", "away:none", "/end:none"]);
  });
});

describe("an unhappy answer", () => {
  for (const [status, sentence, sent] of [
    [204, "HTTP 204 No Content", 1],
    [400, "HTTP 400 Bad Request", 1],
    [401, "HTTP 401 Unauthorized", 1],
    [403, "HTTP 403 Forbidden", 1],
    [404, "HTTP 404 Not Found", 1],
    [408, "HTTP 408 Request Timeout", 3],
    [425, "HTTP 425 Too Early", 3],
    [429, "HTTP 429 Too Many Requests", 3],
    [500, "HTTP 500 Internal Server Error", 3],
    [503, "HTTP 503 Service Unavailable", 3],
    [599, "HTTP 599 Unknown Status", 3],
  ] as const) {
    test(`${status} is asked for ${sent} times and worded as ours`, async () => {
      await using server = await startServer((_, response) => response.writeHead(status, "Their words").end());
      await using network = openTestClient([server]);
      const error = await failure(network, server.origin);
      assert.deepEqual([error.code, error.message, server.requests.length], ["http_status", sentence, sent]);
      assert.equal(network.waits.length, sent - 1);
    });
  }

  test("passes when a later try succeeds", async () => {
    await using server = await startServer((request, response) => {
      if (server.requests.length === 1) response.writeHead(503, { "retry-after": "2" }).end();
      else if (server.requests.length === 2) request.socket.destroy();
      else response.end("at last");
    });
    await using network = openTestClient([server]);
    assert.equal((await fetchBytes(network, server.origin)).text, "at last");
    assert.equal(network.waits[0], 2_000);
    assert.ok(Number(network.waits[1]) >= 400 && Number(network.waits[1]) <= 800);
  });

  test("that wants a longer wait than we do is not asked again, and the wish is told", async () => {
    await using server = await startServer((_, response) => response.writeHead(429, { "retry-after": "3600" }).end());
    await using network = openTestClient([server]);
    assert.match((await failure(network, server.origin)).hint, /Retry-After 3600/);
    assert.equal(server.requests.length, 1);
  });

  test("206 without being asked is kept as the part that it is", async () => {
    await using server = await startServer((_, response) => response.writeHead(206).end("half"));
    await using network = openTestClient([server]);
    const { text, response } = await fetchBytes(network, server.origin);
    assert.deepEqual(
      [text, response.shortfall(), response.freshness],
      ["half", "the server sent a part only", undefined],
    );
  });

  test("without a body is empty, not an error, also when it claims to be compressed", async () => {
    await using server = await startServer((request, response) => {
      if (request.url === "/gzip") response.setHeader("content-encoding", "gzip");
      response.end();
    });
    await using network = openTestClient([server]);
    for (const path of ["", "/gzip"]) assert.equal((await fetchBytes(network, server.origin + path)).bytes.length, 0);
  });
});

describe("a connection", () => {
  test("to a host that cannot be found is told by its name", async () => {
    const resolve = async () => {
      throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    };
    await using network = openTestClient([], { dialler: { resolve, dial: () => assert.fail("dialled") } });
    const error = await failure(network, "https://nowhere.example/s3cret?s3cret");
    assert.match(error.message, /^nowhere\.example cannot be found: no such host \(ENOTFOUND\)\.$/);
  });

  test("that is refused is tried three times", async () => {
    const closed = await startServer(() => undefined);
    await closed[Symbol.asyncDispose]();
    await using network = openTestClient([closed]);
    assert.match((await failure(network, closed.origin)).message, /refused the connection \(ECONNREFUSED\)/);
    assert.equal(network.waits.length, 2);
  });

  test("is dialled to the address that was checked; a name that changes its mind is asked once per connection", async () => {
    await using server = await startServer((_, response) => response.setHeader("connection", "close").end("ok"));
    const answers = ["93.184.216.34", "127.0.0.1", "93.184.216.34"];
    const dialled: string[] = [];
    const dialler = {
      resolve: async () => [answers.shift() ?? assert.fail("asked too often")],
      dial: async (address: string) => {
        dialled.push(address);
        return connect(server.port, "127.0.0.1");
      },
    };
    await using network = openTestClient([], { dialler });
    assert.equal((await fetchBytes(network, "http://rebinding.example/")).text, "ok");
    assert.match(
      (await failure(network, "http://rebinding.example/")).message,
      /\(127\.0\.0\.1\) is not fetched: loopback/,
    );
    assert.equal((await fetchBytes(network, "http://rebinding.example/")).text, "ok");
    assert.deepEqual([dialled, answers], [["93.184.216.34", "93.184.216.34"], []]);
  });

  test("goes on to the next address when one does not answer", async () => {
    await using server = await startServer((_, response) => response.end("ok"));
    const dialled: string[] = [];
    const dialler = {
      resolve: async () => ["2606:2800::1", "93.184.216.34"],
      dial: async (address: string) => {
        dialled.push(address);
        if (address.includes(":")) throw Object.assign(new Error(), { code: "ENETUNREACH" });
        return connect(server.port, "127.0.0.1");
      },
    };
    await using network = openTestClient([], { dialler });
    assert.equal((await fetchBytes(network, "http://two.example/")).text, "ok");
    assert.deepEqual(dialled, ["2606:2800::1", "93.184.216.34"]);
  });

  test("over TLS is trusted by its certificate: of nobody, of another host, by network.ca_file", async () => {
    await using folder = await temporaryFolder();
    const certificate = selfSigned(["good.example"], ["127.0.0.1"]);
    await writeFile(join(folder.path, "ca.pem"), certificate.cert);
    await using server = await startServer((_, response) => response.end("secure"), certificate);
    const dialler = {
      resolve: async () => ["93.184.216.34"],
      dial: async () => connect(server.port, "127.0.0.1"),
    };
    await using stranger = openTestClient([server], { dialler });
    assert.match((await failure(stranger, "https://good.example/")).message, /no secure connection .*SELF_SIGNED/);
    assert.equal(stranger.waits.length, 0);
    const settings = { "network.ca_file": join(folder.path, "ca.pem") };
    await using trusting = openTestClient([server], { dialler, settings });
    assert.equal((await fetchBytes(trusting, "https://good.example/")).text, "secure");
    assert.match((await failure(trusting, "https://other.example/")).message, /ALTNAME_INVALID/);
    await using literal = openTestClient([server], { settings });
    assert.equal((await fetchBytes(literal, server.origin)).text, "secure");
  });

  test("with certificates that cannot be read is an error of the settings", async () => {
    await using server = await startServer((_, response) => response.end("x"));
    await using network = openTestClient([server], { settings: { "network.ca_file": "/nowhere/ca.pem" } });
    assert.equal((await failure(network, server.origin)).code, "config_invalid");
  });

  test("to one host is one of few", async () => {
    let [open, most] = [0, 0];
    await using server = await startServer(async (_, response) => {
      most = Math.max(most, ++open);
      await wait(20);
      open--;
      response.end("x");
    });
    await using network = openTestClient([server], { settings: { "network.connections_per_host": 2 } });
    await Promise.all(Array.from({ length: 10 }, () => fetchBytes(network, server.origin)));
    assert.equal(most, 2);
  });

  test("keeps a distance in time when that is asked for", async () => {
    const at: number[] = [];
    await using server = await startServer((_, response) => {
      at.push(performance.now());
      response.end("x");
    });
    await using network = openTestClient([server], { settings: { "network.delay": 60 } });
    await Promise.all(Array.from({ length: 3 }, () => fetchBytes(network, server.origin)));
    assert.ok((at[2] ?? 0) - (at[0] ?? 0) >= 100, String(at));
  });
});

describe("bytes that are no HTTP", () => {
  const okay = "HTTP/1.1 200 OK\r\n";
  for (const [name, bytes, sentence] of [
    ["two lengths that differ", `${okay}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`, /malformed HTTP/],
    [
      "a length beside chunks",
      `${okay}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /malformed HTTP/,
    ],
    ["a banner of another protocol", "220 mail.example ESMTP\r\n", /malformed HTTP/],
    ["headers without end", `${okay}x: ${"y".repeat(100_000)}`, /larger headers/],
    ["no answer at all", "", /closed the connection/],
  ] as const) {
    test(`${name} end in a sentence`, async () => {
      await using server = await startRawServer((socket) => socket.end(bytes));
      await using network = openTestClient([server]);
      assert.match((await failure(network, server.origin)).message, sentence);
    });
  }

  test("a body shorter than its length is a part, and says so", async () => {
    await using server = await startRawServer((socket) => socket.end(`${okay}content-length: 500\r\n\r\nonly this`));
    await using network = openTestClient([server]);
    const { text, response } = await fetchBytes(network, server.origin);
    assert.deepEqual([text, response.shortfall()], ["only this", "the connection broke off"]);
  });
});

describe("time", () => {
  const drip = () =>
    startServer((_, response) => {
      const timer = setInterval(() => response.write("drip "), 50);
      response.on("close", () => clearInterval(timer));
    });

  test("is up for a body that drips: what came is kept as a part", async () => {
    await using server = await drip();
    await using network = openTestClient([server], { settings: { "network.timeout": 400 } });
    const started = performance.now();
    const { text, response } = await fetchBytes(network, server.origin);
    assert.match(text, /^(drip )+$/);
    assert.equal(response.shortfall(), "the time was up");
    assert.ok(performance.now() - started < 2_000);
  });

  test("is up for a server that never answers", async () => {
    await using server = await startServer(() => undefined);
    await using network = openTestClient([server], { settings: { "network.timeout": 200 } });
    const error = await failure(network, `${server.origin}/?s3cret`);
    assert.deepEqual([error.code, error.message], ["network_timeout", `${server.allow} did not answer within 0.2 s.`]);
  });

  test("is over when the caller says so, at any moment, with the caller's own reason", async () => {
    await using server = await drip();
    await using network = openTestClient([server]);
    const reason = new Error("changed my mind");
    await assert.rejects(fetchBytes(network, server.origin, { signal: AbortSignal.abort(reason) }), reason);
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 120);
    await assert.rejects(fetchBytes(network, server.origin, { signal: stop.signal }), reason);
  });
});

describe("robots.txt", () => {
  test("that is waited for by several is not taken away by one who leaves", async () => {
    await using server = await startServer((request, response) => {
      if (request.url === "/robots.txt") setTimeout(() => response.writeHead(404).end(), 200);
      else response.end("page");
    });
    await using network = openTestClient([server], { settings: { "network.robots": "on" } });
    const leaving = fetchBytes(network, server.origin, { signal: AbortSignal.timeout(50) });
    const staying = fetchBytes(network, server.origin);
    await assert.rejects(leaving, { name: "TimeoutError" });
    assert.equal((await staying).text, "page");
  });

  test("that cannot be had is asked for again by the next fetch", async () => {
    await using server = await startServer((request, response) => {
      const isDown = server.requests.length <= 3;
      if (request.url === "/robots.txt") response.writeHead(isDown ? 503 : 404).end();
      else response.end("page");
    });
    await using network = openTestClient([server], { settings: { "network.robots": "on" } });
    assert.match((await failure(network, server.origin)).message, /robots\.txt of .* cannot be read: HTTP 503/);
    assert.equal((await fetchBytes(network, server.origin)).text, "page");
  });

  const site = (status: number) =>
    startServer((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(status).end("User-agent: *\nDisallow: /private");
      else response.end("page");
    });

  test("is not asked for unless that is set", async () => {
    await using server = await site(200);
    await using network = openTestClient([server]);
    await fetchBytes(network, `${server.origin}/private`);
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ["/private"],
    );
  });

  for (const [status, privatePage, publicPage] of [
    [200, false, true],
    [404, true, true],
    [500, false, false],
  ] as const) {
    test(`that answers ${status} lets ${privatePage ? "everything" : publicPage ? "some" : "nothing"} be fetched`, async () => {
      await using server = await site(status);
      await using network = openTestClient([server], { settings: { "network.robots": "on" } });
      const fetched = (path: string) =>
        fetchBytes(network, server.origin + path).then(
          () => true,
          (error: SpillwayError) => assert.match(error.message, /robots\.txt/) ?? false,
        );
      assert.deepEqual([await fetched("/private"), await fetched("/public")], [privatePage, publicPage]);
      const asked = server.requests.filter(({ url }) => url === "/robots.txt").length;
      assert.equal(asked, status === 500 ? 6 : 1, "one that failed is asked for again");
    });
  }
});

describe("a fetch that must wait", () => {
  const never = new Promise<never>(() => undefined);

  for (const [what, dialler] of [
    ["a name is looked up", { resolve: () => never, dial: () => never }],
    ["an address is dialled", { resolve: async () => ["93.184.216.34"], dial: () => never }],
  ] as const) {
    test(`ends at once when it is aborted while ${what}`, async () => {
      await using network = openTestClient([], { dialler });
      const signal = AbortSignal.timeout(100);
      const startedAt = performance.now();
      await assert.rejects(fetchBytes(network, "http://example.com/", { signal }), { name: "TimeoutError" });
      assert.ok(performance.now() - startedAt < 1_000);
    });

    test(`ends with its time while ${what}`, async () => {
      const settings = { "network.connect_timeout": 200, "network.timeout": 5_000, "network.tries": 1 };
      await using network = openTestClient([], { dialler, settings });
      const startedAt = performance.now();
      assert.equal((await failure(network, "http://example.com/")).code, "network_timeout");
      assert.ok(performance.now() - startedAt < 2_000);
    });
  }

  test("ends at once when it is aborted in the queue for a connection", async () => {
    await using server = await startServer((_, response) => void response.write("x"));
    await using network = openTestClient([server], { settings: { "network.connections_per_host": 1 } });
    const first = new AbortController();
    const held = fetchBytes(network, server.origin, { signal: first.signal }).catch(() => undefined);
    await wait(50);
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(100);
    await assert.rejects(fetchBytes(network, server.origin, { signal }), { name: "TimeoutError" });
    assert.ok(performance.now() - startedAt < 1_000);
    first.abort();
    await held;
  });
});
