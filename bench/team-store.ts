/** Keeping and reading on a team store, beside the same work in raw calls of `pg` and S3 in the same run. */
import { createHash, randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { openStore } from "../src/artifacts/artifact-store.ts";
import { readS3Address } from "../src/artifacts/s3/s3-address.ts";
import { openS3Client } from "../src/artifacts/s3/s3-client.ts";
import { teamStorage } from "../src/artifacts/team-storage.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { makeMemorySpool, makeOrigin, makeTemporaryFolder, plainTextDetection } from "../test/bodies.ts";
import { startPostgres } from "../test/postgres-server.ts";
import { startS3 } from "../test/s3-server.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 400);
const BODY_BYTES = 64 * 1024;

export const about = `ms of ${ROUNDS} keeps and reads of 64 KiB on loopback, taken in turn with raw calls; goal: 1.5 times`;

export async function run(): Promise<void> {
  // With syncing, as in production.
  const postgres = await startPostgres({ fsync: "on" });
  const s3 = await startS3();
  if (typeof postgres === "string" || typeof s3 === "string") {
    console.log(`skipped: ${[postgres, s3].filter((each) => typeof each === "string").join("; ")}`);
    return;
  }
  await using _database = postgres;
  await using _service = s3;
  await using folder = await makeTemporaryFolder();
  const { url, address } = await postgres.makeDatabase();
  const settings = { ...defaultSettings, ...s3.makePlace(), "store.catalogue": url };
  const storage = teamStorage(join(folder.path, "home"), settings);
  const store = openStore(storage, { owner: "ann", run: "bench" });
  const raw = await openRaw({ ...address, ssl: false }, openS3Client(readS3Address(settings), { timeoutMs: 10_000 }));
  const times = { keep: [[], []], read: [[], []] } as Record<"keep" | "read", [number[], number[]]>;

  for (let round = 0; round < ROUNDS; round++) {
    const [one, other] = [randomBytes(BODY_BYTES), randomBytes(BODY_BYTES)];
    const spool = makeMemorySpool(one);
    const [kept, ownKeep] = await timed(() => store.keep(spool, plainTextDetection, makeOrigin(`${round}.bin`)));
    const [key, rawKeep] = await timed(() => raw.keep(other));
    const [, ownRead] = await timed(async () => {
      await using file = await store.local(await store.find(kept.artifact_ref));
      return await readFile(file.path);
    });
    const [, rawRead] = await timed(() => raw.read(key));
    if (round < ROUNDS / 10) continue; // Warming up.
    times.keep[0].push(ownKeep);
    times.keep[1].push(rawKeep);
    times.read[0].push(ownRead);
    times.read[1].push(rawRead);
  }

  console.log("| | p50 | p99 | raw p50 | raw p99 | times p50 | times p99 |\n|---|---|---|---|---|---|---|");
  for (const [name, [own, plain]] of Object.entries(times)) {
    const figures = [own, plain].flatMap((each) => [quantile(each, 0.5), quantile(each, 0.99)]);
    const [p50 = 0, p99 = 0, raw50 = 1, raw99 = 1] = figures;
    const cells = [...figures.map((ms) => ms.toFixed(2)), (p50 / raw50).toFixed(2), (p99 / raw99).toFixed(2)];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  await raw.close();
  await storage.catalogue.close();
  await storage.close?.();
  await rm(join(folder.path, "home"), { recursive: true, force: true });
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  const result = await work();
  return [result, performance.now() - start];
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;

/** What a program without our code needs for the same: announce the object, put it, then record it in one transaction. */
async function openRaw(address: pg.PoolConfig, s3: ReturnType<typeof openS3Client>) {
  const pool = new pg.Pool(address);
  pool.on("error", () => undefined); // The server ends first where the bench fails.
  await pool.query("CREATE TABLE raw_garbage (object_key TEXT PRIMARY KEY, since BIGINT NOT NULL)");
  await pool.query("CREATE TABLE raw_blobs (sha256 TEXT PRIMARY KEY, object_key TEXT NOT NULL)");
  await pool.query(
    "CREATE TABLE raw_artifacts (owner TEXT, ref TEXT, sha256 TEXT, record TEXT, PRIMARY KEY (owner, ref))",
  );
  await pool.query("CREATE TABLE raw_uses (owner TEXT, run TEXT, ref TEXT, PRIMARY KEY (owner, run, ref))");
  await pool.query("CREATE TABLE raw_totals (owner TEXT PRIMARY KEY, artifacts BIGINT, bytes BIGINT)");

  async function keep(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const key = `raw/${sha256}`;
    await pool.query("INSERT INTO raw_garbage VALUES ($1, $2)", [key, Date.now()]);
    await s3.ask({ method: "PUT", key, body: bytes });
    const client = await pool.connect();
    await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
    await client.query("DELETE FROM raw_garbage WHERE object_key = $1", [key]);
    await client.query("INSERT INTO raw_blobs VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING", [sha256, key]);
    await client.query("INSERT INTO raw_artifacts VALUES ('ann', $1, $2, $3)", [key, sha256, "{}".padEnd(800)]);
    await client.query("INSERT INTO raw_uses VALUES ('ann', 'bench', $1)", [key]);
    await client.query(
      `INSERT INTO raw_totals VALUES ('ann', 1, $1)
       ON CONFLICT (owner) DO UPDATE SET artifacts = raw_totals.artifacts + 1, bytes = raw_totals.bytes + excluded.bytes`,
      [bytes.length],
    );
    await client.query("COMMIT");
    client.release();
    return key;
  }

  async function read(key: string): Promise<Buffer> {
    const { rows } = await pool.query(
      `SELECT a.*, b.object_key FROM raw_artifacts a JOIN raw_blobs b ON b.sha256 = a.sha256
       WHERE a.owner = 'ann' AND a.ref = $1`,
      [key],
    );
    const { body } = await s3.send({ method: "GET", key: rows[0].object_key });
    const bytes = Buffer.from(await body.arrayBuffer());
    createHash("sha256").update(bytes).digest("hex");
    return bytes;
  }

  return {
    keep,
    read,
    async close() {
      await pool.end();
      await s3.close();
    },
  };
}
