/** The dashboard in a real browser, with data made by real calls. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { addUsageRows } from "../src/catalogue/usage-rows.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { findHttpSimulator } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { indexRepository } from "../src/search/search.ts";
import { openSession } from "../src/session/session.ts";
import { createRelay } from "../src/surfaces/gateway/relay.ts";
import { openToolPins } from "../src/surfaces/gateway/tools/tool-pins.ts";
import { makeToolRules } from "../src/surfaces/gateway/tools/tool-rules.ts";
import { simulateProvider } from "./provider.ts";
import { connectClient, openServedHttp } from "./served-http.ts";
import { waitUntil } from "./waiting.ts";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => spawnSync(path, ["--version"]).status === 0,
);
const skip = program === undefined && "there is no Chromium";
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A title that would run a script or break the layout if it were markup. */
const hostileName = `<img src=x onerror="document.title='owned'"><b>\u202egpj.exe${"wide".repeat(60)}`;
const text = "A weir is a barrier across a river.\n".repeat(2_000);
const dataUrl = (content: string) => `data:text/plain,${encodeURIComponent(content)}`;

let browser: Browser | undefined;
after(() => browser?.close());

async function openBrowser(): Promise<Browser> {
  browser ??= await chromium.launch({ executablePath: program ?? "", args: ["--no-sandbox"] });
  return browser;
}

type Served = Awaited<ReturnType<typeof openServedHttp>>;

/** A page of a browser in which the operator is signed in. Faults on the page end the test. */
async function openPage(served: Served, size = { width: 1_440, height: 900 }) {
  const context = await (await openBrowser()).newContext({ viewport: size });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(served.url);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Token").fill(served.localToken ?? assert.fail("no token"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return {
    page,
    requests,
    async [Symbol.asyncDispose]() {
      await context.close();
      assert.deepEqual(faults, []);
    },
  };
}

/** What the operator does on a machine, through the real paths. */
async function makeHistory(served: Served): Promise<void> {
  await using connected = await connectClient(served.mcpUrl, served.localToken ?? "", "2026-07-28", "codex-mcp-client");
  const { client } = connected;
  const fetched = await client.callTool({ name: "fetch_content", arguments: { url: dataUrl(text), max_chars: 2_000 } });
  const ref = /af_[0-9a-f]{32}/.exec(JSON.stringify(fetched))?.[0] ?? assert.fail("no ref");
  await client.callTool({ name: "read_artifact", arguments: { artifact_ref: ref, lines: "1-20" } });
  await workLocally(served);
}

async function workLocally(served: Served): Promise<void> {
  await writeFile(join(served.folder, "weir.ts"), "export const weir = 1;\n");
  await using session = await openSession({
    settings: { ...defaultSettings, home: served.home, run: "local" },
    cwd: served.folder,
  });
  await indexRepository({}, session);
  await recoverOnce(session);
  await wrapOnce(session);
}

type LocalSession = Awaited<ReturnType<typeof openSession>>;

async function recoverOnce(session: LocalSession): Promise<void> {
  const { address, writeRequest } = findHttpSimulator("openai-chat");
  const result = { tool: "shell", result: { text: text.slice(0, 40_000), form: "text" as const } };
  const turns = [
    { user: "What happened?", rounds: [[result]], answer: "It rained." },
    { user: "And?", rounds: [] },
  ];
  const body = JSON.stringify(writeRequest({ system: "You watch dams.", turns, outputTokens: 500 }));
  const fetch = withOverflowRecovery(simulateProvider({ windowTokens: 4_000 }).fetch, { session });
  assert.equal((await fetch(address, { method: "POST", body })).status, 200);
}

/** A wrapped server whose tool has a hostile name. */
async function wrapOnce(session: LocalSession): Promise<void> {
  const relay = createRelay({
    ...{ session, server: "files", client: "Codex", configName: undefined },
    rules: makeToolRules({ mode: "bound" }),
    pins: openToolPins({ folder: null, server: "files", source: "", rule: "show", log: () => undefined }),
    toClient: async () => undefined,
    toServer: async () => undefined,
    log: () => undefined,
  });
  const params = { name: hostileName, arguments: {} };
  await relay.fromClient(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  const result = { content: [{ type: "text", text }] };
  await relay.fromServer(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
}

async function show(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, level: 2, exact: true }).waitFor();
}

async function findSeriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

const viewNames = ["Overview", "Clients", "Decisions", "Overflow", "Index jobs", "Artifacts", "Wrapped servers"];
const shots = process.env.SPILLWAY_SHOTS;

describe("the dashboard", { skip }, () => {
  test("shows what real calls did, in every view, readable by all and at any width", async () => {
    await using served = await openServedHttp();
    await makeHistory(served);
    await waitForCounts(served, 3);
    for (const [width, height] of [
      [1_440, 900],
      [390, 844],
    ] as const) {
      await using opened = await openPage(served, { width, height });
      const { page, requests } = opened;
      for (const name of viewNames) {
        if (name !== "Overview") await show(page, name);
        assert.deepEqual(await findSeriousProblems(page), [], `${name} at ${width}`);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(Number(overflow) <= 0, `${name} is ${overflow} pixels wider than ${width}`);
        if (shots)
          await page.screenshot({ path: join(shots, `${name.replace(" ", "-")}-${width}.png`), fullPage: true });
      }
      assert.ok(
        requests.every((url) => url.startsWith(served.url)),
        "nothing is loaded from elsewhere",
      );
      assert.equal(await page.title(), "Wrapped servers – Spillway", "the hostile name ran no script");
    }
    await using opened = await openPage(served);
    const { page } = opened;
    const main = page.getByRole("main");
    await main.getByText("Characters kept out of context", { exact: true }).first().waitFor();
    await show(page, "Clients");
    assert.match((await main.textContent()) ?? "", /codex.*2,000/i);
    await show(page, "Decisions");
    assert.match((await main.textContent()) ?? "", /How sources were treated[\s\S]*text.*the server's header/);
    assert.match((await main.textContent()) ?? "", /Latest decisions[\s\S]*text \(text\/plain\).*the server's header/);
    await show(page, "Overflow");
    assert.match((await main.textContent()) ?? "", /Made smaller and answered1.*Stayed too large0/);
    assert.match(
      (await main.textContent()) ?? "",
      /made smaller from .* and answered; set aside: af_[\s\S]*refused, context_tokens/,
    );
    await show(page, "Index jobs");
    assert.match((await main.textContent()) ?? "", /completed.*100 %/);
    await show(page, "Wrapped servers");
    assert.ok(((await main.textContent()) ?? "").includes(hostileName.slice(0, 40)));
    await show(page, "Artifacts");
    const shown = (await main.textContent()) ?? "";
    assert.ok(shown.includes("gpj.exe") && !/[\u202a-\u202e\u2066-\u2069]/.test(shown), "no name turns another way");
    await page.getByText("…").first().click();
    await page.getByText(hostileName.slice(-100)).first().waitFor();
  });

  test("is opened by the operator's link, once, and closed by signing out", async () => {
    await using served = await openServedHttp();
    const link = served.signInUrl ?? assert.fail("no link");
    const page = await (await openBrowser()).newPage();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This link or token is not valid").waitFor();
    await page.close();
  });

  test("finds and previews artifacts", async () => {
    await using served = await openServedHttp();
    await makeHistory(served);
    await using opened = await openPage(served);
    const { page } = opened;
    await show(page, "Artifacts");
    await page.getByRole("searchbox").fill("data:");
    await page.keyboard.press("Enter");
    await page
      .getByRole("button", { name: /^Preview/ })
      .first()
      .click();
    await page.getByText("A weir is a barrier across a river.").first().waitFor();
    await page.getByRole("searchbox").fill("no such thing");
    await page.keyboard.press("Enter");
    await page.getByText("No artifact has these words").waitFor();
  });

  test("searches thousands of artifacts step by step", async () => {
    await using served = await openServedHttp();
    await addArtifacts(served, 6_000);
    await using opened = await openPage(served);
    const { page } = opened;
    await show(page, "Artifacts");
    await page.getByRole("button", { name: "Show older" }).click();
    await page.getByRole("button", { name: "Preview page 5901", exact: true }).waitFor();
    await page.getByRole("searchbox").fill("page 999");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Search older than these 5,000" }).click();
    await page.getByRole("button", { name: "Preview page 999", exact: true }).waitFor();
    await page.getByText("These are all.").waitFor();
  });

  test("shows a year of outcomes that no log has any more", async () => {
    await using served = await openServedHttp();
    const owner = `user-${process.getuid?.()}`;
    const day = new Date(Date.now() - 300 * 86_400_000).toISOString().slice(0, 10);
    const common = { day, client: "codex", tool: "fetch_content", reason: "", bytes_before: 9_000, bytes_after: 2_000 };
    const sizes = { ...common, largest: 4_711, largest_limit: 5_000 };
    const outcomes = [
      { ...sizes, event: "overflow.recovered", kind: "context_tokens", count: 1_234 },
      { ...sizes, event: "ingest.classified", kind: "pdf", reason: "magic", count: 777 },
      { ...sizes, event: "tool.called", kind: "client", count: 5 },
      { ...sizes, event: "gateway.bounded", kind: "files", reason: hostileName, count: 3 },
    ] as const;
    const rows = [{ day, client: "codex", tool: "fetch_content", usage: { replies: 5 } }];
    const writer = { owner, run: "old", now: Date.now(), batch: "old" };
    await addUsageRows(served.catalogue, writer, { rows, outcomes });
    await using opened = await openPage(served);
    const { page } = opened;
    await page.getByLabel("Time").selectOption("365");
    const main = page.getByRole("main");
    for (const [name, expected] of [
      ["Clients", "4,711 characters, limit 5,000"],
      ["Decisions", "its first bytes"],
      ["Overflow", "1,234"],
      ["Wrapped servers", "4,711 characters"],
    ] as const) {
      await show(page, name);
      await main.getByText(expected).first().waitFor();
    }
  });

  test("of an empty store says what to try first", async () => {
    await using served = await openServedHttp();
    await using opened = await openPage(served);
    await opened.page.getByText("Nothing was counted in this time.").waitFor();
    await opened.page.getByText("claude mcp add --transport http spillway").waitFor();
    assert.deepEqual(await findSeriousProblems(opened.page), []);
  });

  test("follows what happens without a reload", async () => {
    await using served = await openServedHttp();
    await using opened = await openPage(served);
    const { page } = opened;
    await page.getByText("Live: this page follows what happens.").waitFor();
    await show(page, "Decisions");
    await page.getByText("No source was fetched in this time.").waitFor();
    await makeHistory(served);
    await page.getByRole("rowheader", { name: "data:" }).first().waitFor();
  });

  test("is used with the keyboard alone, in light and dark", async () => {
    await using served = await openServedHttp();
    await makeHistory(served);
    await using opened = await openPage(served);
    const { page } = opened;
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to content");
    await page.getByRole("link", { name: "Clients" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Clients", level: 2 }).waitFor();
    await waitUntil(
      "the view has the focus",
      async () => (await page.evaluate("document.activeElement.id")) === "view",
    );
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findSeriousProblems(page), [], colorScheme);
      if (shots) await page.screenshot({ path: join(shots, `clients-${colorScheme}.png`) });
    }
  });

  test("shows each owner its own data, and an admin the sums", async () => {
    await using served = await openServedHttp();
    const [ann, boss] = [
      await served.makeToken({ name: "ann", owner: "ann" }),
      await served.makeToken({ name: "boss", owner: "boss", isAdmin: true }),
    ];
    await using connected = await connectClient(served.mcpUrl, ann, "2026-07-28");
    await connected.client.callTool({ name: "fetch_content", arguments: { url: dataUrl(text), max_chars: 2_000 } });
    const cookies = await Promise.all([ann, boss].map((token) => signIn(served, token)));
    const readReplies = async (cookie: string, query: string) => {
      const { groups } = await readJson(served, `usage?by=day&${query}`, cookie);
      return groups.map(({ usage }) => usage.replies);
    };
    await waitUntil("the count is written", async () => (await readReplies(cookies[0] ?? "", "")).length > 0);
    assert.deepEqual(await readReplies(cookies[0] ?? "", "scope=all"), [1]);
    assert.deepEqual(await readReplies(cookies[1] ?? "", ""), []);
    assert.deepEqual(await readReplies(cookies[1] ?? "", "scope=all"), [1]);
  });

  test("refuses data without a cookie, and changes of other sites", async () => {
    await using served = await openServedHttp();
    const ask = (path: string, init?: RequestInit) => fetch(`${served.url}/dashboard/api/${path}`, init);
    assert.equal((await ask("me")).status, 401);
    assert.equal((await ask("me", { headers: { authorization: `Bearer ${served.localToken}` } })).status, 401);
    const cookie = await signIn(served, served.localToken ?? "");
    assert.equal((await ask("me", { headers: { cookie } })).status, 200);
    assert.equal((await ask("preview", { headers: { cookie } })).status, 405);
    const foreign = { cookie, origin: "https://evil.example", "content-type": "application/json" };
    assert.equal((await ask("preview", { method: "POST", headers: foreign, body: "{}" })).status, 403);
    const own = { cookie, "content-type": "application/json" };
    const bad = await ask("preview", { method: "POST", headers: own, body: '{"ref":"af_1"}' });
    assert.ok(bad.status === 400 || bad.status === 404);
    const page = await fetch(served.url, { headers: { accept: "text/html", cookie } });
    assert.match(
      page.headers.get("content-security-policy") ?? "",
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    );
  });
});

/** Rows as real artifacts have them, without their bytes; the last ones are used last. */
async function addArtifacts({ catalogue }: Served, count: number): Promise<void> {
  const signals = { mime: "text/plain", magic: null, extension: null, content: "utf-8", notes: [] };
  const facts = { media_type: "text/plain", content_kind: "text", charset: "utf-8", decided_by: "mime", signals };
  const record = JSON.stringify({
    ...facts,
    source_url: "https://example.com/",
    name: "page N",
    source_truncated: false,
  });
  await catalogue.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO artifacts SELECT ?, 'af_' || printf('%032x', i), printf('%064x', i), 9, 9, i, i, 'r', replace(?, 'N', i)
     FROM n`,
    ...[count, `user-${process.getuid?.()}`, record],
  );
}

async function signIn(served: Served, token: string): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ token }).toString();
  const response = await fetch(`${served.url}/sign-in`, { method: "POST", headers, body, redirect: "manual" });
  return response.headers.get("set-cookie")?.split(";")[0] ?? assert.fail("no cookie");
}

type Groups = { readonly groups: readonly { readonly usage: { readonly replies: number } }[] };

async function readJson(served: Served, path: string, cookie: string): Promise<Groups> {
  return (await fetch(`${served.url}/dashboard/api/${path}`, { headers: { cookie } })).json() as Promise<Groups>;
}

/** Usage is written some seconds after it happened. */
async function waitForCounts(served: Served, replies: number): Promise<void> {
  const cookie = await signIn(served, served.localToken ?? "");
  await waitUntil("the counts are written", async () => {
    const { groups } = await readJson(served, "usage?by=day", cookie);
    return groups.reduce((sum, { usage }) => sum + usage.replies, 0) >= replies;
  });
}
