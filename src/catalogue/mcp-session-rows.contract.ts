/** The promises of MCP sessions as rows, as tests; every database of the catalogue runs them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  addMcpCancellation,
  addMcpSession,
  deleteMcpCancellation,
  deleteMcpSession,
  deleteOldMcpSessions,
  findMcpSession,
  listMcpCancellations,
  markMcpSessionUsed,
  setMcpLogLevel,
} from "./mcp-session-rows.ts";
import { updateSchema } from "./schema.ts";
import type { SqlUnderTest } from "./sql.contract.ts";
import type { Sql } from "./sql.ts";

const holder = { owner: "ann", token: "laptop" };
const START = 1_700_000_000_000;

export function mcpSessionRowsContract(name: string, open: () => Promise<SqlUnderTest>): void {
  const promise = (sentence: string, check: (sql: Sql, under: SqlUnderTest) => Promise<void>) =>
    test(sentence, async () => {
      await using under = await open();
      await updateSchema(under.sql);
      await check(under.sql, under);
    });
  const add = (sql: Sql, id: string, now = START, maxSessions = 100) =>
    addMcpSession(sql, { id, ...holder, handshake: `{"id":"${id}"}`, now }, maxSessions);
  const find = (sql: Sql, id: string, since = 0) => findMcpSession(sql, id, holder, since);

  describe(`an MCP session: ${name}`, () => {
    promise("is found by another process, for its own token only", async (sql, { connect }) => {
      await add(sql, "one");
      await setMcpLogLevel(sql, "one", "debug");
      const other = await connect();
      const row = await findMcpSession(other, "one", holder, 0);
      assert.deepEqual({ ...row }, { id: "one", handshake: '{"id":"one"}', log_level: "debug", used_at: START });
      assert.equal(await findMcpSession(other, "one", { ...holder, token: "phone" }, 0), undefined);
      assert.equal(await findMcpSession(other, "one", { ...holder, owner: "bob" }, 0), undefined);
      assert.equal(await find(other, "two"), undefined);
      await other.close();
    });

    promise("ends when it was not used, is deleted, or gives way to newer ones", async (sql) => {
      await add(sql, "one");
      assert.equal(await find(sql, "one", START + 1), undefined);
      await markMcpSessionUsed(sql, "one", START + 5);
      assert.equal((await find(sql, "one", START + 5))?.used_at, START + 5);
      await add(sql, "two", START + 1, 2);
      await add(sql, "three", START + 2, 2);
      assert.deepEqual([await find(sql, "two"), (await find(sql, "one"))?.id], [undefined, "one"]);
      await deleteMcpSession(sql, "one");
      assert.equal(await find(sql, "one"), undefined);
      await deleteOldMcpSessions(sql, START + 3, START);
      assert.equal(await find(sql, "three"), undefined);
    });

    promise("keeps what is to be cancelled until it was taken, or is too old", async (sql) => {
      await add(sql, "one");
      for (const requestId of ["1", '"1"', "1"]) await addMcpCancellation(sql, "one", requestId, START);
      assert.deepEqual((await listMcpCancellations(sql, "one")).sort(), ['"1"', "1"]);
      await deleteMcpCancellation(sql, "one", "1");
      assert.deepEqual(await listMcpCancellations(sql, "one"), ['"1"']);
      await deleteOldMcpSessions(sql, 0, START + 1);
      assert.deepEqual(await listMcpCancellations(sql, "one"), []);
      assert.equal((await find(sql, "one"))?.id, "one");
    });
  });
}
