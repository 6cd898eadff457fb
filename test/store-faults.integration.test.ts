/** A catalogue that is locked or of a newer version: one sentence, an answer all the same, nothing lost. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openStore } from "../src/artifacts/artifact-store.ts";
import { CATALOGUE_FILE, diskStorage } from "../src/artifacts/storage.ts";
import { openCatalogue } from "../src/catalogue/catalogue.ts";
import { sqliteSql } from "../src/catalogue/sqlite-sql.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { DatabaseSync } from "../src/system/load-sqlite.ts";
import { fetchSource } from "../src/verbs/fetch.ts";
import { readArtifact } from "../src/verbs/read.ts";
import { makeTemporaryFolder, splitChunks } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { openMcp } from "./mcp.ts";

describe("a locked catalogue", () => {
  test("costs the ref and not the answer; what was kept can be read meanwhile, and later everything works", async () => {
    await using folder = await makeTemporaryFolder();
    const home = join(folder.path, "home");
    await using session = await openSession({ settings: { ...defaultSettings, home, run: "first" } });
    const path = join(home, CATALOGUE_FILE);
    const impatient = openCatalogue(sqliteSql(path, { busyMs: 50 }));
    const store = openStore(
      { ...diskStorage(home), catalogue: impatient },
      { owner: session.store.owner, run: "later" },
    );
    const fetch = (text: string) =>
      fetchSource("-", {}, { ...session, store, stdin: splitChunks(Buffer.from(text)), background: () => undefined });
    const { fields: kept } = await fetch("level 7\n");
    assert.ok(kept.artifact_ref);

    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const { fields, content } = await fetch("level 8\n");
    assert.deepEqual([fields.artifact_ref, content], [null, "level 8\n"]);
    assert.match(String(fields.warnings), /could not be kept: another process has kept its catalogue locked/);
    const read = await readArtifact(kept.artifact_ref, {}, { ...session, store });
    assert.equal(read.content, "level 7\n");
    other.exec("ROLLBACK");
    assert.ok((await fetch("level 8\n")).fields.artifact_ref);
    await impatient.close();
  });
});

describe("a catalogue of a newer version", () => {
  test("costs the ref and not the answer, and is not changed", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "weir");
    const [{ artifact_ref: ref }] = await cli.json("fetch", "a.txt");
    const path = join(cli.home, CATALOGUE_FILE);
    const addToVersion = (difference: number) => {
      using database = new DatabaseSync(path);
      database.prepare("UPDATE catalogue_schema SET version = version + ?").run(difference);
    };
    addToVersion(100);
    const [fetched] = await cli.json("fetch", "a.txt");
    assert.deepEqual([fetched.artifact_ref, fetched.content], [null, "weir"]);
    assert.match(String(fetched.warnings), /could not be kept: a newer version of Spillway has written it/);
    for (const argv of [
      ["read", ref],
      ["artifacts", "ls"],
      ["artifacts", "rm", ref],
      ["artifacts", "sweep"],
      ["store"],
    ]) {
      const { status, err } = await cli.run(argv);
      assert.equal(status, 1, argv.join(" "));
      assert.match(err, /^spillway: The store cannot be (read|changed): a newer version .* it\.\n {2}Update Spillway/);
    }
    assert.match((await cli.run(["doctor"])).out, /FAIL {2}artifacts: .*a newer version of Spillway/);
    assert.match((await cli.run(["store", "check", "--repair"])).err, /a newer version/, "a repair changes nothing");
    addToVersion(-100);
    assert.equal((await cli.run(["cat", ref])).out, "weir");
  });

  test("is named by the status of a server, which answers all the same", async () => {
    await using mcp = await openMcp();
    await mcp.write("a.txt", "weir");
    const home = join(mcp.path, "home");
    const { catalogue } = diskStorage(home);
    await catalogue.run("UPDATE catalogue_schema SET version = 99");
    await catalogue.close();
    const client = await mcp.client("2025-11-25");
    const reply = (await client.callTool({ name: "web_fetch", arguments: { url: "a.txt" } })) as {
      content: { text: string }[];
    };
    assert.match(reply.content[0]?.text ?? "", /could not be kept: a newer version[\s\S]*weir/);
    assert.equal((await client.listResources()).resources.length, 2);
    const [content] = (await client.readResource({ uri: "health://status" })).contents;
    const { status, store } = JSON.parse(content && "text" in content ? content.text : "");
    assert.equal(status, "degraded");
    assert.match(store.problem, /cannot be read: a newer version of Spillway has written it\. Update Spillway/);
  });
});
