import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { docFiles } from "../scripts/docs.ts";
import { commands } from "../src/surfaces/cli/commands.ts";
import { tools } from "../src/tools/tools.ts";
import { version } from "../src/version.ts";

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
