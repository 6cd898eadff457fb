/** The encryption of Office 2007: AES block by block, with a key from 50,000 rounds of SHA-1. */
import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import { FailureError } from "../../failure-error.ts";
import type { PackageCipher } from "./decrypt-package.ts";

const ROUNDS = 50_000;
const SHA1_BYTES = 20;
const AES_BLOCK_BYTES = 16;
/** AES with keys of 128, 192 and 256 bits. */
const algorithms = new Map([
  [0x660e, 16],
  [0x660f, 24],
  [0x6610, 32],
]);

/** The cipher of the package; undefined if the password is wrong. `info` begins with the size of the header. */
export function openStandard(info: Buffer, password: string): PackageCipher | undefined {
  const verifierAt = 4 + (info.length < 4 ? 0 : info.readUInt32LE(0));
  if (info.length < verifierAt + VERIFIER_BYTES || verifierAt < 16)
    throw new FailureError("corrupt", "the encryption is not described");
  const keyBytes = algorithms.get(info.readUInt32LE(4 + 8));
  if (keyBytes === undefined) throw new FailureError("encrypted", "unsupported encryption");
  const verifier = info.subarray(verifierAt);
  const key = deriveKey(password, verifier.subarray(4, 20), keyBytes);
  const expected = sha1(decryptEcb(key, verifier.subarray(20, 36)));
  const actual = decryptEcb(key, verifier.subarray(40, 72)).subarray(0, SHA1_BYTES);
  if (!timingSafeEqual(actual, expected)) return undefined;
  return { blockBytes: AES_BLOCK_BYTES, decrypt: (bytes) => decryptEcb(key, bytes) };
}

/** Size and salt, the verifier, the size of its hash, and the hash in two blocks. */
const VERIFIER_BYTES = 72;

function deriveKey(password: string, salt: Buffer, keyBytes: number): Buffer {
  let hash = sha1(salt, Buffer.from(password, "utf16le"));
  const counter = Buffer.alloc(4);
  for (let round = 0; round < ROUNDS; round++) {
    counter.writeUInt32LE(round);
    hash = sha1(counter, hash);
  }
  const last = sha1(hash, Buffer.alloc(4));
  return Buffer.concat([hashWithPad(last, 0x36), hashWithPad(last, 0x5c)]).subarray(0, keyBytes);
}

function hashWithPad(hash: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(64, pad);
  for (const [index, byte] of hash.entries()) block[index] = byte ^ pad;
  return sha1(block);
}

function decryptEcb(key: Buffer, bytes: Uint8Array): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % AES_BLOCK_BYTES));
  return Buffer.concat([decipher.update(whole), decipher.final()]);
}

function sha1(...parts: readonly Uint8Array[]): Buffer {
  const hasher = createHash("sha1");
  for (const part of parts) hasher.update(part);
  return hasher.digest();
}
