/** The promises about rows of index segments, as tests; every database of the catalogue runs them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { announceObject, claimGarbage, isGarbage } from "./blob-rows.ts";
import { updateSchema } from "./schema.ts";
import {
  dropSegment,
  expireSegments,
  isListedSegment,
  listSegments,
  pageOfSegments,
  releaseSegments,
  segmentsOfOthers,
} from "./segment-rows.ts";
import type { SqlUnderTest } from "./sql.contract.ts";
import type { Queries, Sql } from "./sql.ts";

const key = { owner: "ann", project: "shop", repository: "web" };
const START = 1_000_000;
const STAY_MS = 60_000;

const segment = (objectKey: string, sizeBytes = 10) => ({ objectKey, sizeBytes });

/** Announces the objects and makes them the segments of an index. */
async function publish(queries: Queries, place: string, names: readonly string[], now = START, repository = key) {
  for (const name of names) if (!(await isListedSegment(queries, name))) await announceObject(queries, name, now);
  await listSegments(
    queries,
    repository,
    { place, segments: names.map((name) => segment(name)), stayMs: STAY_MS },
    now,
  );
}

const keysOf = (rows: readonly { readonly object_key: string }[]): string[] => rows.map(({ object_key }) => object_key);
const allKeys = async (queries: Queries): Promise<string[]> => keysOf(await pageOfSegments(queries, 100, ""));
const sinceOf = async (queries: Queries, name: string): Promise<number | undefined> =>
  (await queries.get<{ since: number }>("SELECT since FROM garbage WHERE object_key = ?", name))?.since;

export function segmentRowsContract(name: string, open: () => Promise<SqlUnderTest>): void {
  describe(`rows of index segments: ${name}`, () => {
    const promise = (sentence: string, check: (sql: Sql, under: SqlUnderTest) => Promise<void>) =>
      test(sentence, async () => {
        await using under = await open();
        await updateSchema(under.sql);
        await check(under.sql, under);
      });

    promise("adopt announced objects, and make those garbage that an index has no more", async (sql) => {
      await publish(sql, "here", ["a", "b"]);
      assert.deepEqual([await allKeys(sql), await isGarbage(sql, "a")], [["a", "b"], false]);
      await publish(sql, "here", ["b", "c"], START + 1);
      assert.deepEqual(await allKeys(sql), ["b", "c"]);
      assert.equal(await sinceOf(sql, "a"), START + 1 + STAY_MS);
      await publish(sql, "here", ["a", "b"], START + 2);
      assert.deepEqual([await allKeys(sql), await isGarbage(sql, "a")], [["a", "b"], false], "adopted again in time");
    });

    promise("leave segments of other places alone, and name them to who shares the store", async (sql) => {
      await publish(sql, "here", ["a", "b"]);
      await publish(sql, "there", ["a", "c"]);
      assert.deepEqual(await allKeys(sql), ["a", "b", "c"]);
      assert.deepEqual(keysOf(await segmentsOfOthers(sql, key, "there")), ["a", "b"]);
      assert.deepEqual(keysOf(await segmentsOfOthers(sql, key, "here")), ["c"]);
      await publish(sql, "there", ["c"]);
      assert.deepEqual(await allKeys(sql), ["a", "b", "c"], "the place that built a segment releases it");
      const others = [
        { ...key, owner: "bob" },
        { ...key, project: "b" },
        { ...key, repository: "b" },
      ];
      for (const other of others) assert.deepEqual(await segmentsOfOthers(sql, other, "there"), []);
    });

    promise("never list an object that a sweeper has claimed, whoever is first", async (sql, { connect }) => {
      const names = Array.from({ length: 10 }, (_, n) => `s${n}`);
      for (const each of names) await announceObject(sql, each, START);
      const other = await connect();
      const list = { place: "here", segments: names.map((each) => segment(each)), stayMs: 0 };
      const [claimed] = await Promise.all([
        other.transact((queries) => claimGarbage(queries, START + 1, 100)),
        sql.transact((queries) => listSegments(queries, key, list, START)),
      ]);
      const listed = await allKeys(sql);
      assert.deepEqual([...claimed, ...listed].sort(), names, "each object is either deleted or listed");
      await other.close();
    });

    promise("are released with their index, and expire when no index uses them", async (sql) => {
      await publish(sql, "here", ["a", "b"]);
      await publish(sql, "there", ["b", "c"], START + 10);
      assert.equal(await releaseSegments(sql, key, "there"), 10);
      assert.deepEqual([await allKeys(sql), await sinceOf(sql, "c")], [["a", "b"], 0]);
      assert.equal(await expireSegments(sql, "bob", START + 5), 0);
      assert.equal(await expireSegments(sql, "ann", START + 5), 1, "b was used by the other place");
      assert.deepEqual([await allKeys(sql), await sinceOf(sql, "a")], [["b"], 0]);
      await dropSegment(sql, "b");
      assert.deepEqual([await allKeys(sql), await sinceOf(sql, "b")], [[], 0]);
    });

    promise("come in pages", async (sql) => {
      await publish(sql, "here", ["a", "b", "c"]);
      const first = await pageOfSegments(sql, 2, "");
      assert.deepEqual([keysOf(first), keysOf(await pageOfSegments(sql, 2, "b"))], [["a", "b"], ["c"]]);
      assert.deepEqual({ ...first[0] }, { object_key: "a", place: "here", size_bytes: 10, used_at: START });
    });
  });
}
