/** What the pages of docs/ show is what their commands print. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
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
