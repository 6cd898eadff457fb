import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { makeTemporaryFolder, readArtifactBytes } from "../bodies.ts";

const PROCESSES = 20;
const KEPT_BY_EACH = 25;

/** Runs all of them at once; gives the size of each artifact that was kept, by ref. */
async function keepAtOnce(home: string): Promise<Map<string, number>> {
  const outputs = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) => runKeeper(home, `keeper-${index}`)),
  );
  const lines = outputs.flatMap((output) => output.trim().split("\n"));
  assert.equal(lines.length, PROCESSES * KEPT_BY_EACH);
  return new Map(
    lines.map((line) => {
      const [, ref = assert.fail(`not kept: ${line}`), size] = /^(af_\w+) (\d+) ?$/.exec(line) ?? [];
      return [ref, Number(size)];
    }),
  );
}

async function runKeeper(home: string, name: string): Promise<string> {
  const args = [join(import.meta.dirname, "keeper.ts"), home, name, String(KEPT_BY_EACH)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  assert.deepEqual(await once(child, "close"), [0, null]);
  return output;
}

describe(`${PROCESSES} processes that write at once`, () => {
  test("keep everything without an error, on a store that none of them has made", async () => {
    await using folder = await makeTemporaryFolder();
    const kept = await keepAtOnce(folder.path);
    await using session = await openSession({ settings: { ...defaultSettings, home: folder.path, run: "check" } });
    for (const [ref, size] of kept) assert.equal((await readArtifactBytes(session.store, ref)).length, size);
    assert.equal(await session.store.count(), kept.size);
    assert.deepEqual(await session.store.catalogue.findDamage(), []);
  });

  test("import a store of version 0.1.0 together, and lose none of its artifacts", async () => {
    await using folder = await makeTemporaryFolder();
    const fixture = join(import.meta.dirname, "..", "fixtures", "store-0.1.0");
    await cp(fixture, folder.path, { recursive: true });
    const kept = await keepAtOnce(folder.path);
    const settings = { ...defaultSettings, home: folder.path, owner: "user-0", run: "check" };
    await using session = await openSession({ settings });
    assert.equal(
      (await readArtifactBytes(session.store, "af_e0d2ce3db7b153c150a921855881f5fd")).toString(),
      "weir one\n",
    );
    assert.ok((await session.store.count()) >= 5);
    await using own = await openSession({ settings: { ...defaultSettings, home: folder.path, run: "check" } });
    for (const [ref, size] of kept) assert.equal((await readArtifactBytes(own.store, ref)).length, size);
  });
});
