import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { makeZip } from "../../../test/zip.ts";
import { FailureError } from "../failure-error.ts";
import { keep } from "../handler.contract.ts";
import { archive } from "./archive-handler.ts";

/** Archives made to exhaust a reader. */
const zeros = Buffer.alloc(200 * 1024 * 1024);
const bombs = [
  { name: "a gzip that unpacks to 200 MB", mediaType: "application/gzip", bytes: gzipSync(zeros), path: "content" },
  {
    name: "a zip member that unpacks to 200 MB",
    mediaType: "application/zip",
    bytes: makeZip([{ name: "zeros", data: zeros }]),
    path: "zeros",
  },
  {
    name: "a zip member that lies about its size",
    mediaType: "application/zip",
    bytes: makeZip([{ name: "zeros", data: zeros, claimedBytes: 10 }]),
    path: "zeros",
  },
];

describe("a bomb", () => {
  for (const { name, mediaType, bytes, path } of bombs) {
    test(`is refused within a second of CPU time: ${name}`, async () => {
      await using kept = await keep({ kind: "archive", mediaType, bytes });
      const start = process.cpuUsage();
      const opened = await archive.openEntry?.({ ...kept.file, name: "" }, path, new AbortController().signal);
      const chunks = opened !== undefined && "chunks" in opened ? opened.chunks : assert.fail();
      let total = 0;
      await assert.rejects(
        async () => {
          for await (const chunk of chunks) total += chunk.length;
        },
        (error) => error instanceof FailureError && error.reason === "too_large",
      );
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 1_000_000, `${(user + system) / 1e6} CPU s`);
      assert.ok(total < 100 * 1024 * 1024, `${total} bytes before it stopped`);
    });
  }
});
