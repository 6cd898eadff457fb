/** Item 9: on a full or read-only disk every command answers, or fails with one clear sentence. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";
import { openMcp } from "../mcp.ts";
import { serveProvider } from "../provider.ts";
import { runnerEnvironment } from "../runner.ts";
import { mountSmallDisk, type SmallDisk, whyNotMounted } from "../small-disk.ts";

const program = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "process.ts");
const skip = whyNotMounted();
/** Bytes that are left: nothing, less than one page of a database, and enough to begin writing one. */
const LEFT_BYTES = [0, 8_192, 40_960, 81_920, 204_800] as const;

async function openWork() {
  const folder = await makeTemporaryFolder();
  const disk = mountSmallDisk(2 * 1024 * 1024);
  const work = join(folder.path, "work");
  const home = join(disk.path, "home");
  mkdirSync(work);
  const write = (name: string, text: string) => writeFileSync(join(work, name), text);
  for (let file = 0; file < 40; file++) write(`gauge${file}.ts`, gauge(file));

  async function run(args: readonly string[], more: { env?: object; stdin?: string } = {}) {
    const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: home, ...more.env };
    const child = spawn(process.execPath, [program, ...args], { cwd: work, env });
    child.stdin.end(more.stdin ?? "");
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.setEncoding("utf8").on("data", (text: string) => void out.push(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => void err.push(text));
    const [status] = await once(child, "close");
    const result = { status: Number(status), out: out.join(""), err: err.join("") };
    assertPlain(result.out + result.err);
    return result;
  }

  return {
    disk,
    home,
    work,
    write,
    run,
    async json(...args: string[]) {
      const { out, status } = await run([...args, "--json"]);
      return { exit: status, ...JSON.parse(out.trim().split("\n").at(-1) ?? "") };
    },
    async [Symbol.asyncDispose]() {
      disk[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const gauge = (file: number): string => `export function readGauge${file}(level) {\n  return weigh(level);\n}\n`;

/** What a person or a model must never see. */
function assertPlain(text: string): void {
  assert.doesNotMatch(text, /internal error|^\s+at .*:\d+:\d+|cannot rollback|SQLITE|ERR_|\.gitignore/m);
  assert.ok(text.length < 40_000, `${text.length} characters`);
}

const inMemory =
  /The index could not be stored, because the disk is full: it is in memory only, and the next process builds it again\. Free space or set SPILLWAY_HOME to a folder that can be written\.\n/;

describe("a full disk", { skip }, () => {
  for (const left of LEFT_BYTES) {
    test(`with ${left} bytes left: the first search answers from memory and says so`, async () => {
      await using opened = await openWork();
      opened.disk.fill(left);
      const { status, out, err } = await opened.run(["search", "readGauge7", "--limit", "1"]);
      assert.equal(status, 0);
      assert.match(out, /^gauge7\.ts:1-3 /);
      assert.match(err, inMemory);
      const reply = await opened.json("search", "readGauge7", "--limit", "1");
      assert.deepEqual([reply.results[0].file_path, reply.storage_problem], ["gauge7.ts", "the disk is full"]);
    });

    test(`with ${left} bytes left: the first index is built in memory and says so, and leaves no part of it`, async () => {
      await using opened = await openWork();
      opened.disk.fill(left);
      const { status, err } = await opened.run(["index"]);
      assert.equal(status, 0);
      assert.match(err, /^Indexed 40 files/);
      assert.match(err, inMemory);
      assert.equal((await opened.json("index")).storage_problem, "the disk is full");
      opened.disk.free();
      const later = await opened.json("index");
      assert.deepEqual([later.status, later.files_indexed, later.storage_problem], ["completed", 40, null]);
    });

    test(`with ${left} bytes left: fetch answers with the text and a warning`, async () => {
      await using opened = await openWork();
      opened.disk.fill(left);
      opened.write("long.txt", "A line of a text that is longer than what is left.\n".repeat(8_000));
      const fetched = await opened.json("fetch", "long.txt");
      assert.equal(fetched.exit, 0);
      assert.ok(fetched.artifact_ref === null && fetched.content.length <= 31_000);
      assert.match(String(fetched.warnings), /could not be kept: the disk is full/);
    });
  }

  test("index: an index that cannot be updated stays, the job fails in one sentence, and search says of when it is", async () => {
    await using opened = await openWork();
    assert.equal((await opened.json("index")).exit, 0);
    for (let file = 40; file < 120; file++) opened.write(`gauge${file}.ts`, `${gauge(file)}${"// more\n".repeat(600)}`);
    opened.disk.fill(100_000);
    const { status, err } = await opened.run(["index"]);
    assert.equal(status, 1);
    assert.match(
      err,
      /^spillway: The index could not be stored: the disk is full\. Free space or set SPILLWAY_HOME [^\n]*\n$/,
    );
    const found = await opened.run(["search", "readGauge7", "--limit", "1"]);
    assert.equal(found.status, 0);
    assert.match(found.out, /^gauge7\.ts:1-3 /);
    assert.match(
      found.err,
      /could not be (updated and dates from \d{4}-.*: .*the disk is full|stored, because the disk is full)/,
    );
    opened.disk.free();
    assert.deepEqual((await opened.json("search", "readGauge119", "--limit", "1")).results[0].file_path, "gauge119.ts");
  });

  test("read, cat and artifacts: what was kept before can be read and listed; sweep and rm free space", async () => {
    await using opened = await openWork();
    opened.write("kept.txt", "level 7\n".repeat(400));
    const { artifact_ref } = await opened.json("fetch", "kept.txt");
    opened.disk.fill();
    assert.match((await opened.run(["read", artifact_ref])).out, /level 7/);
    assert.match((await opened.run(["cat", artifact_ref])).out, /^level 7/);
    assert.equal((await opened.run(["artifacts", "ls"])).status, 0);
    const doctor = await opened.run(["doctor"]);
    assert.equal(doctor.status, 1);
    assert.match(doctor.out, /FAIL {2}store: \S+ has no space left \(ENOSPC\)\. .*Free space/);
    assert.doesNotMatch(doctor.out, /not writable/);
    assert.equal((await opened.run(["events"])).status, 0);
    assert.equal((await opened.run(["artifacts", "sweep"])).status, 0);
    assert.equal((await opened.run(["artifacts", "rm", artifact_ref])).status, 0);
    assert.match((await opened.run(["read", artifact_ref])).err, /expired/);
  });

  test("run: fails before the model is asked, and says what cannot be written", async () => {
    await using opened = await openWork();
    await using provider = await serveProvider({ script: () => ({ text: "The level is 7." }) });
    opened.disk.fill();
    const env = runnerEnvironment(provider.url);
    const { status, out, err } = await opened.run(["run", "What is the level?", "--model", "sim:sim-1"], { env });
    assert.deepEqual([status, out], [1, ""]);
    assert.match(
      err,
      /^spillway: No transcript can be written to .*\.\n {2}Free space, or set SPILLWAY_HOME to a .*\.\n$/,
    );
  });

  test("mcp: tools answer, jobs can be followed although no record can be written", async () => {
    await using mcp = await openMcp();
    using disk = mountSmallDisk(2 * 1024 * 1024);
    await mcp.write("gauge7.ts", gauge(7));
    disk.fill();
    const client = await mcp.client("2025-11-25", {
      env: { SPILLWAY_HOME: join(disk.path, "home"), SPILLWAY_MCP_FORM: "both" },
    });
    const call = async (name: string, input: Record<string, unknown>) => {
      const result = (await client.callTool({ name, arguments: input })) as {
        content: { text?: string }[];
        structuredContent: Record<string, unknown>;
      };
      const text = result.content[0]?.text ?? "";
      assertPlain(text);
      return { text, fields: result.structuredContent };
    };
    const job = await call("index_repository", { repo_path: ".", project_id: "water" });
    const input = { job_id: job.fields.job_id, project_id: "water" };
    let status = await call("get_indexing_status", input);
    for (let look = 0; look < 200 && ["pending", "running"].includes(String(status.fields.status)); look++)
      status = await call("get_indexing_status", input);
    assert.deepEqual([status.fields.status, status.fields.storage_problem], ["completed", "the disk is full"]);
    assert.match(status.text, /in memory only/);
    assert.equal((await call("cancel_indexing", input)).fields.status, "completed");
    const found = await call("search_code", { query: "readGauge7", project_id: "water" });
    assert.match(found.text, /gauge7\.ts:1-3/);
    assert.match(found.text, /in memory only/);
    const fetched = await call("fetch_content", { url: "gauge7.ts" });
    assert.equal(fetched.fields.artifact_ref, null);
  });
});

describe("a read-only disk", { skip }, () => {
  test("with artifacts: they are listed and read, and new ones are answered without a ref", async () => {
    await using opened = await openWork();
    opened.write("kept.txt", "level 7\n");
    const { artifact_ref } = await opened.json("fetch", "kept.txt");
    opened.disk.makeReadOnly();
    assert.equal((await opened.run(["cat", artifact_ref])).out, "level 7\n");
    assert.match((await opened.run(["artifacts", "ls"])).out, new RegExp(artifact_ref));
    const fetched = await opened.json("fetch", "kept.txt");
    assert.deepEqual([fetched.exit, fetched.artifact_ref, fetched.content], [0, null, "level 7\n"]);
    assert.match(String(fetched.warnings), /could not be kept: the store cannot be written/);
    for (const args of [
      ["artifacts", "rm", artifact_ref],
      ["artifacts", "sweep"],
    ]) {
      const { status, err } = await opened.run(args);
      assert.equal(status, 1);
      assert.match(err, /^spillway: The store cannot be changed: its folder cannot be written\.\n {2}.*\n$/);
    }
  });

  const reasons: Readonly<Record<string, (disk: SmallDisk, home: string) => void>> = {
    "that was never written": (disk) => disk.makeReadOnly(),
    "where a file is in place of the data folder": (_disk, home) => writeFileSync(home, "a file\n"),
  };
  for (const [name, spoil] of Object.entries(reasons)) {
    test(`${name}: search, index and fetch answer and say so`, async () => {
      await using opened = await openWork();
      spoil(opened.disk, opened.home);
      const found = await opened.run(["search", "readGauge7", "--limit", "1"]);
      assert.equal(found.status, 0);
      assert.match(found.out, /^gauge7\.ts:1-3 /);
      assert.match(
        found.err,
        /could not be stored, because the data folder cannot be written \(E[A-Z]+\): it is in memory only/,
      );
      const indexed = await opened.run(["index"]);
      assert.equal(indexed.status, 0);
      assert.match(indexed.err, /because the data folder cannot be written/);
      const fetched = await opened.json("fetch", "gauge7.ts");
      assert.deepEqual([fetched.exit, fetched.artifact_ref], [0, null]);
      assert.equal((await opened.run(["artifacts", "ls"])).status, 0);
    });
  }

  test("with an index: search answers, from memory, and says so; the disk is as it was", async () => {
    await using opened = await openWork();
    await opened.json("index");
    const before = existsSync(opened.home) ? readdirSync(opened.home, { recursive: true }).length : 0;
    opened.disk.makeReadOnly();
    const found = await opened.run(["search", "readGauge7", "--limit", "1"]);
    assert.equal(found.status, 0);
    assert.match(found.out, /^gauge7\.ts:1-3 /);
    assert.match(found.err, /because the data folder cannot be written/);
    assert.equal(readdirSync(opened.home, { recursive: true }).length, before);
  });
});
