import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";

const bin = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "process.ts");
const gibibyte = 1024 ** 3;
const linux = process.platform === "linux" ? false : "peak memory is read from /proc";

describe("a source of one gibibyte", { skip: linux }, () => {
  for (const { name, chunk, kind } of [
    { name: "binary", chunk: Buffer.alloc(1024 * 1024, Buffer.from([0, 255, 7, 130])), kind: "unknown_binary" },
    {
      name: "text",
      chunk: Buffer.from("a line of text, and more\n".repeat(41_944).slice(0, 1024 * 1024)),
      kind: "text",
    },
  ]) {
    test(`of ${name} is kept whole with the process under 160 MB`, async (t) => {
      await using folder = await makeTemporaryFolder();
      const args = [bin, "fetch", "-", "--json", "--set", "artifacts.source_bytes=2 GiB"];
      const env = { ...process.env, SPILLWAY_HOME: folder.path };
      const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
      let peakKb = 0;
      const watch = setInterval(async () => {
        const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
        peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      }, 50);
      let out = "";
      child.stdout.on("data", (text) => (out += text));
      const exited = once(child, "exit");
      await pipeline(Readable.from(Array.from({ length: 1024 }, () => chunk)), child.stdin);
      const [code] = await exited;
      clearInterval(watch);
      const fields = JSON.parse(out);
      t.diagnostic(`peak ${Math.round(peakKb / 1024)} MB, ${fields.extracted_chars} characters extracted`);
      assert.deepEqual(
        [code, fields.size_bytes, fields.content_kind, fields.source_truncated],
        [0, gibibyte, kind, false],
      );
      assert.ok(peakKb > 10_000 && peakKb < 160_000, `peak ${peakKb} kB`);
    });
  }
});

describe("a local log of one gigabyte", { skip: linux }, () => {
  test("is read in place: a question finds its last line, and its end is read at once", async (t) => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "requests.log");
    await writeLog(path);
    const before = await stat(path);
    const run = (...args: string[]) => runMeasured(args, join(folder.path, "home"));
    const fetched = await run("fetch", path, "--json");
    const { artifact_ref: ref, artifact_path, size_bytes } = JSON.parse(fetched.out);
    assert.deepEqual([artifact_path, size_bytes], [path, before.size]);
    const found = await run("read", ref, "--query", "what overheated in hangar nine");
    assert.match(found.out, /zeppelin overheated/);
    const common = await run("read", ref, "--query", "a request that overheated");
    assert.match(common.out, /zeppelin overheated/);
    const atLine = await run("read", ref, "--lines", `${LOG_LINES + 1}`);
    const atOffset = await run("read", ref, "--offset", `${size_bytes - 40}`);
    for (const { out } of [atLine, atOffset]) assert.match(out, /overheated in hangar nine/);
    for (const [name, { cpuSeconds, peakKb }] of Object.entries({ fetched, found, common, atLine, atOffset })) {
      t.diagnostic(`${name}: ${cpuSeconds.toFixed(1)} s CPU, ${Math.round(peakKb / 1024)} MB`);
    }
    for (const { peakKb } of [found, common, atLine, atOffset]) assert.ok(peakKb < 200_000, `${peakKb} kB`);
    assert.ok(fetched.cpuSeconds < 15 && found.cpuSeconds < 15 && common.cpuSeconds < 15);
    assert.ok(atLine.cpuSeconds < 1.5 && atOffset.cpuSeconds < 1.5);
  });
});

const LOG_LINES = 14_000_000;

async function writeLog(path: string): Promise<void> {
  await using file = await open(path, "w");
  const block = 10_000;
  for (let start = 0; start < LOG_LINES; start += block) {
    const lines = Array.from(
      { length: block },
      (_, index) => `INFO request ${start + index} served in ${index % 900} ms by a worker of the pool\n`,
    );
    await file.write(lines.join(""));
  }
  await file.write("ERROR zeppelin overheated in hangar nine\n");
}

/** Runs the CLI to its end; its CPU time and peak memory are those that it reports when it exits. */
async function runMeasured(args: readonly string[], home: string) {
  const meter = join(import.meta.dirname, "meter.ts");
  const env = { ...process.env, SPILLWAY_HOME: home };
  const child = spawn(process.execPath, ["--import", meter, bin, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  await once(child, "close");
  const [, cpuMs = "NaN", peakKb = "NaN"] = /meter (\S+) (\S+)\n/.exec(err) ?? [];
  return { out, cpuSeconds: Number(cpuMs) / 1_000, peakKb: Number(peakKb) };
}
