import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
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
    test(`of ${name} is kept whole with the process under 200 MB`, async (t) => {
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
      assert.ok(peakKb > 10_000 && peakKb < 200_000, `peak ${peakKb} kB`);
    });
  }
});
