/** Opens encrypted OpenDocument packages, whose members are encrypted one by one as the manifest says. */
import { createDecipheriv, createHash, pbkdf2Sync } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { FailureError } from "../../failure-error.ts";
import type { XmlTag } from "../../xml/scan-xml.ts";
import type { MemberBounds, Zip, ZipMember } from "../../zip/open-zip.ts";
import { scanPart } from "../package-parts.ts";

/** How one member is encrypted. */
type MemberEncryption = {
  checksum: Buffer;
  checksumHash: string;
  algorithm: string;
  iv: Buffer;
  derivation: string;
  salt: Buffer;
  iterations: number;
  keyBytes: number;
  startHash: string;
};

/** Office programs use 100,000 rounds. Far more would only keep a reader busy. */
const MAX_ITERATIONS = 1_000_000;
/** The checksum is that of the beginning. */
const CHECKED_BYTES = 1_024;

/** The package itself, or one that decrypts its members. Throws a FailureError without the right password. */
export async function openOdf(zip: Zip, password: string | undefined): Promise<Zip> {
  const encrypted = await readManifest(zip);
  if (encrypted.size === 0) return zip;
  if (password === undefined) throw new FailureError("encrypted", "password required");
  return {
    ...zip,
    read(member, bounds) {
      const encryption = encrypted.get(member.name);
      return encryption ? readEncrypted(zip, member, bounds, encryption, password) : zip.read(member, bounds);
    },
  };
}

async function readManifest(zip: Zip): Promise<ReadonlyMap<string, MemberEncryption>> {
  const members = new Map<string, MemberEncryption>();
  let path = "";
  let current: MemberEncryption | undefined;
  await scanPart(zip, "META-INF/manifest.xml", {
    open(name, tag) {
      if (name === "file-entry") path = tag.get("full-path") ?? "";
      else if (name === "encryption-data") {
        current = startEncryption(tag);
        members.set(path, current);
      } else if (current) addFacts(current, name, tag);
    },
    close(name) {
      if (name === "encryption-data") current = undefined;
    },
  });
  return members;
}

const readBase64 = (tag: XmlTag, name: string): Buffer => Buffer.from(tag.get(name) ?? "", "base64");
const findHash = (name: string | undefined): string => (/sha-?256/i.test(name ?? "") ? "sha256" : "sha1");

function startEncryption(tag: XmlTag): MemberEncryption {
  const checksum = readBase64(tag, "checksum");
  const empty = Buffer.alloc(0);
  return {
    checksum,
    checksumHash: findHash(tag.get("checksum-type")),
    algorithm: "",
    iv: empty,
    derivation: "",
    salt: empty,
    iterations: 0,
    keyBytes: 16,
    startHash: "sha1",
  };
}

function addFacts(encryption: MemberEncryption, name: string, tag: XmlTag): void {
  if (name === "algorithm") {
    encryption.algorithm = (tag.get("algorithm-name") ?? "").replace(/^.*#/, "").toLowerCase();
    encryption.iv = readBase64(tag, "initialisation-vector");
  } else if (name === "key-derivation") {
    encryption.derivation = (tag.get("key-derivation-name") ?? "").toLowerCase();
    encryption.salt = readBase64(tag, "salt");
    encryption.iterations = Number(tag.get("iteration-count"));
    encryption.keyBytes = Number(tag.get("key-size") ?? 16);
  } else if (name === "start-key-generation") {
    encryption.startHash = findHash(tag.get("start-key-generation-name"));
  }
}

/** Members are compressed, then encrypted, and stored. */
async function* readEncrypted(
  zip: Zip,
  member: ZipMember,
  { maxBytes }: MemberBounds,
  encryption: MemberEncryption,
  password: string,
): AsyncGenerator<Uint8Array> {
  const packed = Buffer.concat(await Array.fromAsync(zip.read(member, { maxBytes: MAX_ENCRYPTED_BYTES })));
  yield inflate(decryptMember(packed, encryption, password), Math.min(maxBytes, MAX_INFLATED_BYTES));
}

const MAX_ENCRYPTED_BYTES = 64 * 1024 * 1024;
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

function decryptMember(bytes: Buffer, encryption: MemberEncryption, password: string): Buffer {
  const { algorithm, iv, derivation, salt, iterations, keyBytes, startHash, checksum, checksumHash } = encryption;
  const cipher = /^aes(128|192|256)-cbc$/.exec(algorithm)?.[1];
  if (cipher === undefined || derivation !== "pbkdf2" || iterations > MAX_ITERATIONS || keyBytes * 8 !== Number(cipher))
    throw new FailureError("encrypted", "unsupported encryption");
  const start = createHash(startHash).update(password, "utf8").digest();
  const key = pbkdf2Sync(start, salt, iterations, keyBytes, "sha1");
  const decipher = createDecipheriv(`aes-${cipher}-cbc`, key, iv.subarray(0, 16)).setAutoPadding(false);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 16));
  const padded = Buffer.concat([decipher.update(whole), decipher.final()]);
  const plain = padded.subarray(0, Math.max(0, padded.length - (padded.at(-1) ?? 0)));
  const actual = createHash(checksumHash).update(plain.subarray(0, CHECKED_BYTES)).digest();
  if (!actual.equals(checksum)) throw new FailureError("encrypted", "wrong password");
  return plain;
}

function inflate(bytes: Buffer, maxBytes: number): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLong = error instanceof RangeError;
    throw new FailureError(
      isTooLong ? "too_large" : "corrupt",
      isTooLong ? "a member is too long" : "a member is damaged",
    );
  }
}
