import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { describe, test } from "node:test";
import { type RenderOptions, type Resource, renderPage } from "./render.ts";

const chromium = process.env.SPILLWAY_TEST_CHROMIUM ?? "chromium";
const isInstalled = spawnSync(chromium, ["--version"]).status === 0;
const html = (body: string): Resource => ({
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: Buffer.from(body),
});

const render = (body: string, options: Partial<RenderOptions> = {}): Promise<string> =>
  renderPage({
    chromium,
    sandbox: process.getuid?.() !== 0,
    url: "https://page.example/start",
    document: html(body),
    fetchResource: () => Promise.reject(new Error("not found")),
    settleMs: 60_000,
    signal: new AbortController().signal,
    ...options,
  });

describe("rendering", { skip: !isInstalled && "no Chromium is installed" }, () => {
  test("returns the document that scripts made", async () => {
    const page = await render("<div id=app></div><script>app.innerHTML = '<p>made by ' + 'script</p>'</script>");
    assert.match(page, /<p>made by script<\/p>/);
  });

  test("lets scripts fetch what the guard allows, and nothing else", async () => {
    const requestedUrls: string[] = [];
    const script = `Promise.allSettled(["/data.json", "https://other.example/x", "/image"].map((url) =>
      fetch(url).then((r) => r.text()))).then((all) => { app.textContent = all.map((r) => r.value ?? "refused").join("|") })`;
    const page = await render(`<div id=app></div><img src="/picture.png"><script>${script}</script>`, {
      async fetchResource({ url }) {
        requestedUrls.push(url);
        if (!url.endsWith("/data.json")) throw new Error("refused");
        return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from("the data") };
      },
    });
    assert.match(page, /<div id="app">the data\|refused\|refused<\/div>/);
    assert.deepEqual(requestedUrls.sort(), [
      "https://other.example/x",
      "https://page.example/data.json",
      "https://page.example/image",
    ]);
  });

  test("opens no connection of its own, whatever a script tries", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const script = `try { new WebSocket("ws://127.0.0.1:${port}/") } catch {}
      fetch("http://127.0.0.1:${port}/").catch(() => {}); navigator.sendBeacon("http://localhost:${port}/", "x");
      new Image().src = "http://127.0.0.1:${port}/i"; app.textContent = "tried"`;
    const page = await render(
      `<link rel=preconnect href="http://127.0.0.1:${port}"><p id=app></p><script>${script}</script>`,
    );
    server.close();
    assert.match(page, /<p id="app">tried<\/p>/);
    assert.equal(connections, 0);
  });

  test("reads a page that never becomes idle when its time is over", async () => {
    const page = await render("<p id=app>0</p><script>setInterval(() => fetch('/x').catch(() => {}), 20)</script>", {
      settleMs: 1_000,
    });
    assert.match(page, /<p id="app">0<\/p>/);
  });

  test("aborts a page that loops forever, and kills its browser", async () => {
    const controller = new AbortController();
    const page = render("<script>fetch('/started'); for (;;);</script>", {
      signal: controller.signal,
      async fetchResource() {
        controller.abort(new Error("enough"));
        return html("");
      },
    });
    await assert.rejects(page, /enough/);
  });

  test("does not wait for a dialogue", async () => {
    assert.match(await render("<p id=app></p><script>alert(1); app.textContent = 'on'</script>"), />on</);
  });
});

describe("a browser that does not exist", () => {
  test("is an error that names the setting to fix", async () => {
    await assert.rejects(render("<p>", { chromium: "/no/such/browser" }), {
      code: "render_failed",
      hint: /render\.chromium/,
    });
  });
});
