import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sweep } from "../../src/artifacts/sweeper.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { makeTemporaryFolder, readArtifactBytes } from "../bodies.ts";
import { soakCount } from "../soak.ts";

const kills = soakCount({ sample: 40, full: 300 });
const writers = 4;
/** Fewer would mean that the writers were killed before they could write. */
const minArtifacts = kills / 3;

test(`${kills} kills over ${writers} writers and a sweeper lose no acknowledged artifact`, async (t) => {
  await using folder = await makeTemporaryFolder();
  const home = join(folder.path, "home");
  const acknowledged = new Map<string, number>();
  let killed = 0;

  /** Starts a process again and again, kills it at a random moment, and collects what it acknowledged. */
  async function work(script: string, name: string): Promise<void> {
    // On a busy machine many are killed before they have written anything.
    while (killed < kills || (acknowledged.size <= minArtifacts && killed < 4 * kills)) {
      const child = spawn(process.execPath, [join(import.meta.dirname, script), home, name], {
        stdio: ["ignore", "pipe", 2],
      });
      const said = collect(child);
      const closed = once(child, "close");
      await said.ready;
      // Any moment will do.
      await wait(randomInt(300));
      child.kill("SIGKILL");
      assert.deepEqual(await closed, [null, "SIGKILL"], "the process ended by itself");
      killed++;
      for (const [, ref = "", size] of said.text().matchAll(/^kept (\S+) (\d+)\n/gm))
        acknowledged.set(ref, Number(size));
    }
  }

  const names = Array.from({ length: writers }, (_, i) => `writer-${i}`);
  await Promise.all([...names.map((name) => work("writer.ts", name)), work("sweeper.ts", "sweeper")]);
  t.diagnostic(`${killed} kills, ${acknowledged.size} artifacts acknowledged`);
  assert.ok(killed >= kills && acknowledged.size > minArtifacts, "hardly anything was written");

  const { store } = await openSession({ settings: { ...defaultSettings, home, run: "check" } });
  async function checkAll(): Promise<void> {
    for (const [ref, size] of acknowledged) {
      const bytes = await readArtifactBytes(store, ref);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      assert.deepEqual([bytes.length, sha256], [size, (await store.find(ref)).sha256]);
    }
    for await (const listed of store.list()) assert.ok("record" in listed, "a record is damaged");
  }

  await checkAll();
  const report = await sweep(store, defaultSettings, { blobsMs: 0, leftoversMs: 0 });
  t.diagnostic(`swept ${report.deletedBlobs} orphaned blobs, ${report.deletedLeftovers} leftovers`);
  assert.deepEqual([report.swept.length, report.damagedRecords], [0, 0]);
  await checkAll();
  assert.deepEqual(await Array.fromAsync(store.objects.list("tmp/")), []);
});

function collect(child: ChildProcess): { ready: Promise<void>; text(): string } {
  let text = "";
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  child.once("exit", () => reject(new Error("The process ended before it was killed.")));
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("ready\n")) resolve();
  });
  return { ready, text: () => text };
}
