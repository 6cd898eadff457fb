/** `spillway store`: counts, damage that is found, named and healed, and a catalogue that is brought back. */
import assert from "node:assert/strict";
import { readFile, rename, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";

describe("spillway store", () => {
  test("counts what is stored, and finds nothing wrong with it", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "weir");
    await cli.write("b.txt", "weir");
    await cli.run(["fetch", "a.txt", "b.txt"]);
    const [stats] = await cli.json("store", "stats");
    assert.deepEqual([stats.owners, stats.artifacts, stats.stored_bytes, stats.runs], [1, 2, 4, 1]);
    assert.match((await cli.run(["store"])).out, /^artifacts +2$/m);
    for (const options of [[], ["--deep"], ["--repair"]]) {
      const { status, out } = await cli.run(["store", "check", ...options]);
      assert.deepEqual([status, out], [0, "ok    catalogue\nok    1 blob checked, 0 damaged\n"]);
    }
  });

  test("answers a wrong call with the right one", async () => {
    await using cli = await openCli();
    for (const [argv, sentence] of [
      [["store", "chek"], /has no action "chek".*Did you mean check\?/s],
      [["store", "constructor"], /has no action/],
      [["store", "check", "x"], /one argument too many/],
      [["store", "stats", "--deep"], /takes no --deep.*store check --deep/s],
    ] as const) {
      const { status, err } = await cli.run(argv);
      assert.equal(status, 2, argv.join(" "));
      assert.match(err, sentence);
    }
  });

  for (const { name, damage, isFoundByLength } of [
    { name: "altered at the same length", damage: (path: string) => writeFile(path, "WEIR\n"), isFoundByLength: false },
    { name: "cut short", damage: (path: string) => truncate(path, 2), isFoundByLength: true },
    { name: "deleted", damage: (path: string) => unlink(path), isFoundByLength: true },
    { name: "replaced by a link to other bytes", damage: linkElsewhere, isFoundByLength: true },
    { name: "replaced by a link to the same bytes", damage: linkToCopy, isFoundByLength: true },
  ]) {
    test(`bytes that were ${name} are never served, are named by doctor, and are healed by fetching`, async () => {
      await using cli = await openCli();
      await cli.write("a.txt", "weir\n");
      const [{ artifact_ref: ref, artifact_path: path }] = await cli.json("fetch", "a.txt");
      await damage(path);
      for (const argv of [
        ["read", ref],
        ["cat", ref],
        ["cat", "--raw", ref],
      ]) {
        const { status, out, err } = await cli.run(argv);
        assert.deepEqual([status, out], [1, ""], argv.join(" "));
        assert.ok(err.includes(`Artifact ${ref} cannot be used`), err);
      }
      const [failed] = await cli.json("read", ref);
      assert.equal(failed.code, "artifact_damaged");
      assert.equal((await cli.run(["doctor"])).status, isFoundByLength ? 1 : 0);
      for (const argv of [
        ["doctor", "--deep"],
        ["store", "check", "--deep"],
      ]) {
        const { status, out } = await cli.run(argv);
        assert.equal(status, 1, argv.join(" "));
        assert.ok(out.includes(ref), out);
      }
      const [{ artifact_ref: again }] = await cli.json("fetch", "a.txt");
      assert.equal(again, ref);
      assert.equal((await cli.run(["cat", "--raw", ref])).out, "weir\n");
      assert.equal((await cli.run(["doctor", "--deep"])).status, 0);
    });
  }

  test("a lost catalogue is reported and brought back", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "weir");
    const [{ artifact_ref: ref }] = await cli.json("fetch", "a.txt");
    for (const suffix of ["", "-wal", "-shm"]) await rm(join(cli.home, `catalogue.db${suffix}`), { force: true });
    assert.equal((await cli.run(["read", ref])).status, 1);
    const doctor = await cli.run(["doctor"]);
    assert.equal(doctor.status, 1);
    assert.match(doctor.out, /FAIL {2}catalogue: The catalogue was lost.*spillway store check --repair/);
    assert.match((await cli.run(["store", "check"])).out, /FAIL {2}catalogue: It was lost/);
    const repaired = await cli.run(["store", "check", "--repair"]);
    assert.equal(repaired.status, 0, repaired.out);
    assert.match(repaired.out, /The journal brought back 1 artifact\./);
    assert.equal((await cli.run(["cat", ref])).out, "weir");
    assert.equal((await cli.run(["doctor"])).status, 0);
  });

  test("a damaged catalogue costs no answer, is reported and brought back", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "weir");
    const [{ artifact_ref: ref }] = await cli.json("fetch", "a.txt");
    await writeFile(join(cli.home, "catalogue.db"), Buffer.alloc(64 * 1024, 1));
    const [fetched] = await cli.json("fetch", "a.txt");
    assert.deepEqual([fetched.artifact_ref, fetched.content], [null, "weir"]);
    const hint = /its catalogue is damaged.*spillway store check --repair/s;
    assert.match((await cli.run(["fetch", "a.txt"])).out, hint);
    assert.match((await cli.run(["read", ref])).err, hint);
    assert.match((await cli.run(["artifacts", "ls"])).err, hint);
    assert.match((await cli.run(["doctor"])).out, hint);
    assert.equal((await cli.run(["store", "check", "--repair"])).status, 0);
    assert.equal((await cli.run(["cat", ref])).out, "weir");
  });
});

async function linkElsewhere(path: string): Promise<void> {
  await writeFile(`${path}.other`, "WEIR\n");
  await unlink(path);
  await symlink(`${path}.other`, path);
}

async function linkToCopy(path: string): Promise<void> {
  const copy = join(path, "..", "..", "..", "copy");
  await writeFile(copy, await readFile(path));
  await rename(copy, `${copy}.moved`);
  await unlink(path);
  await symlink(`${copy}.moved`, path);
}
