/** The encryption of Office 2010 and later: AES in segments, described by XML. */
import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import { FailureError } from "../../failure-error.ts";
import { scanXml, type XmlTag } from "../../xml/scan-xml.ts";
import type { PackageCipher } from "./decrypt-package.ts";

type KeyFacts = {
  readonly salt: Buffer;
  readonly blockBytes: number;
  readonly keyBytes: number;
  readonly hash: string;
  readonly isCbc: boolean;
};

type PasswordFacts = KeyFacts & {
  readonly spinCount: number;
  readonly verifierInput: Buffer;
  readonly verifierHash: Buffer;
  readonly encryptedKey: Buffer;
};

/** Office hashes 100,000 times. Far more would only keep a reader busy. */
const MAX_SPIN_COUNT = 1_000_000;
const SEGMENT_BYTES = 4_096;

/** What each derived key is for; the values are those of the specification. */
const purposes = {
  verifierInput: Buffer.from("fea7d2763b4b9e79", "hex"),
  verifierHash: Buffer.from("d7aa0f6d3061344e", "hex"),
  packageKey: Buffer.from("146e0be7abacd0d6", "hex"),
};

/** The cipher of the package; undefined if the password is wrong. */
export function openAgile(xml: string, password: string): PackageCipher | undefined {
  const { data, key } = readDescription(xml);
  if (data === undefined || key === undefined) throw new FailureError("corrupt", "the encryption is not described");
  if (!data.isCbc || !key.isCbc || !hashes.has(data.hash) || !hashes.has(key.hash) || key.spinCount > MAX_SPIN_COUNT)
    throw new FailureError("encrypted", "unsupported encryption");
  const secret = decryptKey(key, password);
  return secret === undefined ? undefined : makeCipher(data, secret.subarray(0, data.keyBytes));
}

const hashes = new Set(["sha1", "sha256", "sha384", "sha512"]);

function readDescription(xml: string): { data?: KeyFacts; key?: PasswordFacts } {
  const found: { data?: KeyFacts; key?: PasswordFacts } = {};
  const scanner = scanXml({
    open(name, tag) {
      if (name === "keyData") found.data = readKeyFacts(tag);
      else if (name === "encryptedKey") found.key = readPasswordFacts(tag);
    },
    close: () => undefined,
  });
  scanner.write(xml);
  scanner.end();
  return found;
}

function readKeyFacts(tag: XmlTag): KeyFacts {
  return {
    salt: readBase64(tag, "saltValue"),
    blockBytes: Number(tag.get("blockSize")),
    keyBytes: Number(tag.get("keyBits")) / 8,
    hash: (tag.get("hashAlgorithm") ?? "").toLowerCase().replace("-", ""),
    isCbc: tag.get("cipherAlgorithm") === "AES" && tag.get("cipherChaining") === "ChainingModeCBC",
  };
}

function readPasswordFacts(tag: XmlTag): PasswordFacts {
  return {
    ...readKeyFacts(tag),
    spinCount: Number(tag.get("spinCount")),
    verifierInput: readBase64(tag, "encryptedVerifierHashInput"),
    verifierHash: readBase64(tag, "encryptedVerifierHashValue"),
    encryptedKey: readBase64(tag, "encryptedKeyValue"),
  };
}

const readBase64 = (tag: XmlTag, name: string): Buffer => Buffer.from(tag.get(name) ?? "", "base64");

/** The key of the package, or undefined if the password is wrong. */
function decryptKey(facts: PasswordFacts, password: string): Buffer | undefined {
  const { hash, salt, spinCount, blockBytes, keyBytes } = facts;
  let spun = digest(hash, salt, Buffer.from(password, "utf16le"));
  const counter = Buffer.alloc(4);
  for (let round = 0; round < spinCount; round++) {
    counter.writeUInt32LE(round);
    spun = digest(hash, counter, spun);
  }
  const iv = fitLength(salt, blockBytes);
  const decrypt = (purpose: Buffer, bytes: Buffer): Buffer =>
    decryptCbc(fitLength(digest(hash, spun, purpose), keyBytes), iv, bytes);
  const expected = digest(hash, decrypt(purposes.verifierInput, facts.verifierInput).subarray(0, salt.length));
  const actual = decrypt(purposes.verifierHash, facts.verifierHash).subarray(0, expected.length);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  return decrypt(purposes.packageKey, facts.encryptedKey);
}

function makeCipher({ hash, salt, blockBytes }: KeyFacts, key: Buffer): PackageCipher {
  return {
    blockBytes: SEGMENT_BYTES,
    decrypt(bytes, start) {
      const segments: Buffer[] = [];
      const counter = Buffer.alloc(4);
      for (let at = 0; at < bytes.length; at += SEGMENT_BYTES) {
        counter.writeUInt32LE((start + at) / SEGMENT_BYTES);
        const iv = fitLength(digest(hash, salt, counter), blockBytes);
        segments.push(decryptCbc(key, iv, bytes.subarray(at, at + SEGMENT_BYTES)));
      }
      return Buffer.concat(segments);
    },
  };
}

function decryptCbc(key: Buffer, iv: Buffer, bytes: Uint8Array): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, iv).setAutoPadding(false);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 16));
  return Buffer.concat([decipher.update(whole), decipher.final()]);
}

function digest(hash: string, ...parts: readonly Uint8Array[]): Buffer {
  const hasher = createHash(hash);
  for (const part of parts) hasher.update(part);
  return hasher.digest();
}

/** Cut to a length, or filled up as the specification says. */
function fitLength(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes.subarray(0, length);
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)]);
}
