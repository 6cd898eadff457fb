import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { openCli } from "../../../../test/cli.ts";

const source = "export function parseOrder(text) {\n  return JSON.parse(text);\n}\n";

describe("spillway search and index", () => {
  test("print places and lines for people, and change nothing in the project", async () => {
    await using cli = await openCli();
    await cli.write("src/order.ts", source);
    const { status, out } = await cli.run(["search", "parse", "order"]);
    assert.equal(status, 0);
    assert.match(out, /^src\/order\.ts:1-3 {2}0\.\d{3}\n {5}1 {2}export function parseOrder/);
    assert.deepEqual(readdirSync(cli.work), ["src"]);
  });

  test("print the whole reply as JSON", async () => {
    await using cli = await openCli();
    await cli.write("src/order.ts", source);
    const [reply] = await cli.json("search", "parseOrder", "--limit", "1", "--file-type", "ts");
    assert.deepEqual([reply.results[0].file_path, reply.total_count, reply.truncated], ["src/order.ts", 1, false]);
    const [job] = await cli.json("index");
    assert.match(
      job.message,
      /^Repository up to date - no file changes detected since last index \(1 file already indexed\)$/,
    );
  });

  test("read a query per line, and print a line for each, also for one that fails", async () => {
    await using cli = await openCli();
    await cli.write("lib/order.ts", source);
    const stdin = "parse order\n\nnothing like it zzz\r\nparseOrder";
    const { status, out, err } = await cli.run(["search", "-", "--dir", "lib", "--json"], { stdin });
    const replies = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(status, 1);
    assert.deepEqual(
      replies.map((reply) => reply.results?.length ?? reply.error),
      [1, "Search query cannot be empty", 0, 1],
    );
    assert.match(err, /cannot be empty/);
  });

  test("exit with 2 for a bad query and with 1 for a bad folder, and say why", async () => {
    await using cli = await openCli();
    await cli.write("a.ts", source);
    for (const [args, status, words] of [
      [["search"], 2, /Search query cannot be empty/],
      [["search", "x", "--limit", "99"], 2, /Limit must be between 1 and 50, got 99/],
      [["search", "x", "--limit", "1.5"], 2, /Limit must be between 1 and 50, got 1\.5/],
      [["search", "x", "--limit", "many"], 2, /--limit must be a number/],
      [["search", "x", "--dir", "none"], 1, /does not exist/],
      [["search", "x", "--project", "none"], 1, /There is no project/],
      [["search", "x", "--project", "project_id"], 1, /There is no project "project_id"\.\n.*, or omit --project\.\n/],
      [["search", "x", "--project", "../x"], 2, /Invalid --project format: \.\.\/x\n/],
      [["search", "x", "--file-type", ".py"], 2, /: --file-type should not include leading dot \(use 'py'/],
      [
        ["search", "x", "--file-type", "file_type/directory"],
        2,
        /--file-type "file_type\/directory" is not an extension\n.*into --directory\.\n/,
      ],
      [["search", "x", "--cursor", "next_cursor"], 2, /Invalid cursor: next_cursor\n {2}Send --cursor of an earlier/],
      [["search", "x", "--repository", "repository_id"], 2, /Invalid --repository format: repository_id\n/],
      [
        ["search", "x", "--repository", `${"0".repeat(8)}${"-0000".repeat(3)}-${"0".repeat(12)}`],
        1,
        /or omit --repository to/,
      ],
      [["index", "--project", "../x"], 2, /Invalid --project format: \.\.\/x\n/],
      [["index", "a.ts"], 1, /is not a folder/],
      [["index", "a", "b"], 2, /one argument too many/],
    ] as const) {
      const result = await cli.run(args);
      assert.equal(result.status, status, args.join(" "));
      assert.match(result.err, words);
    }
  });

  test("item 8: search every repository of a project, and one folder of it", async () => {
    await using cli = await openCli();
    for (const name of ["web", "api"]) {
      await cli.write(`${name}/order.ts`, source);
      await cli.run(["index", name, "--project", "shop"]);
    }
    await cli.write("elsewhere/order.ts", source);
    const elsewhere = { cwd: `${cli.work}/elsewhere` };
    const found = await cli.run(["search", "parseOrder", "--project", "shop"], elsewhere);
    const places = found.out.split("\n").filter((line) => line.includes("order.ts:1-3"));
    assert.deepEqual(places.map((line) => line.split(":")[0]).sort(), [
      `${cli.work}/api/order.ts`,
      `${cli.work}/web/order.ts`,
    ]);
    const narrowed = await cli.run(["search", "parseOrder", "--project", "shop", "--dir", "../web"], elsewhere);
    assert.match(narrowed.out, /^order\.ts:1-3 /);
    const [{ repository_id }] = await cli.json("index", "web", "--project", "shop");
    assert.match((await cli.run(["search", "parseOrder", "--repository", repository_id])).out, /^order\.ts:1-3 /);
    const unknown = await cli.run(["search", "parseOrder", "--project", "shp"]);
    assert.deepEqual(
      [unknown.status, unknown.err],
      [
        1,
        'spillway: There is no project "shp".\n  There are: "shop". Index a repository into it first, or omit --project.\n',
      ],
    );
  });

  test("escape control characters in a file name", async () => {
    await using cli = await openCli();
    await cli.write("red\x1b[31m\n.ts", source);
    assert.match((await cli.run(["search", "parseOrder"])).out, /^red\\u\{1b\}\[31m\\u\{a\}\.ts:1-3/);
  });

  test("show what a score is made of", async () => {
    await using cli = await openCli();
    await cli.write("src/order.ts", source);
    const { out, err } = await cli.run(["search", "parseOrder", "--explain"]);
    assert.match(out, /stem=0\.\d+ .*role=1/);
    assert.equal(err, "Query type: symbol; terms: pars order parseorder; names: parseorder.\n");
  });

  test("show what the learnt table added to a question in words", async () => {
    await using cli = await openCli();
    await cli.write("src/thumbnail.ts", "export function resizeImage(image) {\n  return image.scale(0.5);\n}\n");
    await cli.write("src/order.ts", source);
    const { out, err } = await cli.run(["search", "resize a picture", "--explain"]);
    assert.match(out, /^src\/thumbnail\.ts:1-3 .* meaning=0\.\d+ /);
    assert.match(err, /^Query type: words; terms: .*pictur.*; names: .*; words of code for them: .*\bimag\b.*\.\n$/);
  });

  test("say how to see more", async () => {
    await using cli = await openCli();
    for (const name of ["a", "b", "c"]) await cli.write(`src/${name}.ts`, source);
    assert.equal((await cli.run(["search", "parseOrder", "--limit", "2"])).err, "More: --cursor c_2\n");
    assert.equal((await cli.run(["search", "parseOrder", "--cursor", "c_2"])).err, "");
  });

  test("name the option for the next page where results did not fit", async () => {
    await using cli = await openCli();
    const wide = `const needle = 1;\n${"漢字かな交じり文 ".repeat(300)}\n`;
    for (let file = 0; file < 60; file++) await cli.write(`f${file}.ts`, wide.repeat(8));
    const { err } = await cli.run(["search", "needle", "--limit", "50"]);
    const [, option = "", cursor = ""] = /^Results truncated: .* a filter, or (--cursor) (c_\d+)\.\n/.exec(err) ?? [];
    assert.equal((await cli.run(["search", "needle", option, cursor])).status, 0, err);
  });

  test("name the size limit of a skipped file with its unit", async () => {
    await using cli = await openCli();
    await cli.write("large.md", "word\n".repeat(300_000));
    for (const _ of ["first", "again"]) {
      const { status, err } = await cli.run(["index"]);
      assert.deepEqual([status, /skipped \((.*)\)/.exec(err)?.[1]], [1, "larger than 1 MiB"]);
    }
    await cli.write("a.ts", source);
    const [{ skipped }] = await cli.json("index");
    assert.deepEqual(skipped, [{ path: "large.md", reason: "larger than 1 MiB" }]);
  });

  test("fail on an empty folder with the reason", async () => {
    await using cli = await openCli();
    const { status, err } = await cli.run(["index"]);
    assert.equal(status, 1);
    assert.match(err, /No files to index/);
  });
});
