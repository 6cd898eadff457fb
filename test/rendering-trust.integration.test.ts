/** What a hostile page can do in the browser: two sites on loopback that a fake resolver gives public names. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { openHttpClient } from "../src/acquire/http/lazy-client.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { fetchSource } from "../src/verbs/fetch.ts";
import { startServer } from "./server.ts";

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"]).status === 0,
);
const skip = chromium === undefined && "no Chromium is installed";

/** The sites: the page's own, the user's wiki that needs a cookie, and a third one. All have public addresses. */
const addresses: Readonly<Record<string, string>> = {
  "page.example": "93.184.216.34",
  "wiki.example": "93.184.216.35",
  "third.example": "93.184.216.36",
  // The same site by the browser's rules, so its frames share a process with the wiki's; yet another origin.
  "news.wiki.example": "93.184.216.37",
};
const secret = "WIKISECRET";
const cookie = { Cookie: "sid=WIKICOOKIE77" };

type Site = (request: IncomingMessage, response: ServerResponse) => void;

/** Fetches a page with scripts, with every site on its own loopback server, and returns what each site received. */
async function renderWith(sites: Readonly<Record<string, Site>>, url: string, settings: Partial<Settings> = {}) {
  const received: string[] = [];
  await using stack = new AsyncDisposableStack();
  const ports = new Map<string, number>();
  for (const [host, site] of Object.entries(sites)) {
    const server = await startServer((request, response) => {
      received.push(`${host}${request.url} ${request.headers.cookie ?? "no cookie"}`);
      site(request, response);
    });
    stack.use(server);
    ports.set(addresses[host] ?? host, server.port);
  }
  const allSettings: Settings = {
    ...defaultSettings,
    "render.chromium": chromium ?? null,
    "render.sandbox": process.getuid?.() === 0 ? "off" : "on",
    "network.headers": { "http://wiki.example": cookie },
    "network.tries": 1,
    // A bound, not a duration: pages are read when they are idle, however slow the machine is.
    "render.wait": 120_000,
    ...settings,
  };
  const dialler = {
    resolve: async (host: string) => (addresses[host] === undefined ? [] : [addresses[host]]),
    dial: async (address: string) => connect(ports.get(address) ?? 1, "127.0.0.1"),
  };
  const network = stack.use(openHttpClient({ settings: allSettings, env: {}, dialler }));
  const session = stack.use(await openSession({ settings: allSettings, env: {}, network, inMemory: true }));
  const { fields } = await fetchSource(url, {}, session);
  return { content: fields.content ?? "", warnings: fields.warnings.join(" "), received };
}

/** A page that is empty until its script ends; `work` is an async function body that returns lines to show. */
const shell = (work: string) => `<!doctype html><title>App</title><div id="root"></div><script>
  const read = (url, options) => fetch(url, options).then((r) => r.text()).catch(() => "refused");
  (async () => { ${work} })().catch((e) => ["failed " + e]).then((lines) => {
    root.innerHTML = "<main><h1>Report of the page</h1>" + lines.map((line) => "<p>" + line + "</p>").join("") +
      "<p>The script of this page has done its work and shows what it was able to read.</p></main>";
  });
</script>`;

const html = (response: ServerResponse, body: string) => void response.setHeader("content-type", "text/html").end(body);

const wiki: Site = (request, response) => {
  if (request.url?.startsWith("/jsonp")) {
    return void response.end(`window.leak = "${request.headers.cookie === undefined ? "public" : secret}"`);
  }
  html(response, request.headers.cookie === undefined ? "log in first" : secret);
};

describe("a hostile page that is rendered", { skip }, () => {
  test("does not read another host through a redirect of its own", async () => {
    const page: Site = ({ url }, response) => {
      if (url === "/hop") return void response.writeHead(302, { location: "http://wiki.example/salaries" }).end();
      html(response, shell(`return [await read("/hop"), await read("/hop", { mode: "no-cors" })]`));
    };
    const { content, received } = await renderWith(
      { "page.example": page, "wiki.example": wiki },
      "http://page.example/",
    );
    assert.match(content, /Report of the page\n\nrefused/);
    assert.ok(!content.includes(secret) && !content.includes("log in first"), content);
    assert.deepEqual(
      received.filter((line) => line.startsWith("wiki")),
      ["wiki.example/salaries no cookie", "wiki.example/salaries no cookie"],
    );
  });

  test("sends no credentials to another origin, by any of seven kinds of request", async () => {
    const work = `const wiki = "http://wiki.example";
      const xhr = new Promise((done) => { const x = new XMLHttpRequest(); x.onloadend = () => done(x.responseText || "refused");
        x.open("GET", wiki + "/xhr"); x.withCredentials = true; x.send(); });
      const add = (tag, src) => new Promise((done) => { const e = document.createElement(tag); e.onload = e.onerror = done;
        e.src = src; document.body.append(e); });
      await Promise.all([add("script", wiki + "/jsonp"), add("iframe", wiki + "/frame")]);
      return [await read(wiki + "/fetch", { credentials: "include" }), await read(wiki + "/x?action=delete", { mode: "no-cors" }),
        await read(wiki + "/plain", { mode: "no-cors" }), await xhr, "script " + window.leak,
        await import(wiki + "/module").catch(() => "refused")];`;
    const page: Site = (_, response) => html(response, shell(work));
    const { content, received } = await renderWith(
      { "page.example": page, "wiki.example": wiki },
      "http://page.example/",
    );
    assert.ok(!content.includes(secret), content);
    assert.match(content, /script public/);
    const toWiki = received.filter((line) => line.startsWith("wiki"));
    assert.equal(toWiki.length, 7, toWiki.join("\n"));
    assert.deepEqual(
      toWiki.filter((line) => !line.endsWith("no cookie")),
      [],
    );
  });

  test("reaches no place of network.allow on another origin, by address, name or redirect", async () => {
    await using intranet = await startServer((_, response) => void response.end(secret));
    const target = `http://${intranet.allow}/`;
    const page: Site = ({ url }, response) => {
      if (url === "/hop") return void response.writeHead(302, { location: target }).end();
      html(response, shell(`return [await read("${target}"), await read("/hop"), await read("http://wiki.example/")]`));
    };
    const settings = { "network.allow": [intranet.allow, "wiki.example"] };
    const { content } = await renderWith(
      { "page.example": page, "wiki.example": wiki },
      "http://page.example/",
      settings,
    );
    assert.match(content, /refused\n\nrefused\n\nrefused/);
    assert.equal(intranet.requests.length, 0);
  });

  test("gets no credentials for what a frame or a redirect of another origin chose", async () => {
    const frame = `<script>fetch("http://wiki.example/by-frame", { mode: "no-cors" }).finally(() => {
      location = "http://wiki.example/moved" })</script>`;
    const other: Site = ({ url }, response) => {
      if (url === "/bounce") return void response.writeHead(302, { location: "http://wiki.example/bounced" }).end();
      html(response, frame);
    };
    const moved = Promise.withResolvers<void>();
    const start: Site = (request, response) => {
      if (request.url === "/moved") moved.resolve();
      // Answered only when the frame is done: the page is not idle as long as it waits.
      if (request.url === "/tick") return void moved.promise.then(() => response.end("done"));
      if (request.url !== "/") return wiki(request, response);
      const work = `await read("http://news.wiki.example/bounce", { mode: "no-cors" });
        const frame = document.createElement("iframe"); frame.src = "http://news.wiki.example/frame"; document.body.append(frame);
        await read("/tick");
        return [await read("/own")];`;
      html(response, shell(work));
    };
    const sites = { "wiki.example": start, "news.wiki.example": other };
    const { content, received } = await renderWith(sites, "http://wiki.example/");
    assert.match(content, new RegExp(secret), "the page's own requests carry its credentials");
    const withCookie = received.filter((line) => line.endsWith(cookie.Cookie));
    assert.deepEqual(
      [...new Set(withCookie)],
      ["/", "/tick", "/own"].map((path) => `wiki.example${path} ${cookie.Cookie}`),
    );
    for (const path of ["/bounced", "/by-frame", "/moved"]) {
      assert.ok(received.includes(`wiki.example${path} no cookie`), `${path} in\n${received.join("\n")}`);
    }
  });

  test("gets no credentials if a redirect from another site chose it", async () => {
    const start: Site = (request, response) =>
      request.url === "/" ? html(response, shell(`return [await read("/own")]`)) : wiki(request, response);
    const third: Site = (_, response) => void response.writeHead(302, { location: "http://wiki.example/" }).end();
    const sites = { "wiki.example": start, "third.example": third };
    const { content, warnings, received } = await renderWith(sites, "http://third.example/");
    assert.match(content, /log in first/);
    assert.match(warnings, /network\.headers of wiki\.example were not sent/);
    assert.deepEqual(
      received.filter((line) => !line.endsWith("no cookie")),
      [],
    );
  });
});

describe("a page of the user's own", { skip }, () => {
  test("follows redirects on its own origin, with its credentials", async () => {
    const start: Site = (request, response) => {
      if (request.url === "/") return html(response, shell(`return [await read("/hop")]`));
      if (request.url === "/hop") return void response.writeHead(302, { location: "/own" }).end();
      wiki(request, response);
    };
    const { content } = await renderWith({ "wiki.example": start }, "http://wiki.example/");
    assert.match(content, new RegExp(secret));
  });

  test("reads another origin that permits it (CORS), also after a redirect", async () => {
    const third: Site = ({ headers }, response) =>
      void response.setHeader("access-control-allow-origin", headers.origin ?? "none").end("open data");
    const page: Site = ({ url }, response) => {
      if (url === "/hop") return void response.writeHead(302, { location: "http://third.example/b" }).end();
      html(response, shell(`return [await read("http://third.example/a"), await read("/hop")]`));
    };
    const { content } = await renderWith({ "page.example": page, "third.example": third }, "http://page.example/");
    assert.match(content, /open data\n\nopen data/);
  });
});
