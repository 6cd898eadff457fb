import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCli } from "../../../test/cli.ts";
import { openMcp } from "../../../test/mcp.ts";
import { makeParquet } from "../../../test/parquet.ts";
import { makeSqlite } from "../../../test/sqlite-file.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { database } from "./database-handler.ts";

const sqlite = await makeSqlite(`
  CREATE TABLE ships (id INTEGER PRIMARY KEY, name TEXT, draught REAL, photo BLOB);
  INSERT INTO ships (name, draught, photo) VALUES ('Heron', 3.25, x'0102'), ('Tern | tug', NULL, NULL), ('Gull' || char(10) || 'II', 9007199254740993, NULL);
  CREATE TABLE "odd ""name""" (a);
  CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;
  CREATE VIRTUAL TABLE notes USING fts5 (body);
`);
const parquet = makeParquet([
  { name: "id", values: [1, 2, 3] },
  { name: "name", values: ["Heron", "Tern", "Gull"] },
]);

const asSqlite = (bytes: Uint8Array) =>
  ({ kind: "unknown_binary", mediaType: "application/vnd.sqlite3", bytes }) as const;
const asParquet = (bytes: Uint8Array) =>
  ({ kind: "unknown_binary", mediaType: "application/vnd.apache.parquet", bytes }) as const;

handlerContract(database, [
  { name: "a database", ...asSqlite(sqlite) },
  { name: "a damaged database", ...asSqlite(Buffer.concat([sqlite.subarray(0, 100), Buffer.alloc(8_000, 7)])) },
  { name: "a table in columns", ...asParquet(parquet) },
  { name: "a table that is cut", ...asParquet(parquet.subarray(0, 60)) },
]);

async function read(sample: ReturnType<typeof asSqlite> | ReturnType<typeof asParquet>) {
  await using kept = await keep(sample);
  const items = await run(database, kept.file);
  const text = segmentsOf(items)
    .map((segment) => segment.text)
    .join("");
  return { text, failed: items.flatMap((item) => ("failed" in item ? [item.failed] : []))[0] };
}

describe("a database", () => {
  test("shows its tables with definition, row count and first rows; a view is not run", async () => {
    const { text } = await read(asSqlite(sqlite));
    assert.deepEqual(
      [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name),
      ["notes", 'odd "name"', "ships", "endless"],
    );
    assert.match(text, /## ships\n\n3 rows\.\n\n```sql\nCREATE TABLE ships/);
    assert.match(text, /\| 1 \| Heron \| 3\.25 \| \(2 B of bytes\) \|\n\| 2 \| Tern \\\| tug \| {2}\| {2}\|/);
    assert.match(text, /\| 3 \| Gull II \| 9007199254740992 \| {2}\|/);
    assert.match(text, /## endless\n\nView\.\n\n```sql/);
  });

  test("that is damaged says so", async () => {
    const { failed } = await read(asSqlite(Buffer.concat([sqlite.subarray(0, 100), Buffer.alloc(8_000, 7)])));
    assert.equal(failed?.reason, "corrupt");
  });
});

describe("a table in columns", () => {
  test("shows its columns, row count and first rows", async () => {
    assert.deepEqual((await read(asParquet(parquet))).text.split("\n"), [
      "Table of 3 rows and 2 columns, in 1 row group. Written by a test.",
      "",
      "## Columns",
      "",
      "| column | type | may be empty |",
      "| --- | --- | --- |",
      "| id | INT32 | no |",
      "| name | BYTE_ARRAY (UTF8) | no |",
      "",
      "## First rows",
      "",
      "| id | name |",
      "| --- | --- |",
      "| 1 | Heron |",
      "| 2 | Tern |",
      "| 3 | Gull |",
      "",
    ]);
  });

  test("packed in a way that is not read still shows its columns", async () => {
    const { text } = await read(asParquet(makeParquet([{ name: "id", values: [1] }], { codec: 3 })));
    assert.match(text, /\| id \| INT32 \| no \|[\s\S]*They cannot be read: /);
  });
});

describe("a query in SQL", () => {
  test("is run on the database, which stays as it is", async () => {
    await using cli = await openCli();
    const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write("ships.sqlite", sqlite));
    const [fields] = await cli.json("read", ref, "--query", "SELECT name, draught FROM ships WHERE id < 3 ORDER BY id");
    assert.equal(
      fields.content,
      "| name | draught |\n| --- | --- |\n| Heron | 3.25 |\n| Tern \\| tug |  |\n\n2 rows.\n",
    );
    assert.deepEqual([fields.next_offset, fields.selector], [null, "query"]);
    const [words] = await cli.json("read", ref, "--query", "ships with a draught");
    assert.ok(words.matched_count > 0, "words are still a question");
  });

  const mistakes = [
    {
      query: "SELECT tonnage FROM ships",
      says: /The query failed: no such column: tonnage\. Read the artifact without/,
    },
    { query: "SELECT load_extension('x')", says: /not authorized/ },
    { query: "WITH gone AS (SELECT 1) DELETE FROM ships", says: /The query failed: .*(readonly|read-only|read only)/ },
    {
      query: "SELECT * FROM endless",
      says: /it needs more time than is allowed\. Ask for less: add WHERE and LIMIT/,
      // The others get all of their CPU time, so that none is stopped for it before it can fail.
      args: ["--set", "extract.cpu=1s"],
    },
    { query: "SELECT hex(zeroblob(900000000))", says: /needs more memory than is allowed|too big/ },
  ];
  for (const { query, says, args = [] } of mistakes) {
    test(`that cannot be answered says what to do: ${query}`, async () => {
      await using cli = await openCli();
      const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write("ships.sqlite", sqlite));
      const { status, err } = await cli.run(["read", ref, "--query", query, ...args]);
      assert.equal(status, 2);
      assert.match(err.replaceAll(/\s+/g, " "), says);
    });
  }

  test("gives at most so many rows, also through MCP, and the reply says how to get more", async () => {
    await using mcp = await openMcp();
    await mcp.write("ships.sqlite", sqlite);
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_MCP_FORM: "both" } });
    const call = async (name: string, input: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: input })).structuredContent as Record<string, unknown>;
    const { artifact_ref } = await call("fetch_content", { url: "ships.sqlite" });
    const query = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c";
    const { content } = await call("read_artifact", { artifact_ref, query, max_chars: 50_000 });
    assert.match(String(content), /\| 1000 \|\n\nMore rows follow: add LIMIT and OFFSET 1000 to the query\.\n$/);
  });
});

describe("rows of a table in columns", () => {
  const values = Array.from({ length: 3_000 }, (_, index) => index + 1);
  const long = makeParquet([
    { name: "id", values },
    { name: "name", values: values.map((value) => `ship ${value}`) },
  ]);

  test("are read by number, wherever they are", async () => {
    await using cli = await openCli();
    const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write("ships.parquet", long));
    const [fields] = await cli.json("read", ref, "--rows", "2998-2999");
    assert.equal(fields.content, "| id | name |\n| --- | --- |\n| 2998 | ship 2998 |\n| 2999 | ship 2999 |\n");
    assert.deepEqual([fields.selector, fields.next_offset], ["rows", null]);
    const [rest] = await cli.json("read", ref, "--rows", "2999-");
    assert.match(rest.content, /\| 3000 \| ship 3000 \|\n$/);
  });

  test("are bounded, and the reply names the rows that follow", async () => {
    await using cli = await openCli();
    const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write("ships.parquet", long));
    const [fields] = await cli.json("read", ref, "--rows", "1-", "--max-chars", "60000");
    assert.match(fields.content, /\| 1000 \| ship 1000 \|\n\nMore rows follow: use rows 1001-3000\.\n$/);
  });

  test("that do not exist are answered with how many there are", async () => {
    await using cli = await openCli();
    const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write("ships.parquet", long));
    const { status, err } = await cli.run(["read", ref, "--rows", "3001"]);
    assert.equal(status, 1);
    assert.match(err.replaceAll(/\s+/g, " "), /row 3,001 is past the end of 3,000 rows\. Choose an earlier row/);
  });
});
