import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { keep } from "./handler.contract.ts";
import { readBytes } from "./local-file.ts";

const binary = { kind: "unknown_binary", mediaType: "application/octet-stream" } as const;

describe("reading a kept file", () => {
  test("yields its bytes in chunks", async () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
    await using kept = await keep({ ...binary, bytes });
    const chunks = await Array.fromAsync(readBytes(kept.file, new AbortController().signal));
    assert.ok(chunks.length > 1);
    assert.deepEqual(Buffer.concat(chunks), bytes);
  });

  test("throws the abort's own reason between two chunks", async () => {
    await using kept = await keep({ ...binary, bytes: Buffer.alloc(700_000) });
    const controller = new AbortController();
    const reason = new Error("stop");
    const chunks = readBytes(kept.file, controller.signal);
    await chunks.next();
    controller.abort(reason);
    await assert.rejects(chunks.next(), reason);
  });

  const unreadable = [
    { name: "a file that is gone", path: join(tmpdir(), "spillway-no-such-file"), code: "artifact_damaged" },
    { name: "a folder", path: tmpdir(), code: "store_unavailable" },
  ];
  for (const { name, path, code } of unreadable) {
    test(`${name} is ${code}`, async () => {
      const file = { ...binary, content: { path }, sizeBytes: 1, charset: null };
      await assert.rejects(Array.fromAsync(readBytes(file, new AbortController().signal)), { code });
    });
  }
});
