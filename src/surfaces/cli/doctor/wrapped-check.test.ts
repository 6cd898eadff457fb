/** `spillway doctor` on servers behind the gateway: programs and scripts that are gone are named, with the way back. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { checkWrapped } from "./wrapped-check.ts";

/** Cursor with servers in the config of the user and of the project; "own" and "theirs" are the scripts of one of them. */
async function check(given: { own?: string; theirs?: string; project?: string }) {
  await using folder = await makeTemporaryFolder();
  const script = join(folder.path, "spillway", "cli.js");
  await mkdir(join(folder.path, "spillway"));
  await writeFile(script, "");
  const { own = script, theirs = script, project = script } = given;
  const wrap = (...args: string[]) => ({ mcpServers: { db: { command: process.execPath, args } } });
  for (const [place, config] of [
    [folder.path, wrap(own, "gateway", "--", process.execPath, theirs)],
    [join(folder.path, "work"), wrap(script, "gateway", "--", process.execPath, project)],
  ] as const) {
    await mkdir(join(place, ".cursor"), { recursive: true });
    await writeFile(join(place, ".cursor", "mcp.json"), JSON.stringify(config));
  }
  const machine = { env: {}, platform: process.platform, home: folder.path, cwd: join(folder.path, "work") };
  return await checkWrapped(machine);
}

test("servers of the user and of the project are counted", async () => {
  assert.deepEqual(await check({}), { name: "wrapped servers", ok: true, detail: "2 servers behind the gateway" });
});

test("a script of ours that is gone is wrapped again", async () => {
  const { ok, detail } = await check({ own: "/gone/spillway/cli.js" });
  assert.equal(ok, false);
  assert.equal(
    detail,
    "Cursor: db needs /gone/spillway/cli.js, which is not there. Run spillway unwrap db --client cursor, then spillway wrap db --client cursor.",
  );
});

test("a script of the server that is gone is installed or unwrapped, in the project too", async () => {
  const { detail } = await check({ theirs: "/gone/a.py", project: "/gone/b.js" });
  assert.match(
    detail,
    /db needs \/gone\/a\.py, which is not there\. Install it, or run spillway unwrap db --client cursor\./,
  );
  assert.match(detail, /db needs \/gone\/b\.js, .* run spillway unwrap db --client cursor --scope project\.$/);
});
