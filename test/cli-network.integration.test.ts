import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { makePdfWithPages } from "./pdf.ts";
import { startServer } from "./server.ts";

const site = () =>
  startServer((request, response) => {
    if (request.url === "/report") {
      response.writeHead(200, { "content-type": "text/plain" }).end(makePdfWithPages(["The founding accident"]));
    } else if (request.url === "/missing") response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/plain" }).end(`page ${request.url?.slice(1)}`);
  });

describe("spillway fetch of URLs", () => {
  test("answers in order, reads a PDF with a wrong header, and continues after a failure", async () => {
    await using cli = await openCli();
    await using web = await site();
    const env = { SPILLWAY_NETWORK_ALLOW: web.allow };
    const urls = ["one", "missing", "report", "two"].map((path) => `${web.origin}/${path}`);
    const { status, out, err } = await cli.run(["fetch", ...urls, "--json"], { env });
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ source_url }) => source_url),
      urls,
    );
    assert.deepEqual(
      lines.map(({ status_code, error }) => status_code ?? error),
      [200, "HTTP 404 Not Found", 200, 200],
    );
    assert.deepEqual([lines[0].content, lines[2].content_kind, lines[2].page_count], ["page one", "pdf", 1]);
    assert.match(lines[2].content, /The founding accident/);
    assert.deepEqual([lines[1].code, status], ["http_status", 1]);
    assert.match(err, /HTTP 404 Not Found\n {2}There is no such page/);
  });

  test("sends one request, and another with --no-cache", async () => {
    await using cli = await openCli();
    await using web = await site();
    const env = { SPILLWAY_NETWORK_ALLOW: web.allow };
    for (const flags of [[], [], ["--no-cache"]]) await cli.run(["fetch", `${web.origin}/one`, ...flags], { env });
    assert.equal(web.requests.length, 2);
    const cat = await cli.run(["cat", `${web.origin}/one`], { env });
    assert.deepEqual([cat.out, web.requests.length], ["page one", 2]);
    const detect = await cli.run(["detect", `${web.origin}/report`, "--json"], { env });
    assert.equal(JSON.parse(detect.out).content_kind, "pdf");
  });

  test("detects and prints the page itself, not the Markdown it links to", async () => {
    await using cli = await openCli();
    await using web = await startServer((request, response) => {
      const isPage = request.url === "/";
      response.writeHead(200, { "content-type": isPage ? "text/html" : "text/markdown" });
      response.end(isPage ? '<link rel="alternate" type="text/markdown" href="/a.md"><p>page</p>' : "# md");
    });
    const env = { SPILLWAY_NETWORK_ALLOW: web.allow };
    assert.equal((await cli.run(["cat", web.origin], { env })).out, "# md");
    assert.match((await cli.run(["cat", "--raw", web.origin], { env })).out, /<p>page<\/p>$/);
    assert.equal(JSON.parse((await cli.run(["detect", web.origin, "--json"], { env })).out).content_kind, "html");
  });

  test("does not reach this machine unless a setting allows it", async () => {
    await using cli = await openCli();
    await using web = await site();
    const { status, err } = await cli.run(["fetch", `${web.origin}/one`]);
    assert.deepEqual([status, web.requests.length], [1, 0]);
    assert.match(err, /is not fetched: loopback\.\n {2}To fetch it anyway, .* network\.allow: 127\.0\.0\.1:\d+/);
  });

  test("exits although connections could be reused", async () => {
    await using cli = await openCli();
    await using web = await site();
    const bin = join(import.meta.dirname, "..", "src", "surfaces", "cli", "process.ts");
    const env = { ...process.env, SPILLWAY_HOME: cli.home, SPILLWAY_NETWORK_ALLOW: web.allow };
    const child = spawn(process.execPath, [bin, "fetch", `${web.origin}/one`], { env, stdio: "ignore" });
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });
});
