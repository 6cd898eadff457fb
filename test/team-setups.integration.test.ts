/** Set-ups of a team store that teams have: TLS to both parts, buckets in the host, wrong pairs of database and bucket. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openStore } from "../src/artifacts/artifact-store.ts";
import { readS3Address } from "../src/artifacts/s3/s3-address.ts";
import { s3Objects } from "../src/artifacts/s3/s3-objects.ts";
import { teamStorage } from "../src/artifacts/team-storage.ts";
import { parsePostgresAddress } from "../src/catalogue/postgres-address.ts";
import { type PostgresOptions, postgresSql } from "../src/catalogue/postgres-sql.ts";
import { CatalogueError } from "../src/catalogue/sql.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { SpillwayError } from "../src/errors.ts";
import { makeMemorySpool, makeOrigin, makeTemporaryFolder, plainTextDetection, readArtifactBytes } from "./bodies.ts";
import { makeCertificate } from "./certificate.ts";
import { openCli } from "./cli.ts";
import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";

const own = makeCertificate(["db.internal", "*.s3.internal"], ["127.0.0.1"]);
const foreign = makeCertificate(["other.internal"]);

const postgres = await startPostgres({}, own);
const s3 = await startS3({ certificate: own, domain: "s3.internal" });
const folder = await makeTemporaryFolder();
after(async () => {
  for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});
const [ownFile, foreignFile] = [join(folder.path, "own.pem"), join(folder.path, "foreign.pem")];
await writeFile(ownFile, own.cert);
await writeFile(foreignFile, foreign.cert);

if (typeof postgres === "string" || typeof s3 === "string") {
  test("set-ups of a team store", {
    skip: [postgres, s3].find((each) => typeof each === "string") as string,
  }, () => {});
} else {
  const { url } = await postgres.makeDatabase();

  describe("PostgreSQL over TLS", () => {
    /** What a connection says about itself, or its fault. */
    async function connect(parameters: string, change: Partial<PostgresOptions> = {}): Promise<string> {
      const sql = postgresSql({ ...parsePostgresAddress(`${url}${parameters}`), timeoutMs: 5_000, ...change });
      try {
        const rows = await sql.all<{ version: string | null }>(
          "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
        );
        return rows[0]?.version ?? "plain";
      } catch (error) {
        assert.ok(error instanceof CatalogueError, String(error));
        return error.fault;
      } finally {
        await sql.close();
      }
    }

    const spellings: readonly (readonly [parameters: string, caFile: string | null, outcome: RegExp])[] = [
      ["?sslmode=disable", null, /^plain$/],
      ["?sslmode=require", null, /^TLS/],
      ["?sslmode=no-verify", null, /^TLS/],
      ["?sslmode=verify-ca", ownFile, /^TLS/],
      ["?sslmode=verify-full", ownFile, /^TLS/],
      ["?sslmode=verify-ca", null, /^untrusted$/],
      ["?sslmode=verify-full", null, /^untrusted$/],
      ["?sslmode=verify-full", foreignFile, /^untrusted$/],
    ];
    for (const [parameters, caFile, outcome] of spellings) {
      const trust = caFile === null ? "" : `, trusting ${caFile === ownFile ? "its issuer" : "another issuer"}`;
      test(`does what ${parameters.slice(1)} says${trust}: ${outcome.source}`, async () => {
        assert.match(await connect(parameters, { caFile }), outcome);
      });
    }

    test("compares the name of the host with the certificate, unless verify-ca says that the issuer is enough", async () => {
      // As if the server had been found under another name than the certificate has.
      const named = (host: string) => ({ caFile: ownFile, ssl: { servername: host } });
      assert.match(await connect("?sslmode=verify-full", named("db.internal")), /^TLS/);
      assert.equal(await connect("?sslmode=verify-full", named("elsewhere.internal")), "untrusted");
      const { ssl } = parsePostgresAddress("postgres://a@elsewhere.internal/b?sslmode=verify-ca");
      assert.match(await connect("?sslmode=verify-ca", { caFile: ownFile, ssl }), /^TLS/);
    });

    test("works as soon as the file of certificates can be read", async () => {
      const late = join(folder.path, "late.pem");
      const sql = postgresSql({ ...parsePostgresAddress(`${url}?sslmode=verify-full`), caFile: late });
      await assert.rejects(sql.all("SELECT 1 AS one"), { code: "config_invalid" });
      await writeFile(late, own.cert);
      assert.deepEqual(await sql.all("SELECT 1 AS one"), [{ one: 1 }]);
      await sql.close();
    });

    test("says that the server has none, instead of sending a password in the clear", async () => {
      const plain = await startPostgres();
      assert.ok(typeof plain !== "string");
      await using _ = plain;
      assert.equal(await connect("?sslmode=require", { port: plain.port }), "unencrypted");
    });
  });

  /** The settings of a new team store over TLS. */
  const makeTeam = async (): Promise<Settings> => ({
    ...defaultSettings,
    ...s3.makePlace(),
    "store.catalogue": `${(await postgres.makeDatabase()).url}?sslmode=verify-full`,
    "network.ca_file": ownFile,
    "store.timeout": 5_000,
  });

  const asEnvironment = (settings: Settings): Record<string, string> =>
    Object.fromEntries(
      Object.entries(settings)
        .filter(([name, value]) => /^store\.|^network\.ca_file/.test(name) && typeof value === "string")
        .map(([name, value]) => [`SPILLWAY_${name.toUpperCase().replaceAll(".", "_")}`, String(value)]),
    );

  /** What doctor says, with both parts in one line each. */
  async function diagnose(settings: Settings): Promise<string> {
    await using cli = await openCli();
    const { out, err } = await cli.run(["doctor"], { env: asEnvironment(settings) });
    return out + err;
  }

  describe("a team store over TLS", () => {
    test("works with the user's own certificates, by the command line", async () => {
      const team = await makeTeam();
      assert.match(await diagnose(team), /ok {4}catalogue: database .* works\nok {4}objects: bucket .* works/);
    });

    test("refuses certificates of another issuer in one sentence for each part", async () => {
      const said = await diagnose({ ...(await makeTeam()), "network.ca_file": foreignFile });
      assert.match(said, /FAIL {2}catalogue: .*certificate of its database is not trusted.*network\.ca_file/);
      assert.match(said, /FAIL {2}objects: .*certificate of its object storage is not trusted.*network\.ca_file/);
    });

    test("says so when the file of certificates cannot be read", async () => {
      const said = await diagnose({ ...(await makeTeam()), "network.ca_file": "/nowhere.pem" });
      assert.match(said, /network\.ca_file cannot be used: \/nowhere\.pem/);
    });
  });

  describe("a bucket that is named", () => {
    for (const addressing of ["path", "host"] as const) {
      test(`in the ${addressing} of a request: objects are written, read, listed, moved and deleted`, async () => {
        const place = s3.makePlace();
        const address = readS3Address({
          ...place,
          "store.addressing": addressing,
          ...(addressing === "host" && { "store.endpoint": `https://s3.internal:${s3.port}` }),
        });
        const bucket = place["store.objects"]?.split("/")[2] ?? "";
        const expected = {
          path: [`127.0.0.1:${s3.port}`, `/${bucket}/`],
          host: [`${bucket}.s3.internal:${s3.port}`, "/"],
        };
        assert.deepEqual([address.host, address.root], expected[addressing]);
        const objects = s3Objects(address, {
          copies: { folder: join(folder.path, "tmp"), cacheFolder: join(folder.path, "copies"), maxBytes: 0 },
          caFile: ownFile,
          lookup: (_, options, done) =>
            options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4),
        });
        await objects.put("a/b.c_d-e", Buffer.from("bytes"), { ifAbsent: true });
        assert.equal(await objects.put("a/b.c_d-e", Buffer.from("other"), { ifAbsent: true }), "exists");
        assert.equal(await objects.move("a/b.c_d-e", "moved"), true);
        const { content } = (await objects.open?.("moved")) ?? assert.fail("it was moved");
        assert.ok("bytes" in content && Buffer.from(content.bytes).toString() === "bytes");
        assert.deepEqual(
          (await Array.fromAsync(objects.list(""))).map(({ key, sizeBytes }) => [key, sizeBytes]),
          [["moved", 5]],
        );
        await objects.delete("moved");
        assert.equal(await objects.head("moved"), undefined);
        await objects.close();
      });
    }
  });

  describe("a database whose bytes are in another place", () => {
    const open = (settings: Settings, name: string) => {
      const storage = teamStorage(join(folder.path, name), settings);
      return {
        storage,
        store: openStore(storage, { owner: "ann", run: "r" }),
        async [Symbol.asyncDispose]() {
          await storage.catalogue.close();
          await storage.close?.();
        },
      };
    };
    const keep = ({ store }: ReturnType<typeof open>, text: string) =>
      store.keep(makeMemorySpool(text), plainTextDetection, makeOrigin("a.txt"));
    const refusalOf = async (action: Promise<unknown>): Promise<string> => {
      const error = await action.then(
        () => assert.fail("should have been refused"),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof SpillwayError, String(error));
      return error.message;
    };

    for (const [name, elsewhere] of [
      ["another bucket or folder of it", () => s3.makePlace()],
      ["the data folder", () => ({ "store.objects": null })],
    ] as const) {
      test(`is found at the first use, and nothing is lost: ${name}`, async () => {
        const team = await makeTeam();
        await using right = open(team, "right");
        const { artifact_ref: ref } = await keep(right, "kept");
        const mistaken = { ...team, ...elsewhere() };
        {
          await using wrong = open(mistaken, `wrong-${name.length}`);
          const sentence = /its rows and its bytes do not belong together/;
          assert.match(await refusalOf(keep(wrong, "lost?")), sentence);
          assert.match(await refusalOf(wrong.store.read(ref)), sentence);
          assert.match(await refusalOf(wrong.store.find(ref)), sentence);
        }
        assert.match(await diagnose(mistaken), /FAIL {2}catalogue: .*do not belong together.*Nothing has been changed/);
        await using again = open(team, "again");
        assert.equal((await readArtifactBytes(again.store, ref)).toString(), "kept");
        assert.equal((await again.store.totals()).artifacts, 1);
      });
    }

    test("is found for a store of an earlier version, which has no id yet", async () => {
      const team = await makeTeam();
      await using before = open(team, "before");
      const { artifact_ref: ref } = await keep(before, "kept by an earlier version");
      await before.storage.catalogue.run("DELETE FROM objects_ids");
      await using wrong = open({ ...team, ...s3.makePlace() }, "wrong-earlier");
      assert.match(await refusalOf(keep(wrong, "x")), /do not belong together/);
      await using right = open(team, "right-earlier");
      assert.equal((await readArtifactBytes(right.store, ref)).toString(), "kept by an earlier version");
      assert.match(await refusalOf(keep(wrong, "x")), /do not belong together/);
    });

    test("is decided for one of two places when servers start together, and servers of one place all work", async () => {
      const team = await makeTeam();
      const other = { ...team, ...s3.makePlace() };
      const servers = [team, team, other, team, other].map((settings, index) => open(settings, `together-${index}`));
      const outcomes = await Promise.all(
        servers.map((server, index) =>
          keep(server, `text ${index}`).then(
            () => "kept",
            (error: SpillwayError) => error.message,
          ),
        ),
      );
      const at = (...indexes: number[]) => [...new Set(indexes.map((index) => outcomes[index]))];
      const [one = [], two = []] = [at(0, 1, 3), at(2, 4)];
      assert.deepEqual([one.length, two.length], [1, 1], JSON.stringify(outcomes));
      assert.deepEqual([one[0] === "kept", two[0] === "kept"].sort(), [false, true]);
      for (const server of servers) await server[Symbol.asyncDispose]();
    });
  });
}
