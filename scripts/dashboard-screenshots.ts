/** Makes the screenshots of docs/dashboard.md: real calls on thirty days, looked at in a browser. */
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findClientProfile } from "../src/config/clients.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { findHttpSimulator } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { openSession } from "../src/session/session.ts";
import { callTool } from "../src/tools/call-tool.ts";
import { findTool } from "../src/tools/tools.ts";
import { simulateProvider } from "../test/provider.ts";
import { openServedHttp } from "../test/served-http.ts";
import { startServer } from "../test/server.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS = 30;
const root = join(import.meta.dirname, "..");
const images = join(root, "docs", "images");
const clients = ["claude-code", "codex-mcp-client", "opencode"].map((name) => findClientProfile(name));

type Tools = { call(name: string, input: object): Promise<string> };

/** A day of work: some long pages and documents, and what was read of them again. */
async function workOn(day: number, home: string, paths: readonly string[]): Promise<void> {
  const startedAt = Date.now() - day * DAY_MS;
  await using session = await openSession({
    settings: { ...defaultSettings, home, run: `day ${DAYS - day}`, "network.allow": [server.allow] },
    cwd: root,
    now: () => startedAt + performance.now(),
  });
  const client = clients[day % clients.length];
  const tools: Tools = {
    async call(name, input) {
      const tool = findTool(name);
      if (tool === undefined) throw new Error(name);
      return (await callTool(tool, input, { ...session, client })).text;
    },
  };
  const count = 2 + ((day * 7) % 5);
  for (let index = 0; index < count; index++)
    await readSource(tools, `${server.origin}${paths[(day * 5 + index * 11) % paths.length]}`, index);
  if (day % 6 === 1) await overflow(session, "result", day);
  if (day % 12 === 1) await overflow(session, "question", day);
}

async function readSource({ call }: Tools, url: string, index: number): Promise<void> {
  const text = await call("fetch_content", { url });
  const ref = /af_[0-9a-f]{32}/.exec(text)?.[0];
  if (ref !== undefined && index % 2 === 0)
    await call("read_artifact", { artifact_ref: ref, query: "limit of a reply" });
}

/** A request that is too large because of a result, which is set aside, or of a question, which is not. */
async function overflow(
  session: Awaited<ReturnType<typeof openSession>>,
  large: "result" | "question",
  day: number,
): Promise<void> {
  const { address, writeRequest } = findHttpSimulator("anthropic-messages");
  const log = "a line of a long log\n".repeat(3_000);
  const result = { tool: "shell", result: { text: large === "result" ? log : "done", form: "text" as const } };
  const turns = [
    { user: `What happened on day ${day}?`, rounds: [[result]], answer: "A test failed." },
    { user: large === "question" ? log : "Why?", rounds: [] },
  ];
  const body = JSON.stringify(writeRequest({ system: "You fix tests.", turns, outputTokens: 500 }));
  const fetch = withOverflowRecovery(simulateProvider({ windowTokens: 6_000 }).fetch, { session });
  await fetch(address, { method: "POST", body });
}

/** A site with pages, PDFs and files whose header is wrong; every third page is long. */
async function startSite() {
  const folders = ["pages", "pdfs", "detect"].map((name) => join(root, "test", "fixtures", name));
  const files = new Map<string, Buffer>();
  for (const folder of folders) {
    const names = (await readdir(folder)).filter((name) => /\.(?:html|pdf|bin|docx|csv|json|xml|png|zip)$/.test(name));
    for (const name of names.slice(0, 12)) files.set(`/${name}`, await readFile(join(folder, name)));
  }
  const guide = await readFile(join(root, "docs", "architecture.md"));
  for (let part = 1; part <= 12; part++) files.set(`/guide-${part}.txt`, Buffer.concat(Array(part).fill(guide)));
  const server = await startServer((request, response) => {
    const body = files.get(request.url ?? "") ?? Buffer.from("nothing here");
    response.writeHead(200, { "content-type": request.url?.endsWith(".html") ? "text/html" : "text/plain" }).end(body);
  });
  return { server, paths: [...files.keys()] };
}

const { server, paths } = await startSite();
await using served = await openServedHttp();
for (let day = DAYS - 1; day >= 0; day--) await workOn(day, served.home, paths);

await mkdir(images, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [file, view, width, colorScheme] of [
  ["dashboard-overview.png", "overview", 1_440, "light"],
  ["dashboard-overview-phone.png", "overview", 390, "light"],
  ["dashboard-decisions.png", "decisions", 1_440, "dark"],
  ["dashboard-overflow.png", "overflow", 1_440, "light"],
  ["dashboard-artifacts-phone.png", "artifacts", 390, "dark"],
] as const) {
  const page = await browser.newPage({ viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme });
  await page.goto(`${served.url}/sign-in`);
  await page.getByLabel("Token").fill(served.localToken ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goto(`${served.url}/#${view}`);
  await page.reload();
  const latest = page.getByRole("heading", { name: "Latest on this machine" });
  await page.getByRole("table").or(latest).first().waitFor();
  await page.screenshot({ path: join(images, file) });
  await page.close();
}
await browser.close();
await server[Symbol.asyncDispose]();
