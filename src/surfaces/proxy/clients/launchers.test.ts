/** What each client is given so that it uses the proxy, and that the user's own files stay as they are. */
import assert from "node:assert/strict";
import { lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { listPasteLines } from "../paste-lines.ts";
import type { Launcher, ProxyUrls } from "./launcher.ts";
import { launchers } from "./launchers.ts";

const url = "http://127.0.0.1:1/token";
const urls: ProxyUrls = {
  openai: `${url}/openai/v1`,
  anthropic: `${url}/anthropic`,
  gemini: `${url}/gemini`,
  chatgpt: `${url}/chatgpt`,
};

const find = (name: string): Launcher =>
  launchers.find((launcher) => launcher.name === name) ?? assert.fail(`no launcher ${name}`);

/** Prepares a client whose home folder holds these files. */
async function prepare(name: string, files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const folder = await makeTemporaryFolder();
  const home = join(folder.path, "home");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(home, path, ".."), { recursive: true });
    await writeFile(join(home, path), text);
  }
  const launch = await find(name).prepare(urls, { env: { HOME: home, ...env }, folder: folder.path });
  return { ...launch, home, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe("a client is given the address", () => {
  for (const [name, variable, address] of [
    ["claude", "ANTHROPIC_BASE_URL", urls.anthropic],
    ["gemini", "GOOGLE_GEMINI_BASE_URL", urls.gemini],
    ["qwen", "OPENAI_BASE_URL", urls.openai],
    ["aider", "OPENAI_API_BASE", urls.openai],
    ["aider", "ANTHROPIC_API_BASE", urls.anthropic],
    ["goose", "OPENAI_HOST", `${url}/openai/`],
    ["goose", "ANTHROPIC_HOST", `${url}/anthropic/`],
  ] as const) {
    test(`${name}: ${variable}`, async () => {
      await using launch = await prepare(name);
      assert.deepEqual([launch.env[variable], launch.args], [address, []]);
    });
  }

  test("gemini: with the login by key, in a copy of its settings", async () => {
    const settings =
      '{ // mine\n "mcpServers": {"a": {"url": "https://a.b/c"}}, /* or */ "security": {"auth": {"x": 1}} }';
    const files = { ".gemini/settings.json": settings, ".gemini/GEMINI.md": "notes" };
    await using launch = await prepare("gemini", files, { GEMINI_API_KEY: "k" });
    const copy = join(launch.env.GEMINI_CLI_HOME ?? "", ".gemini");
    assert.deepEqual(JSON.parse(await readFile(join(copy, "settings.json"), "utf8")), {
      mcpServers: { a: { url: "https://a.b/c" } },
      security: { auth: { x: 1, selectedType: "gemini-api-key" } },
    });
    assert.ok((await lstat(join(copy, "GEMINI.md"))).isSymbolicLink());
    assert.equal(await readFile(join(launch.home, ".gemini/settings.json"), "utf8"), settings);
  });

  test("codex: as a provider of its own, by key or by login", async () => {
    await using byKey = await prepare("codex", {}, { OPENAI_API_KEY: "k" });
    await using byLogin = await prepare("codex");
    assert.match(
      byKey.args.join(" "),
      /base_url="http:\/\/127\.0\.0\.1:1\/token\/openai\/v1".*env_key="OPENAI_API_KEY"/,
    );
    assert.match(
      byLogin.args.join(" "),
      /base_url="http:\/\/127\.0\.0\.1:1\/token\/chatgpt".*requires_openai_auth=true/,
    );
    assert.ok([byKey, byLogin].every(({ args }) => args.join(" ").includes("supports_websockets=false")));
  });

  test("opencode: in its inline config, beside what the user passes there", async () => {
    const given = JSON.stringify({ theme: "dark", provider: { openai: { options: { timeout: 5 } } } });
    await using launch = await prepare("opencode", {}, { OPENCODE_CONFIG_CONTENT: given });
    const config = JSON.parse(launch.env.OPENCODE_CONFIG_CONTENT ?? "");
    assert.deepEqual(
      [config.theme, config.provider.openai.options, config.provider.anthropic.options.baseURL],
      ["dark", { timeout: 5, baseURL: urls.openai }, `${urls.anthropic}/v1`],
    );
  });

  for (const [name, file, variable, text, read] of [
    [
      "pi",
      ".pi/agent/models.json",
      "PI_CODING_AGENT_DIR",
      '{"providers":{"local":{"baseUrl":"http://x"}}}',
      (config: { providers: Record<string, { baseUrl: string }> }) => [
        config.providers.local?.baseUrl,
        config.providers.anthropic?.baseUrl,
      ],
    ],
    [
      "cline",
      ".cline/data/settings/providers.json",
      "CLINE_DATA_DIR",
      '{"providers":{"local":{"settings":{"baseUrl":"http://x"}},"anthropic":{"settings":{"apiKey":"k"}}}}',
      (config: { providers: Record<string, { settings: { baseUrl: string } }> }) => [
        config.providers.local?.settings.baseUrl,
        config.providers.anthropic?.settings.baseUrl.replace(/\/v1$/, ""),
      ],
    ],
  ] as const) {
    test(`${name}: in a copy of ${file}, beside links to everything else`, async () => {
      const sibling = join(file, "..", "other.json");
      await using launch = await prepare(name, { [file]: text, [sibling]: "{}" });
      const folder = launch.env[variable] ?? assert.fail("no folder");
      const inFolder = file
        .split("/")
        .slice(name === "pi" ? 2 : 2)
        .join("/");
      assert.deepEqual(read(JSON.parse(await readFile(join(folder, inFolder), "utf8"))), ["http://x", urls.anthropic]);
      assert.ok((await lstat(join(folder, inFolder, "..", "other.json"))).isSymbolicLink());
      assert.equal(await readFile(join(launch.home, file), "utf8"), text, "the user's file stays");
    });
  }

  test("Continue: in a copy of its config, for models without an address of their own", async () => {
    const yaml = [
      "models:",
      "  - name: A",
      "    provider: anthropic",
      "    model: claude",
      "  - name: B",
      "    provider: openai",
      "    apiBase: https://own.example/v1",
      "  - provider: gemini",
      "    model: g",
      "",
    ].join("\n");
    await using launch = await prepare("cn", { ".continue/config.yaml": yaml });
    const copy = await readFile(launch.args[1] ?? "", "utf8");
    assert.equal(launch.args[0], "--config");
    assert.match(copy, /provider: anthropic\n {4}apiBase: http:\/\/127\.0\.0\.1:1\/token\/anthropic\/v1\/\n/);
    assert.match(copy, /provider: openai\n {4}apiBase: https:\/\/own\.example\/v1\n/);
    assert.match(copy, / {2}- provider: gemini\n {4}apiBase: http:\/\/127\.0\.0\.1:1\/token\/gemini\/v1beta\/\n/);
    assert.equal(await readFile(join(launch.home, ".continue/config.yaml"), "utf8"), yaml);
  });

  test("Continue without a config is told how to get one", async () => {
    await assert.rejects(prepare("cn"), /Continue has no config/);
  });
});

test("spillway proxy prints a line for every client, and a shell can read it", async () => {
  const addresses = ["openai", "anthropic", "gemini"].map((name) => `${url}/${name}`);
  const lines = await listPasteLines(urls, addresses);
  assert.equal(lines.length, launchers.length);
  assert.ok(lines.every((line) => line.includes(url)));
  assert.ok(
    lines.some((line) =>
      /^Codex: +codex -c 'model_providers\.spillway=\{.*\}' -c 'model_provider="spillway"' -c allow_login_shell=false$/.test(
        line,
      ),
    ),
  );
});

test("a client whose provider the proxy does not have gets no line", async () => {
  const names = (await listPasteLines(urls, [`${url}/anthropic`])).map((line) => line.split(":")[0]);
  assert.ok(names.includes("Claude Code") && names.includes("aider"), names.join());
  assert.ok(!names.includes("Gemini CLI") && !names.includes("Codex"), names.join());
  assert.deepEqual(await listPasteLines(urls, [`${url}/open`, `${url}/own`]), []);
});
