/** What the pages of docs/ show is what their commands print. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { listShownCommands, openPageRuns } from "./page-runs.ts";
import { startPageServices } from "./page-services.ts";

const root = join(import.meta.dirname, "..");

/** Pages about the project itself have nothing to run. */
const withoutCommands = ["api.md", "architecture.md", "benchmarks.md", "extending.md"];

for (const page of (await Array.fromAsync(glob("docs/*.md", { cwd: root }))).sort()) {
  test(`${page} shows a command and what it prints`, async () => {
    const commands = listShownCommands(await readFile(join(root, page), "utf8"));
    if (!withoutCommands.some((name) => page.endsWith(name))) assert.ok(commands.length > 0, `${page} runs nothing`);
    await using services = await startPageServices();
    await using runs = await openPageRuns(services.env);
    for (const command of commands) assert.equal(await runs.compare(command), undefined);
  });
}

for (const page of ["docs/library.md", "docs/start-typescript.md"]) {
  test(`the TypeScript of ${page} runs as printed`, async () => {
    const [, code = ""] = /^```ts\n([\s\S]*?)^```/m.exec(await readFile(join(root, page), "utf8")) ?? [];
    await using runs = await openPageRuns();
    const library = pathToFileURL(join(root, "src", "index.ts")).href;
    await writeFile(join(runs.work, "page.ts"), code.replace('from "spillway"', `from "${library}"`));
    const env = { ...process.env, SPILLWAY_HOME: join(runs.work, "home") };
    const { stderr } = await promisify(execFile)(process.execPath, ["page.ts"], { cwd: runs.work, env });
    assert.ok(code.includes("openSession"), "there is a sample");
    assert.equal(stderr.replaceAll(/^.*(?:MODULE_TYPELESS|Reparsing|To eliminate|Use `node).*\n/gm, ""), "");
  });
}
