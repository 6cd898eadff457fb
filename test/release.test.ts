/** The workflow that publishes the package, and what the package says about itself. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const fileText = (path: string) => readFile(join(root, path), "utf8");

test("a release is published from a tag, with provenance and no other rights", async () => {
  const { on, permissions, jobs } = parse(await fileText(".github/workflows/release.yml"));
  assert.deepEqual(on, { push: { tags: ["v*"] } });
  assert.deepEqual(permissions, { contents: "read" });
  const { steps, permissions: own } = jobs.publish;
  assert.deepEqual(own, { contents: "read", "id-token": "write" });
  const lines: string[] = steps.flatMap(({ run }: { run?: string }) => run ?? []);
  const [check, tested, published] = [/v\$\(node -p/, /^npm test$/, /^npm publish --provenance --access public$/].map(
    (line) => lines.findIndex((each) => line.test(each)),
  );
  assert.ok(check !== undefined && tested !== undefined && check >= 0 && check < tested);
  assert.ok(published === lines.length - 1, "published last");
});

test("the package runs no scripts where it is installed", async () => {
  const { scripts, bin, files } = JSON.parse(await fileText("package.json"));
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) assert.equal(scripts[name], undefined, name);
  assert.deepEqual(bin, { spillway: "dist/cli.js" });
  assert.deepEqual(files, ["dist", "docs", "CHANGELOG.md"]);
});

test("the adapters need this version", async () => {
  const { version } = JSON.parse(await fileText("package.json"));
  for (const name of ["claude-code", "opencode", "pi"]) {
    const adapter = JSON.parse(await fileText(`adapters/${name}/package.json`));
    const needed = { ...adapter.dependencies, ...adapter.peerDependencies }.spillway;
    assert.deepEqual([adapter.version, needed], [version, `^${version}`], name);
  }
});

test("the change log has a section for changes to come, and dates for what was released", async () => {
  const headings = [...(await fileText("CHANGELOG.md")).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  assert.equal(headings[0], "Unreleased");
  for (const heading of headings.slice(1)) assert.match(heading ?? "", /^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$/);
});
