/** The team store as users meet it: several machines on one PostgreSQL and one bucket, with parts that fail. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { parsePostgresAddress } from "../src/catalogue/postgres-address.ts";
import { postgresSql } from "../src/catalogue/postgres-sql.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { checkHealth } from "../src/surfaces/mcp/health.ts";
import { fetchSource } from "../src/verbs/fetch.ts";
import { makeTemporaryFolder, readArtifactBytes, splitChunks } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { errorBody, startHttpRelay } from "./http-relay.ts";
import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";
import { startRelay } from "./tcp-relay.ts";
import { waitUntil } from "./waiting.ts";

const postgres = await startPostgres();
const s3 = await startS3();
after(async () => {
  for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
});

if (typeof postgres === "string" || typeof s3 === "string") {
  test("a team store", { skip: [postgres, s3].find((each) => typeof each === "string") as string }, () => undefined);
} else {
  /** The settings of a new team store. */
  const makeTeam = async (): Promise<Settings> => ({
    ...defaultSettings,
    ...s3.makePlace(),
    "store.catalogue": (await postgres.makeDatabase()).url,
    "store.timeout": 2_000,
  });

  const asEnvironment = (settings: Settings): Record<string, string> =>
    Object.fromEntries(
      Object.entries(settings)
        .filter(([name, value]) => name.startsWith("store.") && typeof value === "string")
        .map(([name, value]) => [`SPILLWAY_${name.toUpperCase().replaceAll(".", "_")}`, String(value)]),
    );

  /** The same settings with the ports of relays in between. */
  const withRelays = async (team: Settings) => {
    const [toRows, toBytes] = [await startRelay(postgres.port), await startRelay(s3.port)];
    const settings: Settings = {
      ...team,
      "store.catalogue": team["store.catalogue"]?.replace(`:${postgres.port}/`, `:${toRows.port}/`) ?? null,
      "store.endpoint": `http://127.0.0.1:${toBytes.port}`,
    };
    return {
      settings,
      catalogue: toRows,
      objects: toBytes,
      async [Symbol.asyncDispose]() {
        await toRows[Symbol.asyncDispose]();
        await toBytes[Symbol.asyncDispose]();
      },
    };
  };

  const { url } = await postgres.makeDatabase();

  describe("machines that share a store", () => {
    test("read each other's artifacts, large local files included, by the command line", async () => {
      const env = { ...asEnvironment(await makeTeam()), SPILLWAY_ARTIFACTS_COPY_BYTES: "1000" };
      await using one = await openCli();
      await using two = await openCli();
      const path = join(one.work, "large.txt");
      const text = "a line of a file that is larger than the limit for copies\n".repeat(100);
      await writeFile(path, text);
      const kept = JSON.parse((await one.run(["fetch", path, "--json"], { env })).out);
      assert.match(kept.artifact_ref, /^af_/);
      await rm(path);
      const read = await two.run(["cat", kept.artifact_ref], { env });
      assert.equal(read.out, text, read.err);
      const elsewhere = await two.run(["cat", kept.artifact_ref]);
      assert.match(elsewhere.err, /artifact_not_found|No artifact/);
      assert.equal((await two.run(["artifacts", "rm", kept.artifact_ref], { env })).status, 0);
      assert.match((await one.run(["cat", kept.artifact_ref], { env })).err, /expired/);
    });

    test("are named by the user alone: neither DATABASE_URL nor variables of AWS nor .env count", async () => {
      await using cli = await openCli();
      await writeFile(join(cli.work, ".env"), "SPILLWAY_STORE_CATALOGUE=postgres://x@127.0.0.1:1/x\n");
      await writeFile(join(cli.work, "a.txt"), "text");
      const env = { DATABASE_URL: "postgres://x@127.0.0.1:1/x", PGHOST: "127.0.0.1", AWS_ACCESS_KEY_ID: "x" };
      assert.match(JSON.parse((await cli.run(["fetch", "a.txt", "--json"], { env })).out).artifact_ref, /^af_/);
      const config = { ...asEnvironment(await makeTeam()), SPILLWAY_STORE_ACCESS_KEY: "" };
      const refused = await cli.run(["fetch", "a.txt"], { env: { ...config, AWS_ACCESS_KEY_ID: "tester" } });
      assert.match(refused.err, /credentials are missing[\s\S]*SPILLWAY_STORE_ACCESS_KEY/);
    });
  });

  describe("a part that is down", () => {
    for (const part of ["catalogue", "objects"] as const) {
      test(`costs the ref and not the answer, and needs no restart: ${part}`, async () => {
        await using folder = await makeTemporaryFolder();
        await using relays = await withRelays(await makeTeam());
        const settings = { ...relays.settings, home: join(folder.path, "home"), run: "r" };
        await using session = await openSession({ settings });
        const fetchText = async (text: string) =>
          (await fetchSource("-", {}, { ...session, stdin: splitChunks(Buffer.from(text)) })).fields;
        const config = { settings, origins: {}, files: [], problems: [] } as never;
        const health = () => checkHealth(session, config, "test");

        const before = await fetchText("before the failure\n");
        assert.ok(before.artifact_ref !== null);
        assert.equal((await health()).status, "ok");
        assert.equal((await readArtifactBytes(session.store, before.artifact_ref)).toString(), "before the failure\n");

        relays[part].cut();
        const during = await fetchText("during the failure\n");
        assert.equal(during.artifact_ref, null);
        assert.match(JSON.stringify(during), /during the failure/);
        assert.match(
          JSON.stringify(during),
          part === "catalogue" ? /its database cannot/ : /its object storage cannot/,
        );
        if (part === "objects") {
          // What was read here before is read from its copy.
          assert.equal(
            (await readArtifactBytes(session.store, before.artifact_ref)).toString(),
            "before the failure\n",
          );
        }
        const { status, store } = await health();
        assert.equal(status, "degraded");
        assert.match(store.problem ?? "", part === "catalogue" ? /database/ : /object storage/);

        relays[part].restore();
        await waitUntil("artifacts are kept again", async () => (await fetchText("after\n")).artifact_ref !== null);
        assert.equal((await health()).status, "ok");
        assert.equal((await readArtifactBytes(session.store, before.artifact_ref)).toString(), "before the failure\n");
      });
    }

    test("is named by doctor, the other one is not", async () => {
      await using cli = await openCli();
      await using relays = await withRelays(await makeTeam());
      const env = asEnvironment(relays.settings);
      assert.match(
        (await cli.run(["doctor"], { env })).out,
        /ok {4}catalogue: database test_.*works\nok {4}objects: bucket/,
      );
      relays.objects.cut();
      const { out, status } = await cli.run(["doctor"], { env });
      assert.equal(status, 1);
      assert.match(
        out,
        /ok {4}catalogue:.*\nFAIL {2}objects: bucket spillway-tests.*cannot be reached.*Repeat the call later/,
      );
    });
  });

  describe("a team store that is set up wrongly", () => {
    /** What doctor says about changed settings. */
    async function diagnose(change: Partial<Settings>): Promise<string> {
      await using cli = await openCli();
      const { out, err } = await cli.run(["doctor"], { env: asEnvironment({ ...(await makeTeam()), ...change }) });
      return out + err;
    }

    const cases: readonly (readonly [name: string, change: Partial<Settings>, sentence: RegExp])[] = [
      [
        "a wrong password",
        { "store.catalogue": url.replace(postgres.password, "wr0ng-s3cret") },
        /password authentication failed.*SPILLWAY_STORE_PASSWORD/,
      ],
      ["a missing database", { "store.catalogue": `${url}x` }, /database ".*x" does not exist.*store\.catalogue/],
      [
        "a URL that is not one",
        { "store.catalogue": "mysql://a:wr0ng-s3cret@b/c" },
        /store\.catalogue cannot be used.*postgres:\/\//,
      ],
      ["a wrong secret", { "store.secret_key": "wr0ng-s3cret" }, /refuses the credentials.*SPILLWAY_STORE_SECRET_KEY/],
      ["a missing bucket", { "store.objects": "s3://missing-bucket" }, /bucket does not exist.*Create the bucket/],
      ["a place that is not one", { "store.objects": "bucket" }, /store\.objects is not s3:\/\//],
    ];
    for (const [name, change, sentence] of cases) {
      test(`says so in one sentence with a hint, without secrets: ${name}`, async () => {
        const said = await diagnose(change);
        assert.match(said, sentence);
        assert.ok(!said.includes("wr0ng-s3cret"));
      });
    }

    test("says so in one sentence with a hint: a clock that differs", async () => {
      await using relay = await startHttpRelay(s3.port, () => ({
        status: 403,
        body: errorBody("RequestTimeTooSkewed"),
      }));
      assert.match(
        await diagnose({ "store.endpoint": `http://127.0.0.1:${relay.port}` }),
        /FAIL {2}objects: .*clock of this machine differs too much.*Set the clock of this machine/,
      );
    });

    test("refuses a catalogue of a newer program, and changes nothing in it", async () => {
      const team = await makeTeam();
      await using cli = await openCli();
      const env = asEnvironment(team);
      await cli.run(["doctor"], { env });
      const sql = postgresSql(parsePostgresAddress(team["store.catalogue"] ?? ""));
      await sql.run("UPDATE catalogue_schema SET version = 1000");
      assert.match(
        (await cli.run(["doctor"], { env })).out,
        /newer version of Spillway has written it.*Update Spillway/,
      );
      assert.deepEqual(await sql.get("SELECT version FROM catalogue_schema"), { version: 1000 });
      await sql.close();
    });

    test("brings a catalogue of an earlier version up to date, and loses nothing that it has", async () => {
      const team = await makeTeam();
      const env = asEnvironment(team);
      await using cli = await openCli();
      await writeFile(join(cli.work, "a.txt"), "kept by an earlier version");
      const { artifact_ref: ref } = JSON.parse((await cli.run(["fetch", "a.txt", "--json"], { env })).out);
      const sql = postgresSql(parsePostgresAddress(team["store.catalogue"] ?? ""));
      const later = ["sign_in_codes", "usage_days", "index_segments", "objects_ids", "outcome_days", "usage_batches"];
      for (const table of later) await sql.run(`DROP TABLE IF EXISTS ${table}`);
      await sql.run("UPDATE catalogue_schema SET version = 3");
      await using another = await openCli();
      assert.equal((await another.run(["cat", ref], { env })).out, "kept by an earlier version");
      assert.match((await another.run(["doctor"], { env })).out, /ok {4}catalogue:/);
      assert.deepEqual(await sql.all("SELECT sha256 FROM blobs WHERE sha256 = 'x'"), []);
      for (const table of later) await sql.all(`SELECT * FROM ${table}`);
      await sql.close();
    });

    test("brings an older catalogue up to date, also one whose change was broken off", async () => {
      const team = await makeTeam();
      const sql = postgresSql(parsePostgresAddress(team["store.catalogue"] ?? ""));
      await sql.run("CREATE TABLE catalogue_schema (version BIGINT NOT NULL)");
      await using cli = await openCli();
      assert.match((await cli.run(["doctor"], { env: asEnvironment(team) })).out, /ok {4}catalogue:/);
      await sql.close();
    });
  });
}
