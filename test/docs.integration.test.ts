import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { renderDocFiles } from "../scripts/docs.ts";
import { listHeadingIds } from "../scripts/site/heading-ids.ts";
import { settingNames } from "../src/config/settings.ts";
import type { Command } from "../src/surfaces/cli/command.ts";
import { commands } from "../src/surfaces/cli/commands.ts";
import { commonOptions } from "../src/surfaces/cli/help.ts";
import { eventRows } from "../src/telemetry/events.ts";
import { builtInTools } from "../src/tools/tools.ts";
import { version } from "../src/version.ts";
import { makeTemporaryFolder } from "./bodies.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const fileText = (name: string) => readFile(new URL(`../${name}`, import.meta.url), "utf8");

for (const [name, text] of Object.entries(await renderDocFiles())) {
  test(`docs/${name} is generated from the current tables`, async () => {
    const committed = await fileText(`docs/${name}`).catch(() => "");
    assert.ok(committed === text, `docs/${name} is out of date. Run \`npm run docs\` and commit the result.`);
  });
}

test("the version is the same in the code, the package and the change log", async () => {
  assert.equal(JSON.parse(await fileText("package.json")).version, version);
  assert.match(await fileText("CHANGELOG.md"), new RegExp(`^## \\[?${version.replaceAll(".", "\\.")}\\b`, "m"));
});

test("every setting, command, option, tool and event is on its page", async () => {
  const pages: readonly (readonly [page: string, names: readonly string[]])[] = [
    ["settings.md", settingNames.map((name) => `\`${name}\``)],
    ["events.md", Object.keys(eventRows).map((name) => `## \`${name}\``)],
    ["tools.md", builtInTools.map(({ name }) => `\`${name}\``)],
    ["cli.md", commands.map(({ name }) => `\n## ${name}\n`)],
  ];
  for (const [page, names] of pages) {
    const text = await fileText(`docs/${page}`);
    for (const name of names) assert.ok(text.includes(name), `docs/${page} lacks ${name}`);
  }
  const sections = (await fileText("docs/cli.md")).split(/^## /m);
  for (const { name, load } of commands) {
    const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? assert.fail(name);
    for (const option of Object.keys((await load()).options))
      assert.match(section, new RegExp(`--${option}\\b`), `docs/cli.md lacks ${name} --${option}`);
  }
});

test("every path that docs/architecture.md names exists", async () => {
  const paths: string[] = [];
  for await (const path of glob("{src,test}{,/**/*}", { cwd: root })) paths.push(`/${path.split(sep).join("/")}`);
  // The section about the store names paths on the user's disk.
  const text = (await fileText("docs/architecture.md")).replace(/^## The store\n.*?(?=^## )/ms, "");
  const names = [...text.matchAll(/`((?:[\w.<>-]+\/)*[\w.<>-]+(?:\/|\.ts))`/g)].map(([, name = ""]) => name);
  for (const name of new Set(names)) {
    const pattern = name
      .replace(/\/$/, "")
      .replaceAll(".", "\\.")
      .replaceAll(/<[\w-]+>/g, "[^/]+");
    const isNamed = new RegExp(`/${pattern}$`);
    assert.ok(
      paths.some((path) => isNamed.test(path)),
      `docs/architecture.md names ${name}, which does not exist`,
    );
  }
  assert.ok(names.length > 60, `only ${names.length} paths seen`);
});

test("the configurations for clients start the server", async () => {
  for (const page of ["docs/mcp.md"]) {
    const lines = (await fileText(page)).split("\n");
    const configs = lines.filter((line) => /^\{ "(mcpServers|servers|mcp)"/.test(line));
    for (const line of configs) assert.match(JSON.stringify(JSON.parse(line)), /"spillway".*"mcp"/);
    const added = lines.filter((line) => /^\w+ mcp add /.test(line));
    for (const line of added) assert.match(line, / mcp add spillway -- spillway mcp\b/);
    assert.ok(configs.length + added.length > 0, page);
  }
});

test("pages name the tarball of this version", async () => {
  for (const page of await listPages())
    for (const [file] of (await fileText(page)).matchAll(/spillway-[\d.]+\.tgz/g))
      assert.equal(file, `spillway-${version}.tgz`, page);
});

test("the server runs from source with npm, and npm prints nothing", async () => {
  await using folder = await makeTemporaryFolder();
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

for (const page of await listPages()) {
  test(`${page} names only commands that exist`, async () => {
    const names = new Set(["help", ...commands.map(({ name }) => name)]);
    for (const code of codeIn(await fileText(page)))
      for (const [, name = ""] of code.matchAll(/(?:^|[\s;&|(])spillway ([a-z][a-z-]*)/g))
        assert.ok(names.has(name), `${page} shows spillway ${name}`);
  });

  test(`${page} passes only options that the command has`, async () => {
    const options = new Map(
      await Promise.all(commands.map(async ({ name, load }) => [name, optionNames(await load())] as const)),
    );
    // A client that `with` runs, and a server behind the gateway, have options of their own.
    for (const code of codeIn(await fileText(page)))
      for (const [, name = "", rest = ""] of code.matchAll(/(?:^|[\s;&|(])spillway ([a-z][a-z-]*)([^\n;&|#]*)/g))
        for (const [, option = ""] of (name === "with" ? "" : rest.replace(/ -- .*/, "")).matchAll(
          /\s--([a-z][\w-]*)/g,
        ))
          assert.ok(options.get(name)?.has(option), `${page} shows spillway ${name} --${option}`);
  });

  test(`every relative link in ${page} leads to a file, and to a heading if it names one`, async () => {
    const prose = (await fileText(page)).replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
    for (const [, path = "", heading] of prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const target = new URL(path || page.replace(/^.*\//, ""), new URL(`../${page}`, import.meta.url));
      const linked = await readFile(target, "utf8").catch(() => assert.fail(`${page} links to ${path}`));
      if (heading) assert.ok(listHeadingIds(linked).includes(heading), `${page} links to ${path}#${heading}`);
    }
  });
}

test("the diffs in CONTRIBUTING.md add lines that the code has", async () => {
  const diffs = [...(await fileText("CONTRIBUTING.md")).matchAll(/^```diff\n([\s\S]*?)^```/gm)];
  assert.equal(diffs.length, 5, "a format, a dialect, a tool, a client, a setting");
  for (const [, diff = ""] of diffs)
    for (const [, path = "", added = ""] of diff.matchAll(/^\+\+\+ b\/(.+)\n((?:\+.*\n)+)/gm)) {
      const code = (await fileText(path)).split("\n");
      for (const line of added.trimEnd().split("\n"))
        assert.ok(code.includes(line.slice(1)), `${path} has no line ${line.slice(1)}`);
    }
});

const optionNames = ({ options }: Command): ReadonlySet<string> =>
  new Set([...Object.keys(options), ...Object.keys(commonOptions)]);

/** The pages at the root that people read, and every page of docs/. */
async function listPages(): Promise<string[]> {
  return [
    "README.md",
    "AGENTS.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "examples/README.md",
    ...(await Array.fromAsync(glob("docs/**/*.md", { cwd: root }))).sort(),
  ];
}

/** The code blocks and code spans of a page. */
function codeIn(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|text|console)?\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...blocks, ...[...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)];
}
