import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { makeDocuments } from "../../../test/fixtures-documents.ts";
import { makeAr, makeTar } from "../../../test/tar.ts";
import { makeZip } from "../../../test/zip.ts";
import { handlerContract, keep, run, type Sample, segmentsOf } from "../handler.contract.ts";
import { archive } from "./archive-handler.ts";

const documents = makeDocuments();
const [zip, tarGz, deb] = ["archive.zip", "logs.tar.gz", "harbour.deb"].map(
  (name) => documents.get(name) ?? assert.fail(name),
) as [Buffer, Buffer, Buffer];

const asArchive = (mediaType: string, bytes: Uint8Array) => ({ kind: "archive", mediaType, bytes }) as const;
const many = makeZip(Array.from({ length: 3_000 }, (_, index) => ({ name: `folder/file-${index}.txt`, data: "" })));

const samples: readonly Sample[] = [
  { name: "a zip", ...asArchive("application/zip", zip) },
  { name: "a zip of many members", ...asArchive("application/zip", many) },
  { name: "a zip whose end is missing", ...asArchive("application/zip", zip.subarray(0, 300)) },
  { name: "bytes that are no zip", ...asArchive("application/zip", Buffer.from("PK\x03\x04 and then nothing")) },
  { name: "a compressed tar", ...asArchive("application/gzip", tarGz) },
  { name: "a damaged gzip", ...asArchive("application/gzip", tarGz.subarray(0, 60)) },
  { name: "a Debian package", ...asArchive("application/vnd.debian.binary-package", deb) },
];

handlerContract(archive, samples);

async function readListing(mediaType: string, bytes: Uint8Array, name = "a") {
  await using kept = await keep(asArchive(mediaType, bytes));
  const items = await run(archive, { ...kept.file, name });
  const failed = items.flatMap((item) => ("failed" in item ? [item.failed.reason] : []))[0];
  const text = segmentsOf(items)
    .map((segment) => segment.text)
    .join("");
  return { text, failed };
}

async function readEntry(mediaType: string, bytes: Uint8Array, path: string, name = "a"): Promise<string> {
  await using kept = await keep(asArchive(mediaType, bytes));
  const opened = await archive.openEntry?.({ ...kept.file, name }, path, new AbortController().signal);
  if (opened === undefined || !("chunks" in opened)) return assert.fail("no such member");
  return Buffer.concat(await Array.fromAsync(opened.chunks)).toString();
}

describe("an archive", () => {
  test("without members has no text", async () => {
    assert.deepEqual(await readListing("application/zip", makeZip([])), { text: "", failed: undefined });
    assert.deepEqual(await readListing("application/x-tar", makeTar([])), { text: "", failed: undefined });
    const says = { warnings: ["It has no files."], explainsMissingText: true };
    assert.deepEqual(archive.describe?.({ entryCount: 0 }, null), says);
    assert.deepEqual(archive.describe?.({ entryCount: 0 }, { reason: "corrupt", detail: "" }), {});
  });

  test("that is a single compressed file lists that file", async () => {
    const bytes = gzipSync("level,time\n");
    assert.equal(
      (await readListing("application/gzip", bytes, "https://x.example/levels.csv.gz?v=2")).text,
      "levels.csv (text)\n",
    );
    assert.equal(await readEntry("application/gzip", bytes, "levels.csv", "levels.csv.gz"), "level,time\n");
    const zstd = zstdCompressSync("level,time\n");
    assert.equal(await readEntry("application/zstd", zstd, "content", ".zst"), "level,time\n");
  });

  test("lists long names of tar in every form", async () => {
    const long = "deep/".repeat(30);
    const tar = makeTar([
      { name: "L", type: "L", data: `${long}gnu.txt\0` },
      { name: "cut", data: "1" },
      { name: "name.txt", prefix: "some/prefix", data: "2" },
      { name: "link", type: "2" },
    ]);
    const { text } = await readListing("application/x-tar", tar);
    assert.equal(text, `${long}gnu.txt (1 B, text)\nsome/prefix/name.txt (1 B, text)\n`);
    assert.equal(await readEntry("application/x-tar", tar, "some/prefix/name.txt"), "2");
  });

  test("that is cut or damaged lists what is there and says so", async () => {
    const cut = await readListing("application/gzip", tarGz.subarray(0, tarGz.length - 20));
    assert.equal(cut.failed, "corrupt");
    assert.match(cut.text, /today\.log/);
    const tar = makeTar([{ name: "a.txt", data: "a" }]);
    tar.write("garbage", 1024);
    assert.deepEqual(await readListing("application/x-tar", tar), { text: "a.txt (1 B, text)\n", failed: "corrupt" });
    const ar = makeAr([{ name: "a.txt", data: "a" }]);
    assert.equal(
      (await readListing("application/x-archive", Buffer.concat([ar, Buffer.alloc(60, 65)]))).failed,
      "corrupt",
    );
  });
});
