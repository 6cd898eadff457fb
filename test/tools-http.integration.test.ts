import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { makeCutNotice, toolAudience } from "../src/answer/truncation.ts";
import { closingFence } from "../src/answer/untrusted-fence.ts";
import { openStore } from "../src/artifacts/artifact-store.ts";
import type { Settings } from "../src/config/settings.ts";
import { openMcp } from "./mcp.ts";
import { makePdfWithPages, withPageMarks } from "./pdf.ts";
import { startServer, type TestServer } from "./server.ts";
import { openTools, TEST_WORD } from "./tools.ts";

type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

const body =
  (content: string | Uint8Array, type: string): Answerer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": type }).end(content);

/** A server with one page each, and tools that may reach it. */
async function openSite(pages: Readonly<Record<string, Answerer>>, settings: Partial<Settings> = {}) {
  const server: TestServer = await startServer((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) response.writeHead(404).end("nothing here");
    else page(request, response);
  });
  const tools = await openTools({ "network.allow": [server.allow], "network.tries": 1, ...settings });
  return {
    ...tools,
    server,
    url: (path: string) => server.origin + path,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("the tools over HTTP", () => {
  test("read a small PDF, whatever media type the server names", async () => {
    const pdf = makePdfWithPages(["The founding accident", "The second page"]);
    for (const type of ["application/pdf", "text/plain", "application/octet-stream"]) {
      await using site = await openSite({ "/report": body(pdf, type) });
      const { text, fields } = await site.call("web_fetch", { url: site.url("/report") });
      assert.match(
        text,
        /^\[Fetched PDF artifact: .*, pages 2\. Extracted \d+ chars \(truncated=false\)\. Use artifact_ref=af_/,
      );
      assert.deepEqual(
        [fields.content, fields.status_code],
        [withPageMarks(["The founding accident", "The second page"]), 200],
      );
    }
  });

  test("answer corrupt PDF bytes with the exact sentence and no garbage", async () => {
    await using site = await openSite({ "/a.pdf": body(`%PDF-1.7\n${"\u0001garbage".repeat(99)}`, "application/pdf") });
    const { text, fields, isError } = await site.call("fetch_content", { url: site.url("/a.pdf") });
    assert.match(text, /\]\nFailed to extract text from PDF: corrupt\n/);
    assert.ok(!isError && fields.artifact_ref && !text.includes("garbage"));
  });

  test("find what is stored by any spelling of its address, and show no password", async () => {
    await using site = await openSite({ "/": body("home", "text/plain"), "/b": body("b", "text/plain") });
    const { host } = new URL(site.url("/"));
    const urls = [site.server.origin, site.url("/b"), `http://ada:s3cret@${host}/`];
    const { text, fields } = await site.call("fetch_content", { urls });
    assert.ok(!text.includes("s3cret") && !JSON.stringify(fields).includes("s3cret"));
    const { responseId } = fields;
    const stored = await site.call("get_search_content", { responseId });
    assert.ok(!JSON.stringify(stored).includes("s3cret"));
    const found = await site.call("get_search_content", { responseId, url: `${site.server.origin}/` });
    assert.equal(found.fields.content, "home");
  });

  test("store what was extracted, for get_search_content", async () => {
    const long = "water level ".repeat(10_000);
    await using site = await openSite({ "/long": body(long, "text/plain") });
    const { fields } = await site.call("fetch_content", { url: site.url("/long") });
    const { responseId } = fields;
    for (const [maxChars, chars] of [
      [undefined, 30_000],
      [50_000, 50_000],
      [999_999, 100_000],
    ] as const) {
      const { text } = await site.call("get_search_content", { responseId, urlIndex: 0, maxChars });
      const cut = { limitChars: chars, totalChars: 120_000, bound: chars === 100_000 ? "ceiling" : "request" } as const;
      assert.ok(text.endsWith(long.slice(0, chars) + closingFence(TEST_WORD) + makeCutNotice(cut, true, toolAudience)));
    }
    assert.equal((await site.call("get_search_content", { responseId, url: site.url("/long") })).isError, false);
    assert.equal(site.server.requests.length, 1);
  });

  test("return a ref that works for cached sources, and fetch again on noCache", async () => {
    await using site = await openSite({ "/page": body("the page", "text/plain") });
    const url = site.url("/page");
    const replies = [await site.call("web_fetch", { url }), await site.call("fetch_content", { url })];
    assert.deepEqual(
      replies.map(({ fields }) => fields.cached),
      [false, true],
    );
    const read = await site.call("read_artifact", { artifact_ref: replies[1]?.fields.artifact_ref });
    assert.equal(read.fields.content, "the page");
    await site.call("fetch_content", { url, noCache: "true" });
    assert.equal(site.server.requests.length, 2);
  });

  test("word an HTTP status as the contract does, and one failure does not affect the others", async () => {
    await using site = await openSite({ "/ok": body("fine", "text/plain") });
    const { text, fields, isError } = await site.call("web_fetch", { url: site.url("/gone") });
    assert.deepEqual([text.split("\n")[0], fields.error, isError], ["HTTP 404 Not Found", "HTTP 404 Not Found", true]);
    const several = await site.call("fetch_content", {
      urls: [site.url("/gone"), site.url("/ok"), "http://[", "http://10.0.0.1/"],
    });
    const results = several.fields.results as { error?: string; content?: string }[];
    assert.deepEqual(
      [results[0]?.error, results[1]?.content, results[2]?.error],
      ["HTTP 404 Not Found", "fine", "Invalid URL"],
    );
    assert.match(results[3]?.error ?? "", /10\.0\.0\.1/);
    assert.equal(several.isError, false);
  });

  test("read a web page as Markdown with its own title, and its source raw", async () => {
    const html = `<!doctype html><title>Of weirs</title><nav>menu</nav><main><h1>Weirs</h1><p>${"Water flows over them. ".repeat(30)}</p></main>`;
    await using site = await openSite({ "/page": body(html, "text/html") });
    const page = await site.call("web_fetch", { url: site.url("/page") });
    assert.match(String(page.fields.content), /^# Weirs\n\nWater flows over them\./);
    assert.equal(page.fields.title, "Of weirs");
    const raw = await site.call("web_fetch_html", { url: site.url("/page") });
    assert.equal(raw.fields.content, html);
  });

  test("give the page's address as its title when it has no other", async () => {
    await using site = await openSite({ "/words": body("just words", "text/plain") });
    assert.equal((await site.call("fetch_content", { url: site.url("/words") })).fields.title, site.url("/words"));
  });
});

describe("what a server may do to a fetch", () => {
  test("an endless body is kept up to the cap, reported as truncated, and its connection closed", async () => {
    const closed = Promise.withResolvers<void>();
    await using site = await openSite(
      {
        "/endless": (_, response) => {
          const more = () => {
            while (!response.destroyed && response.write("and on and on and on ".repeat(500)));
          };
          response.writeHead(200, { "content-type": "text/plain" }).on("drain", more).on("close", closed.resolve);
          more();
        },
      },
      { "artifacts.source_bytes": 700_000 },
    );
    const { text, fields, isError } = await site.call("fetch_content", { url: site.url("/endless") });
    await closed.promise;
    assert.deepEqual(
      [isError, fields.source_truncated, fields.truncated, fields.size_bytes],
      [false, true, true, 700_000],
    );
    assert.match(text, /artifact_ref=af_/);
    assert.match(JSON.stringify(fields.warnings), /beginning|first|cap/i);
  });

  const words = "Die Größe der Brücke über dem Fluß ändert sich; für Köln gilt das schöne Maß. ".repeat(40);
  for (const { name, type, bytes } of [
    { name: "UTF-8 over Latin-1", type: "text/plain; charset=utf-8", bytes: Buffer.from(words, "latin1") },
    { name: "nonsense over UTF-8", type: "text/plain; charset=nonsense", bytes: Buffer.from(words) },
    {
      name: "ASCII over UTF-16",
      type: "text/plain; charset=us-ascii",
      bytes: Buffer.from(`\ufeff${words}`, "utf16le"),
    },
  ]) {
    test(`a wrong charset (${name}) does not garble the text`, async () => {
      await using site = await openSite({ "/text": body(bytes, type) });
      const { fields } = await site.call("web_fetch", { url: site.url("/text") });
      assert.deepEqual([fields.content_kind, fields.content], ["text", words]);
    });
  }

  test("a source that arrives while the disk is full is answered within the budget, and reported as not kept", async () => {
    await using site = await openSite({ "/long": body("level ".repeat(100_000), "text/plain") });
    const full = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
    const { catalogue, objects } = site.session.store;
    const store = openStore({ catalogue, objects: { ...objects, put: full } }, { owner: "a", run: "r" });
    const { text, fields, isError } = await site.call("web_fetch", { url: site.url("/long") }, { store });
    assert.deepEqual([isError, fields.artifact_ref, String(fields.content).length], [false, null, 30_000]);
    assert.match(text, /^\[Fetched text artifact: .* Not kept\.\]\n.*the disk is full/);
    assert.ok(text.endsWith("[Content truncated at 30000 chars. Total: 600000 chars. The rest was not kept.]"));
  });
});

test("a long download reports rising byte counts over MCP, with the total where it is known", async () => {
  const half = Buffer.alloc(2_000_000, "a");
  await using server = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": half.length * 2 }).write(half);
    begun.resolve(response);
  });
  const begun = Promise.withResolvers<ServerResponse>();
  await using mcp = await openMcp();
  const client = await mcp.client("2026-07-28", { env: { SPILLWAY_NETWORK_ALLOW: server.allow } });
  const reports: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
  const called = client.callTool(
    { name: "web_fetch", arguments: { url: `${server.origin}/long` } },
    {
      async onprogress(progress) {
        reports.push(progress);
        (await begun.promise).end(half);
      },
    },
  );
  assert.equal((await called).isError, false);
  const [first] = reports;
  assert.ok(first && first.progress > 0 && first.progress <= half.length, JSON.stringify(reports));
  assert.equal(first.total, half.length * 2);
  assert.match(first.message ?? "", /MB of 4\.0 MB received$/);
  assert.ok(reports.every(({ progress }, index) => index === 0 || progress > (reports[index - 1]?.progress ?? 0)));
});

test("a call that is cancelled over MCP closes its connection to the server", async () => {
  await using server = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write("and so on ");
    arrived.resolve(response);
  });
  const arrived = Promise.withResolvers<ServerResponse>();
  await using mcp = await openMcp();
  const client = mcp.lines({ env: { SPILLWAY_NETWORK_ALLOW: server.allow } });
  await client.open();
  client.send({
    id: 9,
    method: "tools/call",
    params: { name: "web_fetch", arguments: { url: `${server.origin}/slow` } },
  });
  const closed = once(await arrived.promise, "close");
  client.send({ method: "notifications/cancelled", params: { requestId: 9 } });
  await closed;
  assert.ok("result" in (await client.request("ping")));
  assert.ok(client.received.every((line) => JSON.parse(line).id !== 9));
});
