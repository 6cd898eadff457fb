import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { makeZip } from "../../../test/zip.ts";
import { toBody } from "../../acquire/spooled-body.ts";
import { openZip, type Zip, ZipError } from "./open-zip.ts";

const open = (bytes: Uint8Array) => openZip(toBody({ bytes }, bytes.length));
const MAX_BYTES = 64 * 1024 * 1024;

async function read(zip: Zip, name: string, maxBytes = MAX_BYTES): Promise<string> {
  const member = zip.find(name);
  assert.ok(member, `no member ${name}`);
  return Buffer.concat(await Array.fromAsync(zip.read(member, { maxBytes }))).toString();
}

const failsWith = (reason: string) => (error: unknown) => error instanceof ZipError && error.reason === reason;

describe("openZip", () => {
  test("lists members and reads stored and deflated ones", async () => {
    const zip = await open(
      makeZip([
        { name: "a/", data: "", stored: true },
        { name: "a/Böck.txt", data: "hello" },
        { name: "stored.txt", data: "as it is", stored: true },
      ]),
    );
    assert.deepEqual(
      zip.members.map(({ name, sizeBytes, isFolder }) => ({ name, sizeBytes, isFolder })),
      [
        { name: "a/", sizeBytes: 0, isFolder: true },
        { name: "a/Böck.txt", sizeBytes: 5, isFolder: false },
        { name: "stored.txt", sizeBytes: 8, isFolder: false },
      ],
    );
    assert.equal(await read(zip, "a/böck.TXT"), "hello");
    assert.equal(await read(zip, "/stored.txt"), "as it is");
  });

  test("reads members whose sizes come after them or are 64-bit numbers", async () => {
    const zip = await open(
      makeZip([
        { name: "plain", data: "first" },
        { name: "streamed", data: "second", isStreamed: true },
        { name: "wide", data: "third", is64: true },
      ]),
    );
    assert.deepEqual([await read(zip, "streamed"), await read(zip, "wide")], ["second", "third"]);
    assert.equal(zip.find("wide")?.sizeBytes, 5);
  });

  test("bounds what all reads together may yield", async () => {
    const bytes = makeZip([{ name: "x", data: "0123456789" }]);
    const zip = await openZip(toBody({ bytes }, bytes.length), { maxRatio: 100, maxTotalBytes: 25, maxMembers: 10 });
    assert.equal((await read(zip, "x")) + (await read(zip, "x")), "01234567890123456789");
    await assert.rejects(read(zip, "x"), failsWith("too_large"));
  });

  test("reads an archive behind other bytes, whose offsets are then wrong", async () => {
    const zip = await open(Buffer.concat([Buffer.from("#!/bin/sh\n"), makeZip([{ name: "x", data: "found" }])]));
    assert.equal(await read(zip, "x"), "found");
  });

  test("reads the first member of an archive whose end is missing", async () => {
    const whole = makeZip([
      { name: "one", data: "first" },
      { name: "two", data: "second".repeat(1000) },
    ]);
    const zip = await open(whole.subarray(0, whole.indexOf("two") + 20));
    assert.equal(zip.isComplete, false);
    assert.equal(await read(zip, "one"), "first");
    assert.match(await read(zip, "two"), /^(second)*s?e?c?o?n?d?$/);
  });

  test("an empty archive has no members; other bytes are corrupt", async () => {
    assert.deepEqual((await open(makeZip([]))).members, []);
    await assert.rejects(open(Buffer.from("PK but not a zip")), failsWith("corrupt"));
  });

  test("stops at the bound and says so", async () => {
    const zip = await open(makeZip([{ name: "x", data: "0123456789", claimedBytes: 3 }]));
    const member = zip.find("x");
    assert.ok(member);
    assert.deepEqual([...zip.cutMembers], []);
    const chunks = await Array.fromAsync(zip.read(member, { maxBytes: 4 }));
    assert.equal(Buffer.concat(chunks).toString(), "0123");
    assert.deepEqual([...zip.cutMembers], ["x"]);
  });

  test("refuses a member that shrinks too far, whatever size it claims", async () => {
    const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH });
    const packed = Buffer.concat(Array<Buffer>(200).fill(megabyte));
    const zip = await open(makeZip([{ name: "bomb", data: packed, stored: true, method: 8, claimedBytes: 10 }]));
    const before = process.cpuUsage();
    await assert.rejects(read(zip, "bomb", 1024 * 1024 * 1024), failsWith("too_large"));
    assert.ok(process.cpuUsage(before).user < 1_000_000, "gives up early");
  });

  test("names the reason for an encrypted, a damaged and an unsupported member", async () => {
    const bytes = makeZip([
      { name: "secret", data: "x", isEncrypted: true },
      { name: "lzma", data: "x", method: 14 },
      { name: "broken", data: "some text ".repeat(50) },
    ]);
    bytes.fill(0xff, bytes.indexOf("broken") + 6, bytes.indexOf("broken") + 20);
    const zip = await open(bytes);
    await assert.rejects(read(zip, "secret"), failsWith("encrypted"));
    await assert.rejects(read(zip, "lzma"), failsWith("unsupported"));
    await assert.rejects(read(zip, "broken"), failsWith("corrupt"));
  });

  test("never throws anything else on damaged archives", async () => {
    const whole = makeZip([{ name: "[Content_Types].xml", data: "<Types/>".repeat(99) }]);
    for (let seed = 1; seed < 300; seed++) {
      const bytes = Buffer.from(whole);
      for (let i = 0; i < 4; i++) bytes[(seed * 7919 + i * 104_729) % bytes.length] = (seed * 31 + i) & 255;
      try {
        const zip = await open(bytes);
        for (const member of zip.members) await Array.fromAsync(zip.read(member, { maxBytes: MAX_BYTES }));
      } catch (error) {
        assert.ok(error instanceof ZipError, String(error));
      }
    }
  });
});
