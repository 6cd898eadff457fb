import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sweep } from "../../src/artifacts/sweeper.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { makeTemporaryFolder, readArtifactBytes } from "../bodies.ts";
import { soakCount } from "../soak.ts";

const kills = soakCount({ sample: 24, full: 1_000 });
const writers = 3;

test(`${kills} kills over ${writers} writers, a remover, a reader, a sweeper and an indexer lose no acknowledged artifact`, async (t) => {
  await using folder = await makeTemporaryFolder();
  const [home, root] = [join(folder.path, "home"), join(folder.path, "root")];
  await mkdir(root);
  for (let n = 0; n < 50; n++) await writeFile(join(root, `f${n}.ts`), `export const value${n} = "order ${n}";\n`);
  const acknowledged = new Map<string, number>();
  let killed = 0;

  /** Starts a process again and again, kills it at a random moment, and collects what it acknowledged. */
  async function work(script: string, argument: string): Promise<void> {
    while (killed < kills) {
      const child = spawn(process.execPath, [join(import.meta.dirname, script), home, argument], {
        stdio: ["ignore", "pipe", 2],
      });
      const said = collect(child);
      const closed = once(child, "close");
      // By what it has done and not by time alone, so that a busy machine kills at the same places.
      await said.lines(1 + randomInt(6));
      await wait(randomInt(30));
      child.kill("SIGKILL");
      assert.deepEqual(await closed, [null, "SIGKILL"], "the process ended by itself");
      killed++;
      for (const [, ref = "", size] of said.text().matchAll(/^kept (\S+) (\d+)\n/gm))
        acknowledged.set(ref, Number(size));
    }
  }

  const names = Array.from({ length: writers }, (_, i) => `writer-${i}`);
  const others = [
    work("remover.ts", "another-owner"),
    work("reader.ts", ""),
    work("sweeper.ts", ""),
    work("indexer.ts", root),
  ];
  await Promise.all([...names.map((name) => work("writer.ts", name)), ...others]);
  t.diagnostic(`${killed} kills, ${acknowledged.size} artifacts acknowledged`);
  assert.ok(killed >= kills && acknowledged.size > kills / 4, "hardly anything was written");

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
  const { catalogue } = store;
  assert.deepEqual(await catalogue.findDamage(), []);
  const report = await sweep(store, defaultSettings, { blobsMs: 0, leftoversMs: 0 });
  t.diagnostic(`swept ${report.deletedBlobs} orphaned blobs, ${report.deletedLeftovers} leftovers`);
  assert.equal(report.swept.length, 0);
  await checkAll();
  assert.deepEqual(await Array.fromAsync(store.objects.list("tmp/")), []);
});

function collect(child: ChildProcess): { lines(count: number): Promise<void>; text(): string } {
  let text = "";
  const output = new EventEmitter();
  child.once("exit", () => output.emit("error", new Error("The process ended before it was killed.")));
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    output.emit("more");
  });
  output.on("error", () => undefined);
  return {
    async lines(count) {
      while (text.split("\n").length <= count) await once(output, "more");
    },
    text: () => text,
  };
}
