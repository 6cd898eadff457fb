import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { docFiles } from "../scripts/docs.ts";
import { commands } from "../src/surfaces/cli/commands.ts";
import { tools } from "../src/tools/tools.ts";
import { version } from "../src/version.ts";
import { temporaryFolder } from "./bodies.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const fileText = (name: string) => readFile(new URL(`../${name}`, import.meta.url), "utf8");

for (const [name, text] of Object.entries(await docFiles())) {
  test(`docs/${name} is what the tables say`, async () => {
    const committed = await fileText(`docs/${name}`).catch(() => "");
    assert.ok(committed === text, `docs/${name} is out of date. Run \`npm run docs\` and commit the result.`);
  });
}

test("the version is the same in the code, the package and the change log", async () => {
  assert.equal(JSON.parse(await fileText("package.json")).version, version);
  assert.match(await fileText("CHANGELOG.md"), new RegExp(`^## ${version.replaceAll(".", "\\.")}`, "m"));
});

test("the README names every tool and every command", async () => {
  const readme = await fileText("README.md");
  for (const { name } of tools) assert.ok(readme.includes(`| \`${name}\` `), name);
  for (const { name } of commands) assert.match(readme, new RegExp(`^\\| \`${name}\\b`, "m"));
});

test("the lines that add us to clients start the server as it can be had today", async () => {
  for (const page of ["README.md", "docs/mcp.md"]) {
    const text = await fileText(page);
    const configs = text.split("\n").filter((line) => /^\{ "(mcpServers|servers|mcp)"/.test(line));
    assert.ok(configs.length >= 3, page);
    for (const line of configs) assert.match(JSON.stringify(JSON.parse(line)), /"spillway".*"mcp"/);
    for (const client of ["claude", "codex", "pi"])
      assert.ok(text.includes(`${client} mcp add spillway -- spillway mcp`));
    assert.ok(text.includes(`npm pack && npm install -g ./spillway-${version}.tgz`), page);
    assert.equal(text.match(/npx/g)?.length, 1, `${page} promises a published package in one sentence only`);
    assert.match(text, /published,\s+`npx -y spillway mcp` will/);
  }
});

test("the server runs out of the source by npm, as the README has it, and prints nothing of npm's", async () => {
  await using folder = await temporaryFolder();
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const { stdout } = spawnSync("npm", ["--silent", "--prefix", root, "start", "--", "mcp"], {
    cwd: folder.path,
    env: { ...process.env, SPILLWAY_HOME: folder.path },
    input: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  assert.equal(JSON.parse(stdout).result.serverInfo.name, "spillway");
});

test("every relative link of the README and of docs leads somewhere", async () => {
  for (const page of [
    "README.md",
    "docs/architecture.md",
    "docs/network.md",
    "docs/html.md",
    "docs/tools.md",
    "docs/mcp.md",
  ]) {
    for (const [, target = ""] of (await fileText(page)).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      const path = new URL(target, new URL(`../${page}`, import.meta.url));
      await assert.doesNotReject(readFile(path), `${page} links to ${target}`);
    }
  }
});
