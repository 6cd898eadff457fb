import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeMemorySpool, makeOrigin, plainTextDetection } from "../../../test/bodies.ts";
import { openStore } from "../../artifacts/artifact-store.ts";
import { memoryStorage } from "../../artifacts/storage.ts";
import { CatalogueError } from "../../catalogue/sql.ts";
import type { Session } from "../../session/session.ts";
import { listResources } from "./resources.ts";

/** A session whose artifacts were used one millisecond after the other. */
async function makeSession(count: number) {
  let time = 1_000;
  const store = openStore(memoryStorage(), { owner: "alice", run: "r1", now: () => time });
  for (let index = 0; index < count; index++, time++) {
    await store.keep(makeMemorySpool(`${index}`), plainTextDetection, makeOrigin(`${index}.txt`));
  }
  return { store };
}

async function listAll(session: Pick<Session, "store">) {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = (await listResources(session, cursor)) ?? assert.fail("the cursor was refused");
    pages.push(page.resources.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

describe("the list of resources", () => {
  test("has every artifact once, those used last first, a hundred on a page", async () => {
    const [first = [], ...others] = await listAll(await makeSession(230));
    assert.deepEqual(first.slice(0, 4), ["status", "prometheus", "229.txt", "228.txt"]);
    const names = [...first.slice(2), ...others.flat()];
    assert.deepEqual(
      names,
      Array.from({ length: 230 }, (_, index) => `${229 - index}.txt`),
    );
    assert.deepEqual([first.length, ...others.map((page) => page.length)], [102, 100, 30]);
  });

  test("ends after a thousand artifacts, however many there are", async () => {
    const { store } = await makeSession(1);
    const endless = async (limit: number) => {
      const { artifacts } = await store.listRecent(1);
      return {
        artifacts: Array.from({ length: limit }, () => artifacts).flat(),
        next: { used_at: 1, ref: `af_${"0".repeat(32)}` },
      };
    };
    const pages = await listAll({ store: { ...store, listRecent: endless } });
    assert.equal(pages.flat().length, 1_002);
  });

  test("has only the fixed resources while the catalogue cannot be read", async () => {
    const { store } = await makeSession(1);
    const listRecent = async () => {
      throw new CatalogueError("newer", "The catalogue has version 99.");
    };
    assert.deepEqual(await listAll({ store: { ...store, listRecent } }), [["status", "prometheus"]]);
  });

  test("has only the fixed resources in an empty store", async () => {
    assert.deepEqual(await listAll(await makeSession(0)), [["status", "prometheus"]]);
  });

  test("refuses a cursor that it has not made", async () => {
    const session = await makeSession(1);
    for (const text of ["", "1", "1 af_x 3", `-1 af_${"0".repeat(32)} 1`, `1 af_${"0".repeat(32)} 1 or 1`]) {
      assert.equal(await listResources(session, Buffer.from(text).toString("base64url")), undefined, text);
    }
  });
});
