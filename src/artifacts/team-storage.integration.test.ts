/** The suites of the store on every pair of {SQLite, PostgreSQL} and {disk, S3}, against real servers. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { startPostgres } from "../../test/postgres-server.ts";
import { startS3 } from "../../test/s3-server.ts";

const suites = ["artifact-store", "sweeper", "responses", "races"].map((name) =>
  join(import.meta.dirname, `${name}.test.ts`),
);
const postgres = await startPostgres();
const s3 = await startS3();
after(async () => {
  for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
});

/** The settings of each driver, or why there is none. */
const catalogues = {
  SQLite: {},
  PostgreSQL: typeof postgres === "string" ? postgres : { "store.catalogue": (await postgres.makeDatabase()).url },
};
const places = { disk: {}, S3: typeof s3 === "string" ? s3 : s3.makePlace() };

describe("the suites of the store", () => {
  for (const [catalogue, rows] of Object.entries(catalogues)) {
    for (const [place, bytes] of Object.entries(places)) {
      if (catalogue === "SQLite" && place === "disk") continue; // Tested wherever the store is.
      const missing = [rows, bytes].find((each) => typeof each === "string");
      const skip = typeof missing === "string" ? missing : false;
      test(`hold for rows in ${catalogue} and bytes on ${place}`, { skip }, async () => {
        const settings = { ...Object(bytes), ...Object(rows) };
        await runSuites(settings);
      });
    }
  }
});

async function runSuites(settings: object): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--test", "--test-isolation=none", "--test-timeout=300000", "--test-reporter=tap", ...suites];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...env, STORAGE_UNDER_TEST: JSON.stringify(settings) },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { readonly stdout: string }) => error);
  const failed = stdout.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.deepEqual(failed, [], stdout.slice(-4_000));
  assert.match(stdout, /^# pass [1-9]\d+$/m);
}
