/** `spillway store migrate`: from a disk to a team store and back, broken off and continued. */
import assert from "node:assert/strict";
import { readdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openStore } from "../src/artifacts/artifact-store.ts";
import { migrateStore } from "../src/artifacts/migrate/migrate-store.ts";
import { diskStorage } from "../src/artifacts/storage.ts";
import { teamStorage } from "../src/artifacts/team-storage.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { makeMemorySpool, makeOrigin, makeTemporaryFolder, plainTextDetection, readArtifactBytes } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";

const postgres = await startPostgres();
const s3 = await startS3();
after(async () => {
  for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
});

if (typeof postgres === "string" || typeof s3 === "string") {
  test("store migrate", { skip: [postgres, s3].find((each) => typeof each === "string") as string }, () => undefined);
} else {
  const makeTeam = async () => ({ ...s3.makePlace(), "store.catalogue": (await postgres.makeDatabase()).url });

  /** A config file with the settings of a store. */
  async function writeConfig(path: string, settings: object): Promise<string> {
    const entries = Object.entries(settings).filter(([name, value]) => /^(store\.|home)/.test(name) && value !== null);
    const named = entries.filter(([name]) => !["store.timeout", "store.cache_bytes"].includes(name));
    await writeFile(path, JSON.stringify(Object.fromEntries(named)));
    return path;
  }

  describe("store migrate", () => {
    test("copies a store to a team store and back, and every ref stays readable", async () => {
      await using one = await openCli();
      await using two = await openCli();
      const refs: string[] = [];
      for (const name of ["a", "b", "c"]) {
        await writeFile(join(one.work, `${name}.txt`), `text ${name}\n`);
        refs.push(JSON.parse((await one.run(["fetch", `${name}.txt`, "--json"])).out).artifact_ref);
      }
      const [removed = "", ...kept] = refs;
      await one.run(["artifacts", "rm", removed]);
      const team = await writeConfig(join(one.work, "team.jsonc"), await makeTeam());
      const moved = await one.run(["store", "migrate", "--to", team]);
      assert.equal(moved.status, 0, moved.err);
      assert.match(moved.out, /^2 blobs copied and compared.*0 were there already\n2 artifacts added, 1 tombstone/);
      const env = { SPILLWAY_CONFIG: team };
      for (const [index, ref] of kept.entries()) {
        assert.equal((await two.run(["cat", ref], { env })).out, `text ${"bc"[index]}\n`);
      }
      assert.match((await two.run(["cat", removed], { env })).err, /expired/);
      assert.match((await two.run(["doctor"], { env })).out, /ok {4}artifacts: 2 artifacts/);
      assert.match((await one.run(["store", "migrate", "--to", team])).out, /^0 blobs copied.*2 were there/);
      await writeFile(join(two.work, "b.txt"), "text b\n");
      const again = await two.run(["fetch", "-", "--json"], { env, stdin: "text\n" });
      assert.match(JSON.parse(again.out).artifact_ref, /^af_/);
      const home = await writeConfig(join(two.work, "disk.jsonc"), { home: join(two.work, "copy") });
      assert.match((await two.run(["store", "migrate", "--to", home], { env })).out, /^3 blobs copied/);
      const back = { SPILLWAY_HOME: join(two.work, "copy") };
      for (const ref of kept) assert.equal((await two.run(["cat", ref], { env: back })).status, 0);
    });

    test("is refused without a target, onto itself, and with settings that are not valid", async () => {
      await using cli = await openCli();
      assert.match((await cli.run(["store", "migrate"])).err, /needs --to FILE/);
      assert.match((await cli.run(["store", "stats", "--to", "x"])).err, /store stats takes no --to/);
      assert.match((await cli.run(["store", "migrate", "--to", "none.jsonc"])).err, /no config file/);
      const itself = await writeConfig(join(cli.work, "same.jsonc"), { home: cli.home });
      assert.match((await cli.run(["store", "migrate", "--to", itself])).err, /copied onto itself/);
    });

    test("continues where it was broken off, and leaves damaged bytes behind", async () => {
      await using folder = await makeTemporaryFolder();
      const from = diskStorage(join(folder.path, "old"));
      const store = openStore(from, { owner: "ann", run: "r" });
      const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
      const refs = new Map<string, string>();
      for (const text of texts) {
        const kept = await store.keep(makeMemorySpool(text), plainTextDetection, makeOrigin(text));
        refs.set(kept.artifact_ref, text);
      }
      const [[damagedRef = ""] = []] = [...refs];
      await unlink((await store.find(damagedRef)).path ?? "");
      refs.delete(damagedRef);

      const settings = { ...defaultSettings, ...(await makeTeam()) };
      const home = join(folder.path, "new");
      const to = teamStorage(home, settings);
      const options = { signal: new AbortController().signal, now: Date.now };
      let puts = 0;
      const failing: typeof to.objects.put = async (...args) => {
        if (++puts > 6) throw Object.assign(new Error("cut"), { code: "EIO" });
        return to.objects.put(...args);
      };
      await assert.rejects(migrateStore(from, { ...to, objects: { ...to.objects, put: failing } }, options), /cut/);
      const { checkParts } = await import("../src/artifacts/check-parts.ts");
      assert.match((await checkParts(to))[1]?.detail ?? "", /migration into this store has not ended.*migrate again/);

      const result = await migrateStore(from, to, options);
      assert.deepEqual([result.blobs + result.presentBlobs, result.damagedBlobs], [11, 1]);
      assert.ok(result.presentBlobs > 0, "it began from the start");
      assert.equal(result.rows.artifacts, 11);
      assert.ok((await checkParts(to)).every(({ ok }) => ok));
      const moved = openStore(to, { owner: "ann", run: "r" });
      for (const [ref, text] of refs) assert.equal((await readArtifactBytes(moved, ref)).toString(), text);
      const bytes = [...refs.values()].join("").length;
      assert.deepEqual({ ...(await moved.totals()) }, { artifacts: 11, bytes });
      const again = await moved.keep(makeMemorySpool("text 3"), plainTextDetection, makeOrigin("text 3"));
      assert.ok(refs.has(again.artifact_ref), "the owner's key makes the same refs");
      assert.deepEqual(await readdir(join(home, "tmp")), []);
      for (const { catalogue, close } of [from, to]) {
        await catalogue.close();
        await close?.();
      }
    });
  });
}
