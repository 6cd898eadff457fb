import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readlink, symlink, utimes } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { makeProfile, sweepProfiles } from "./profiles.ts";
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
    memoryBytes: 1024 * 1024 * 1024,
    folders: [tmpdir()],
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

  for (const [what, grow] of Object.entries({
    objects: "for (const all = []; ; ) all.push({ a: all.length, b: [1, 2, 3] })",
    buffers: "for (const all = []; all.length < 4000; ) all.push(new Uint8Array(1 << 24).fill(1))",
    elements: "for (;;) { const p = document.createElement('p'); p.innerHTML = '<b>x</b>'.repeat(99); app.append(p) }",
  })) {
    test(`ends a page that fills the memory with ${what}, and says which setting allows more`, async () => {
      await using folder = await makeTemporaryFolder();
      const options = { memoryBytes: 400 * 1024 * 1024, folders: [folder.path] };
      await assert.rejects(render(`<div id=app></div><script>${grow}</script>`, options), {
        code: "render_failed",
        message: /needs more memory in the browser than the 419 MB/,
        hint: /render\.memory_bytes/,
      });
      assert.deepEqual(await readdir(folder.path), []);
    });
  }

  test("keeps its temporary files in the profile, also below a long path, and leaves none behind", async () => {
    await using folder = await makeTemporaryFolder();
    const long = join(folder.path, "x".repeat(120));
    let socket = "";
    const page = await render("<p id=app></p><script>fetch('/x').catch(() => { app.textContent = 'made' })</script>", {
      folders: [long],
      async fetchResource() {
        const [profile = ""] = await readdir(long);
        // Chromium puts its socket below the folder for temporary files and links to it.
        socket = resolve(long, profile, await readlink(join(long, profile, "SingletonSocket")));
        throw new Error("nothing there");
      },
    });
    assert.match(page, />made</);
    assert.ok(socket.startsWith(join(long, "spillway-render-")), socket);
    assert.deepEqual(await readdir(long), []);
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

describe("sweeping profiles", () => {
  /** A profile as a process with this number would name it on this machine. */
  async function makeProfileOf(folder: string, pid: number): Promise<string> {
    const name = (await makeProfile([folder])).replace(`-${process.pid}-`, `-${pid}-`);
    await mkdir(join(name, "Default"), { recursive: true });
    return name.slice(folder.length + 1);
  }

  test("removes those of ended processes and old ones, and nothing else", async () => {
    await using folder = await makeTemporaryFolder();
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    const abandoned = await makeProfileOf(folder.path, ended);
    const ofOther = (await makeProfileOf(folder.path, ended)).replace(/render-[0-9a-f]{8}/, "render-00000000");
    await mkdir(join(folder.path, ofOther));
    const used = await makeProfileOf(folder.path, process.pid);
    const old = await makeProfileOf(folder.path, process.pid);
    await utimes(join(folder.path, old), new Date(0), new Date(0));
    const ofOldVersion = "spillway-render-aB3dE6";
    await mkdir(join(folder.path, ofOldVersion));
    await utimes(join(folder.path, ofOldVersion), new Date(0), new Date(0));
    await mkdir(join(folder.path, "spillway-render-mine"));
    await utimes(join(folder.path, "spillway-render-mine"), new Date(0), new Date(0));
    await mkdir(join(folder.path, "precious"));
    await symlink(
      "precious",
      join(
        folder.path,
        abandoned.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      ),
    );

    await sweepProfiles([folder.path, join(folder.path, "missing")], Date.now());
    const left = await readdir(folder.path);
    for (const name of [used, ofOther, "precious", "spillway-render-mine"]) assert.ok(left.includes(name), name);
    for (const name of [abandoned, old, ofOldVersion]) assert.ok(!left.includes(name), name);
  });

  test("does not look behind a link", async () => {
    await using folder = await makeTemporaryFolder();
    await mkdir(join(folder.path, "real"));
    const name = await makeProfileOf(join(folder.path, "real"), spawnSync(process.execPath, ["--version"]).pid);
    await symlink("real", join(folder.path, "tmp"));
    for (const link of ["tmp", "tmp/"]) {
      assert.equal(await sweepProfiles([`${folder.path}/${link}`], Date.now()), 0, link);
    }
    assert.ok((await readdir(join(folder.path, "real"))).includes(name));
  });
});
