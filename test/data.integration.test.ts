/** Data files through the command line, MCP, tools and the library: their shape first, then rows and paths. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fetchSource, openSession, readArtifact, SpillwayError } from "../src/index.ts";
import { openCli } from "./cli.ts";
import { documentBombs } from "./document-bombs.ts";
import { openMcp } from "./mcp.ts";
import { openTools } from "./tools.ts";

const rows = Array.from({ length: 5_000 }, (_, row) => `${row + 1},"Ship, ${row + 1}",${row % 9}`);
const table = `id,name,berth\n${rows.join("\n")}\n`;
const json = JSON.stringify({ items: Array.from({ length: 5_000 }, (_, id) => ({ id, name: `Ship ${id}` })) });

describe("a long data file", () => {
  test("shows its shape before its text, which is still the text of the source", async () => {
    await using cli = await openCli();
    const [fields] = await cli.json("fetch", await cli.write("ships.csv", table), "--max-chars", "6000");
    assert.match(fields.overview, /^Table of 5,000 rows and 3 columns\./);
    assert.match(fields.overview, /\| berth \| integer 0 to 8 \|/);
    assert.ok(fields.overview.endsWith(rows.at(-1) ?? ""));
    assert.equal(fields.content, table.slice(0, 6_000 - fields.overview.length));
    assert.equal(fields.next_offset, fields.content.length);
    const { out } = await cli.run(["fetch", await cli.write("ships.csv", table), "--max-chars", "6000"]);
    assert.ok(out.includes(`${fields.overview}\n\n${fields.content}`));
    assert.match(out, /rows=<first>-<last>; on the command line with --rows\./);
  });

  test("that fits is shown as it is, and so is every file in the modes text and raw", async () => {
    await using cli = await openCli();
    const [short] = await cli.json("fetch", await cli.write("short.csv", table.slice(0, 2_000)));
    assert.deepEqual([short.overview, short.content], [undefined, table.slice(0, 2_000)]);
    for (const mode of ["text", "raw"]) {
      const [fields] = await cli.json("fetch", await cli.write("a.csv", table), "--max-chars", "6000", "--mode", mode);
      assert.deepEqual([fields.overview, fields.content], [undefined, table.slice(0, 6_000)]);
    }
  });

  test("is read by rows with their header, on the command line", async () => {
    await using cli = await openCli();
    const [{ artifact_ref: ref }] = await cli.json("fetch", await cli.write("ships.csv", table));
    const [fields] = await cli.json("read", ref, "--rows", "4000-4001");
    assert.deepEqual(
      [fields.overview, fields.content, fields.selector, fields.start_line],
      ["id,name,berth", `${rows[3_999]}\n${rows[4_000]}`, "rows", 4_001],
    );
    const { out } = await cli.run(["read", ref, "--rows", "4000"]);
    assert.match(out, /: row 4,000, lines 4,001-4,001 of 5,001/);
  });

  test("is read by path through MCP, and a wrong one says what is there", async () => {
    await using mcp = await openMcp();
    await mcp.write("ships.json", json);
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_MCP_FORM: "both" } });
    const call = async (name: string, input: Record<string, unknown>) => {
      const { structuredContent, content } = await client.callTool({ name, arguments: input });
      return { fields: structuredContent as Record<string, unknown>, text: JSON.stringify(content) };
    };
    const fetched = await call("fetch_content", { url: "ships.json" });
    assert.match(fetched.text, /path=<path, a number in \[\]>/);
    assert.match(String(fetched.fields.overview), /\| \$\.items\[\]\.name \| text \| 5,000 \|/);
    assert.match(fetched.text, /\$\.items\[\]\.name/);
    const artifact_ref = fetched.fields.artifact_ref;
    const read = await call("read_artifact", { artifact_ref, path: "$.items[4321]" });
    assert.equal(read.fields.content, '{"id":4321,"name":"Ship 4321"}');
    const missing = await call("read_artifact", { artifact_ref, path: "$.items[5000]" });
    assert.match(missing.text, /use \$\.items\[0\] to \$\.items\[4999\]/);
    const both = await call("read_artifact", { artifact_ref, path: "$.items", rows: "3" });
    assert.match(both.text, /cannot be combined/);
  });

  test("is read by rows and path through the library", async () => {
    await using session = await openSession({ inMemory: true });
    const { fields } = await fetchSource(`data:text/csv,${encodeURIComponent(table)}`, {}, session);
    const ref = fields.artifact_ref ?? assert.fail();
    assert.equal((await readArtifact(ref, { rows: "2" }, session)).content, rows[1]);
    await assert.rejects(
      readArtifact(ref, { path: "$.a" }, session),
      (error) => error instanceof SpillwayError && error.hint === "Use rows, such as 100-120.",
    );
    const whole = await readArtifact(ref, {}, session);
    assert.match(whole.fields.overview ?? "", /^Table of 5,000 rows/);
    assert.equal((await readArtifact(ref, { offset: 0 }, session)).fields.overview, undefined);
  });

  test("that is shown as something else is read by path in its source", async () => {
    await using session = await openSession({ inMemory: true });
    const entry = "<item><title>Weirs</title><description>They hold water back.</description></item>";
    const feed = `<rss version="2.0"><channel><title>News</title>${entry.repeat(900)}</channel></rss>`;
    const { fields } = await fetchSource(`data:application/rss+xml,${encodeURIComponent(feed)}`, {}, session);
    assert.deepEqual([fields.handler, fields.overview], ["feed", undefined]);
    const answer = await readArtifact(fields.artifact_ref ?? "", { path: "$.rss.channel.item[7].title" }, session);
    assert.equal(answer.content, "<title>Weirs</title>");
  });

  test("leaves its shape out of a reply that has no room for it, and stays within the budget", async () => {
    await using bench = await openTools();
    await bench.write("ships.csv", table);
    for (const maxChars of [1, 300, 950, 3_000, 30_000]) {
      const { text, fields } = await bench.call("fetch_content", { url: "ships.csv", maxChars });
      const { overview = "", content } = fields;
      assert.ok(String(overview).length + String(content).length <= maxChars, `${maxChars}`);
      assert.ok(text.length <= maxChars + 600);
      assert.equal(overview !== "", maxChars >= 950);
    }
  });

  test("is one of several sources of a reply", async () => {
    await using bench = await openTools();
    await bench.write("ships.csv", table);
    await bench.write("ships.json", json);
    const { text, fields } = await bench.call("fetch_content", { urls: ["ships.csv", "ships.json"], maxChars: 9_000 });
    assert.ok(text.length <= 9_600);
    const results = fields.results as { overview?: string; content: string }[];
    assert.match(results[0]?.overview ?? "", /^Table of/);
    assert.match(results[1]?.overview ?? "", /^JSON, by path/);
  });
});

describe("a file made to exhaust a reader", () => {
  const wanted = [
    "bzip2 of 45 GB",
    "a database of random pages",
    "JSON nested a million deep",
    "rows of 5 million cells",
  ];
  for (const bomb of documentBombs.filter(({ name }) => wanted.includes(name))) {
    test(`leaves the next one to be served: ${bomb.name}`, async () => {
      await using cli = await openCli();
      const extension = { "application/x-bzip2": "bz2", "application/json": "json", "text/csv": "csv" }[bomb.mediaType];
      const [fields] = await cli.json("fetch", await cli.write(`bomb.${extension ?? "sqlite"}`, await bomb.make()));
      assert.equal(fields.error === undefined, bomb.reason !== "corrupt", fields.error);
      assert.match((await cli.run(["fetch", await cli.write("good.csv", "a,b\n1,2\n")])).out, /1,2/);
      if (bomb.entry === undefined) return;
      const { status, err } = await cli.run(["read", fields.artifact_ref, "--entry", "bomb"]);
      assert.equal(status, 1);
      assert.match(err, /unpacks to more than is read/);
    });
  }
});
