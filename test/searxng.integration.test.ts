/** Web search with a real SearXNG, whose only engine asks a server of this test. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkWebSearch } from "../src/surfaces/cli/doctor/web-check.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { startServer } from "./server.ts";
import { openTools } from "./tools.ts";
import { waitUntil } from "./waiting.ts";

/** A Python that can import `searx`. */
const python = process.env.SEARXNG_PYTHON ?? "python3";
const findSearx = "import importlib.util, sys; sys.exit(importlib.util.find_spec('searx') is None)";
const isInstalled = spawnSync(python, ["-c", findSearx]).status === 0;
const skip = isInstalled ? false : "No SearXNG is installed: set SEARXNG_PYTHON to a Python that can import searx.";

/** Settings for one local engine, as JSON, which is YAML too. No plugin may ask the network. */
const makeSettings = (port: number, engineOrigin: string) => ({
  use_default_settings: { engines: { keep_only: [] } },
  general: { instance_name: "test" },
  server: { secret_key: "only for this test", limiter: false, bind_address: "127.0.0.1", port },
  search: { formats: ["html", "json"] },
  plugins: { "searx.plugins.calculator.SXNGPlugin": { active: false } },
  engines: [
    {
      name: "local",
      engine: "json_engine",
      shortcut: "lo",
      categories: ["general"],
      enable_http: true,
      search_url: `${engineOrigin}/?q={query}`,
      results_query: "results",
      url_query: "url",
      title_query: "title",
      content_query: "content",
    },
  ],
});

/** A port that was free a moment ago. */
async function findFreePort(): Promise<number> {
  await using server = await startServer((_, response) => response.end());
  return server.port;
}

test("a real SearXNG is found by doctor and answers web_search", { skip }, async () => {
  const results = [
    { url: "https://a.example/weirs?utm_source=x", title: "Weirs", content: "How weirs hold water." },
    { url: "https://b.example/", title: "Gates", content: "How gates open." },
  ];
  await using engine = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ results }));
  });
  await using folder = await makeTemporaryFolder();
  const port = await findFreePort();
  const settingsPath = join(folder.path, "settings.yml");
  await writeFile(settingsPath, JSON.stringify(makeSettings(port, engine.origin)));
  const env = { ...process.env, SEARXNG_SETTINGS_PATH: settingsPath };
  const child = spawn(python, ["-m", "searx.webapp"], { env, stdio: "ignore" });
  try {
    await using bench = await openTools({ "network.tries": 1 });
    const check = () => checkWebSearch({ ...bench.session, env: {} }, [port]);
    await waitUntil("SearXNG answers", async () => (await check()).detail.startsWith("A SearXNG answers at"));
    const settings = { ...bench.session.settings, "web.addresses": [`searxng=http://127.0.0.1:${port}`] };
    for (const freshness of [undefined, "week"]) {
      const { text, fields } = await bench.call("web_search", { query: "weirs", freshness }, { settings, env: {} });
      // Its engine has no time range, so with one it is not asked.
      const expected = freshness === undefined ? ["https://a.example/weirs", "https://b.example/"] : [];
      assert.deepEqual((fields.results as { url: string }[]).map(({ url }) => url).sort(), expected, text);
    }
  } finally {
    const isRunning = child.exitCode === null && child.kill("SIGKILL");
    if (isRunning) await once(child, "exit");
  }
});
