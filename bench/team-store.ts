/** Keeping and reading on a team store, beside the same work in raw calls of `pg` and S3 in the same run. */
import { createHash, randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { openStore } from "../src/artifacts/artifact-store.ts";
import { readS3Address } from "../src/artifacts/s3/s3-address.ts";
import { openS3Client } from "../src/artifacts/s3/s3-client.ts";
import { teamStorage } from "../src/artifacts/team-storage.ts";
import { defaultSettings } from "../src/config/settings.ts";
import {
  makeMemorySpool,
  makeOrigin,
  makeTemporaryFolder,
  plainTextDetection,
  readArtifactBytes,
} from "../test/bodies.ts";
import { startPostgres } from "../test/postgres-server.ts";
import { startS3 } from "../test/s3-server.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 400);
const BODY_BYTES = 64 * 1024;
/** Between two calls, so that neither pays for what the other does after its answer: copies, and marks of use. */
const SETTLE_MS = 5;

export const about = `ms of ${ROUNDS} keeps and reads of 64 KiB on loopback, taken in turn with raw calls (a keep: one PUT and one INSERT; a read: one SELECT and one GET); goal: 1.5 times`;

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
  const servers = ["one", "other"].map((name) => teamStorage(join(folder.path, name), settings));
  const [one, other] = servers.map((storage, index) => openStore(storage, { owner: "ann", run: `bench-${index}` }));
  if (one === undefined || other === undefined) return;
  const raw = await openRaw({ ...address, ssl: false }, openS3Client(readS3Address(settings), { timeoutMs: 10_000 }));
  const times = new Map<string, [own: number[], raw: number[]]>();

  for (let round = 0; round < ROUNDS; round++) {
    const bytes = [randomBytes(BODY_BYTES), randomBytes(BODY_BYTES)] as const;
    const spool = makeMemorySpool(bytes[0]);
    let [ref, key] = ["", ""];

    /** Times both, each of them first in every other round; the first rounds are for warming up. */
    const compare = async (name: string, own: () => Promise<unknown>, plain: () => Promise<unknown>): Promise<void> => {
      const lists = times.get(name) ?? [[], []];
      times.set(name, lists);
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const start = performance.now();
        await (which === 0 ? own() : plain());
        if (round >= ROUNDS / 10) lists[which].push(performance.now() - start);
        await wait(SETTLE_MS);
      }
    };

    await compare(
      "keep",
      async () => {
        ref = (await one.keep(spool, plainTextDetection, makeOrigin(`${round}.bin`))).artifact_ref;
      },
      async () => {
        key = await raw.keep(bytes[1]);
      },
    );
    const read = () => raw.read(key);
    await compare("read", () => readArtifactBytes(one, ref), read);
    await compare("first read by another run on another server", () => readArtifactBytes(other, ref), read);
    await compare("second read there", () => readArtifactBytes(other, ref), read);
  }

  console.log("| | p50 | p99 | raw p50 | raw p99 | times p50 | times p99 |\n|---|---|---|---|---|---|---|");
  for (const [name, [own, plain]] of times) {
    const figures = [own, plain].flatMap((each) => [quantile(each, 0.5), quantile(each, 0.99)]);
    const [p50 = 0, p99 = 0, raw50 = 1, raw99 = 1] = figures;
    const cells = [...figures.map((ms) => ms.toFixed(2)), (p50 / raw50).toFixed(2), (p99 / raw99).toFixed(2)];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  await raw.close();
  for (const storage of servers) {
    await storage.catalogue.close();
    await storage.close?.();
  }
  for (const name of ["one", "other"]) await rm(join(folder.path, name), { recursive: true, force: true });
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;

/** The least that a program without our code has to do: the object and a row that names it. */
async function openRaw(address: pg.PoolConfig, s3: ReturnType<typeof openS3Client>) {
  const pool = new pg.Pool(address);
  pool.on("error", () => undefined); // The server ends first where the bench fails.
  await pool.query(
    `CREATE TABLE raw_artifacts (
       owner TEXT, ref TEXT, sha256 TEXT, object_key TEXT, record TEXT, PRIMARY KEY (owner, ref))`,
  );
  const insert = { name: "insert", text: "INSERT INTO raw_artifacts VALUES ('ann', $1, $2, $3, $4)" };
  const select = { name: "select", text: "SELECT * FROM raw_artifacts WHERE owner = 'ann' AND ref = $1" };

  async function keep(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const key = `raw/${sha256.slice(0, 2)}/${sha256}`;
    await s3.ask({ method: "PUT", key, body: bytes });
    await pool.query({ ...insert, values: [key, sha256, key, "{}".padEnd(800)] });
    return key;
  }

  async function read(key: string): Promise<Buffer> {
    const { rows } = await pool.query({ ...select, values: [key] });
    const { body } = await s3.send({ method: "GET", key: rows[0].object_key });
    return Buffer.from(await body.arrayBuffer());
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
