/** Encrypts office packages for tests, as Office and LibreOffice do. */
import { createCipheriv, createHash, pbkdf2Sync } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { makeCompoundFile } from "./compound-file.ts";
import { makePackage, type PackageParts } from "./office.ts";

const hash = (name: string, ...parts: readonly Uint8Array[]): Buffer =>
  createHash(name).update(Buffer.concat(parts)).digest();
const encrypt = (mode: "cbc" | "ecb", key: Buffer, iv: Buffer | null, bytes: Uint8Array): Buffer => {
  const cipher = createCipheriv(`aes-${key.length * 8}-${mode}`, key, iv).setAutoPadding(false);
  return Buffer.concat([cipher.update(padTo(bytes, 16)), cipher.final()]);
};
const padTo = (bytes: Uint8Array, size: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((size - (bytes.length % size)) % size)]);
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const salt = Buffer.from("00112233445566778899aabbccddeeff", "hex");
const sizeOf = (bytes: Uint8Array): Buffer => Buffer.concat([number(bytes.length), number(0)]);

/** Office 2010 and later. A few rounds are enough for a test. */
export function encryptAgile(bytes: Uint8Array, password: string, spinCount = 1_000): Buffer {
  let spun = hash("sha512", salt, Buffer.from(password, "utf16le"));
  for (let round = 0; round < spinCount; round++) spun = hash("sha512", number(round), spun);
  const seal = (purpose: string, data: Buffer): string =>
    encrypt("cbc", hash("sha512", spun, Buffer.from(purpose, "hex")).subarray(0, 32), salt, data).toString("base64");
  const key = hash("sha256", Buffer.from("the key of the package"));
  const input = hash("sha256", Buffer.from("verifier")).subarray(0, 16);
  const common = `saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512" saltValue="${salt.toString("base64")}"`;
  const xml = `<encryption xmlns="x" xmlns:p="y"><keyData ${common}/><keyEncryptors><keyEncryptor><p:encryptedKey spinCount="${spinCount}" ${common} encryptedVerifierHashInput="${seal("fea7d2763b4b9e79", input)}" encryptedVerifierHashValue="${seal("d7aa0f6d3061344e", hash("sha512", input))}" encryptedKeyValue="${seal("146e0be7abacd0d6", key)}"/></keyEncryptor></keyEncryptors></encryption>`;
  const segments = Array.from({ length: Math.ceil(bytes.length / 4_096) }, (_, index) =>
    encrypt(
      "cbc",
      key,
      hash("sha512", salt, number(index)).subarray(0, 16),
      bytes.subarray(index * 4_096, (index + 1) * 4_096),
    ),
  );
  return makeCompoundFile({
    EncryptionInfo: Buffer.concat([Buffer.from("0400040040000000", "hex"), Buffer.from(xml)]),
    EncryptedPackage: Buffer.concat([sizeOf(bytes), ...segments]),
  });
}

/** Office 2007. */
export function encryptStandard(bytes: Uint8Array, password: string): Buffer {
  let spun = hash("sha1", salt, Buffer.from(password, "utf16le"));
  for (let round = 0; round < 50_000; round++) spun = hash("sha1", number(round), spun);
  const last = hash("sha1", spun, number(0));
  const mix = (pad: number): Buffer =>
    hash(
      "sha1",
      Buffer.alloc(64, pad).map((byte, index) => byte ^ (last[index] ?? 0)),
    );
  const key = Buffer.concat([mix(0x36), mix(0x5c)]).subarray(0, 16);
  const verifier = hash("md5", Buffer.from("verifier"));
  const header = Buffer.concat([
    number(0x24),
    number(0),
    number(0x660e),
    number(0x8004),
    number(128),
    number(0x18),
    number(0),
    number(0),
    Buffer.from("AES\0", "utf16le"),
  ]);
  const check = Buffer.concat([
    number(16),
    salt,
    encrypt("ecb", key, null, verifier),
    number(20),
    encrypt("ecb", key, null, hash("sha1", verifier)),
  ]);
  return makeCompoundFile({
    EncryptionInfo: Buffer.concat([Buffer.from("0300020024000000", "hex"), number(header.length), header, check]),
    EncryptedPackage: Buffer.concat([sizeOf(bytes), encrypt("ecb", key, null, bytes)]),
  });
}

/** LibreOffice up to version 24: each member on its own. The manifest of `parts` is replaced. */
export function encryptOdf(mediaType: string, parts: PackageParts, password: string, algorithm = "aes256-cbc"): Buffer {
  const start = hash("sha256", Buffer.from(password));
  const key = pbkdf2Sync(start, salt, 1_000, 32, "sha1");
  const entries: string[] = [];
  const encrypted = Object.entries(parts).map(([name, data]) => {
    const packed = deflateRawSync(data);
    const padding = 16 - (packed.length % 16);
    const padded = Buffer.concat([packed, Buffer.alloc(padding, padding)]);
    const checksum = hash("sha256", packed.subarray(0, 1_024)).toString("base64");
    entries.push(
      `<manifest:file-entry manifest:full-path="${name}"><manifest:encryption-data manifest:checksum-type="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k" manifest:checksum="${checksum}"><manifest:algorithm manifest:algorithm-name="http://www.w3.org/2001/04/xmlenc#${algorithm}" manifest:initialisation-vector="${salt.toString("base64")}"/><manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="32" manifest:iteration-count="1000" manifest:salt="${salt.toString("base64")}"/><manifest:start-key-generation manifest:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256"/></manifest:encryption-data></manifest:file-entry>`,
    );
    return [name, encrypt("cbc", key, salt, padded)] as const;
  });
  return makePackage({
    mimetype: mediaType,
    ...Object.fromEntries(encrypted),
    "META-INF/manifest.xml": `<manifest:manifest><manifest:file-entry manifest:full-path="/" manifest:media-type="${mediaType}"/>${entries.join("")}</manifest:manifest>`,
  });
}
