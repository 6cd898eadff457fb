/** `spillway doctor`: it uses every engine, names what is broken and counts what killed processes left. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeProfile } from "../src/acquire/render/profiles.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { checkEngines } from "../src/surfaces/cli/doctor/engine-checks.ts";
import { openCli } from "./cli.ts";

const childPath = join(import.meta.dirname, "..", "src", "extract", "child-program.ts");

describe("doctor", () => {
  test("reads a sample with every engine that a child process has, and with SQLite", async () => {
    await using cli = await openCli();
    const { status, out } = await cli.run(["doctor"]);
    assert.equal(status, 0, out);
    for (const name of ["PDFium", "pdf.js", "HTML", "mail", "notebooks", "e-books", "SQLite"])
      assert.ok(out.includes(`ok    engine ${name}: read a sample\n`), out);
    // Recognition of pictures is optional, and its packages are not part of an installation.
    const engines = (await readFile(childPath, "utf8")).match(/^ {2}(?!ocr:|scan:)\w+: async/gm) ?? [];
    assert.equal(out.match(/engine /g)?.length, engines.length + 1, "a new engine needs a sample");
  });

  test("names the folder of the store and the config file that could be written", async () => {
    await using cli = await openCli();
    const { out } = await cli.run(["doctor"]);
    assert.ok(out.includes(`ok    store: ${cli.home} is writable\n`), out);
    const file = /settings: no config file (.*), using defaults/.exec(out)?.[1] ?? assert.fail(out);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, "{}");
    assert.ok((await cli.run(["doctor"])).out.includes(`ok    settings: read from ${file}\n`));
  });

  test("names an engine that cannot work, and what to do", async () => {
    const settings = { ...defaultSettings, "extract.memory_bytes": 1 };
    await using session = await openSession({ settings, inMemory: true });
    const checks = await checkEngines(session);
    const broken = checks.filter(({ ok }) => !ok);
    assert.equal(broken.length, 11, JSON.stringify(checks));
    for (const { name, detail } of broken) assert.match(detail, /cannot read a sample .* Raise the settings/, name);
  });

  test("counts temporary files and browser profiles of dead processes, and no others", async () => {
    await using cli = await openCli();
    const folder = join(cli.home, "tmp");
    await mkdir(folder, { recursive: true });
    const deadPid = spawnSync(process.execPath, ["--version"]).pid;
    const hex = "0123456789abcdef";
    await writeFile(join(folder, `spool-${deadPid}-${hex}`), "x".repeat(2_000));
    await writeFile(join(folder, `put-${process.pid}-${hex}`), "in use");
    await writeFile(join(folder, "thesis.txt"), "not ours");
    const ofOther = join(folder, `spillway-render-aaaaaaaa-${deadPid}-${hex}`);
    await mkdir(ofOther);
    const profile = (await makeProfile([folder])).replace(`-${process.pid}-`, `-${deadPid}-`);
    await mkdir(profile);
    const { out } = await cli.run(["doctor"]);
    assert.match(
      out,
      /ok {4}leftovers: of killed processes: 1 temporary file, 2\.0 KB in .*tmp.*1 browser profile in /,
    );
    await utimes(ofOther, 0, 0);
    assert.match((await cli.run(["doctor"])).out, /2 browser profiles in .*; spillway artifacts sweep removes them/);
    await cli.run(["artifacts", "sweep"]);
    assert.match((await cli.run(["doctor"])).out, /1 temporary file, 2\.0 KB in .* after an hour\n/);
  });

  test("does not count behind a linked folder", async () => {
    await using cli = await openCli();
    const elsewhere = join(cli.work, "elsewhere");
    await mkdir(elsewhere);
    await mkdir(cli.home, { recursive: true });
    const name = join(elsewhere, "spool-1-0123456789abcdef");
    await writeFile(name, "x");
    await utimes(name, 0, 0);
    await symlink(elsewhere, join(cli.home, "tmp"));
    const { out } = await cli.run(["doctor"]);
    assert.doesNotMatch(out, /1 temporary file/);
    assert.match(out, /leftovers: none of killed processes\. \S+tmp is a link; nothing behind it is deleted\n/);
  });
});
