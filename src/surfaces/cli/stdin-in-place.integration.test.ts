import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";

const bin = join(import.meta.dirname, "process.ts");

function fetchStdin(home: string, stdin: "pipe" | number, ...args: string[]) {
  const env = { ...process.env, SPILLWAY_HOME: home };
  const child = spawn(process.execPath, [bin, "fetch", "-", "--json", ...args], {
    env,
    stdio: [stdin, "pipe", "inherit"],
  });
  let out = "";
  child.stdout?.on("data", (text) => (out += text));
  const fields = once(child, "close").then(() => JSON.parse(out));
  return { input: child.stdin, fields };
}

describe("standard input as a source", () => {
  for (const sizeBytes of [0, 1, 100_000, 3_000_001]) {
    test(`of ${sizeBytes} bytes is kept byte for byte, from a pipe and from a file`, async () => {
      await using folder = await makeTemporaryFolder();
      const bytes = randomBytes(sizeBytes);
      const path = join(folder.path, "body");
      await writeFile(path, bytes);
      const piped = fetchStdin(join(folder.path, "a"), "pipe");
      piped.input?.end(bytes);
      await using file = await open(path);
      const redirected = fetchStdin(join(folder.path, "b"), file.fd);
      for (const { artifact_path, size_bytes } of await Promise.all([piped.fields, redirected.fields])) {
        assert.equal(size_bytes, sizeBytes);
        assert.ok((await readFile(artifact_path)).equals(bytes));
      }
    });
  }

  test("is answered at the cap, while its writer still has it open", async () => {
    await using folder = await makeTemporaryFolder();
    const { input, fields } = fetchStdin(folder.path, "pipe", "--set", "artifacts.source_bytes=100000");
    input?.on("error", () => undefined);
    input?.write(randomBytes(200_000));
    const { size_bytes, source_truncated } = await fields;
    assert.deepEqual([size_bytes, source_truncated], [100_000, true]);
    input?.destroy();
  });
});
