/** Large local files are read in place: never copied, never counted, and never served in another state. */
import assert from "node:assert/strict";
import { appendFile, readdir, rename, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { makePdfWithPages } from "./pdf.ts";

const small = ["--set", "artifacts.copy_bytes=1000"];
const log = Array.from({ length: 5_000 }, (_, line) => `${line} the level is ${line % 7}\n`).join("");

async function openWithLog() {
  const cli = await openCli();
  await cli.write("gauge.log", log);
  const [fields] = await cli.json("fetch", "gauge.log", ...small);
  return Object.assign(cli, { fields, ref: String(fields.artifact_ref), path: join(cli.work, "gauge.log") });
}

describe("a large local file", () => {
  test("is not copied, does not count in the quota, and is read whole", async () => {
    await using cli = await openWithLog();
    assert.deepEqual([cli.fields.size_bytes, cli.fields.artifact_path], [log.length, cli.path]);
    assert.deepEqual(await readdir(cli.home).then((names) => names.includes("blobs")), false);
    const [stats] = await cli.json("store", "stats");
    assert.deepEqual([stats.artifacts, stats.stored_bytes], [1, 0]);
    const [record] = await cli.json("artifacts", "show", cli.ref);
    assert.equal(record.reference.path, cli.path);
    assert.equal((await cli.run(["cat", cli.ref])).out, log);
    assert.equal((await cli.run(["cat", "--raw", cli.ref])).out, log);
    assert.match((await cli.run(["read", cli.ref, "--lines", "5000"])).out, /\n4999 the level is 1\n/);
    assert.equal((await cli.run(["doctor", "--deep"])).status, 0);
    assert.equal((await cli.run(["artifacts", "sweep", "--set", "artifacts.keep_bytes=0"])).status, 0);
    assert.equal((await cli.run(["read", cli.ref])).status, 0);
  });

  test("has the ref of its content: fetched again unchanged, the same one", async () => {
    await using cli = await openWithLog();
    const [again] = await cli.json("fetch", "gauge.log", ...small);
    const [copied] = await cli.json("fetch", "gauge.log");
    assert.deepEqual([again.artifact_ref, copied.artifact_ref], [cli.ref, cli.ref]);
  });

  for (const { name, change } of [
    { name: "grew", change: (path: string) => appendFile(path, "one more line\n") },
    {
      name: "was rewritten at the same length",
      change: (path: string) => writeFile(path, log.replaceAll("level", "LEVEL")),
    },
    { name: "was replaced by another of the same length and time", change: replaceFile },
    { name: "was replaced by a link", change: replaceByLink },
    { name: "was deleted", change: (path: string) => unlink(path) },
  ]) {
    test(`that ${name} is never served, and doctor names it`, async () => {
      await using cli = await openWithLog();
      await cli.run(["read", cli.ref]);
      await change(cli.path);
      for (const argv of [
        ["read", cli.ref],
        ["cat", cli.ref],
        ["cat", "--raw", cli.ref],
        ["artifacts", "show", cli.ref],
      ]) {
        const { status, out, err } = await cli.run(argv);
        assert.deepEqual([status, out], [1, ""], argv.join(" "));
        assert.match(err, /the file .*gauge\.log has changed or is gone\.\n {2}Fetch the file again/);
      }
      assert.equal((await cli.json("read", cli.ref))[0].code, "source_changed");
      const doctor = await cli.run(["doctor"]);
      assert.equal(doctor.status, 1);
      assert.ok(doctor.out.includes(cli.ref));
    });
  }

  test("is found again after the catalogue was lost", async () => {
    await using cli = await openWithLog();
    for (const name of await readdir(cli.home)) if (name.startsWith("catalogue.db")) await unlink(join(cli.home, name));
    assert.equal((await cli.run(["store", "check", "--repair"])).status, 0);
    assert.equal((await cli.run(["cat", cli.ref])).out, log);
  });

  test("leaves no extract when it is removed", async () => {
    await using cli = await openWithLog();
    assert.ok((await readdir(cli.home)).includes("extracts"));
    await cli.run(["artifacts", "rm", cli.ref]);
    await cli.run(["artifacts", "sweep"]);
    assert.ok(!(await readdir(cli.home)).includes("extracts"));
  });

  test("that is a document is read in place too", async () => {
    await using cli = await openCli();
    await writeFile(join(cli.work, "report.pdf"), makePdfWithPages(["The first page.", "The second page."]));
    const [fields] = await cli.json("fetch", "report.pdf", "--set", "artifacts.copy_bytes=100");
    assert.equal(fields.artifact_path, join(cli.work, "report.pdf"));
    assert.match(fields.content, /The first page\./);
  });
});

async function replaceFile(path: string): Promise<void> {
  const time = new Date(1_700_000_000_000);
  await writeFile(`${path}.new`, log.replaceAll("level", "LEVEL"));
  await utimes(`${path}.new`, time, time);
  await rename(`${path}.new`, path);
}

async function replaceByLink(path: string): Promise<void> {
  await rename(path, `${path}.moved`);
  await symlink(`${path}.moved`, path);
}
