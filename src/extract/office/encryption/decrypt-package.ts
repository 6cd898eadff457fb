/**
 * Opens encrypted Office Open XML: a compound file whose stream `EncryptedPackage` is the ZIP package.
 * https://learn.microsoft.com/openspecs/office_file_formats/ms-offcrypto
 */
import type { Body } from "../../../detect/kind.ts";
import { openCompoundFile } from "../../compound-file/open-compound-file.ts";
import { FailureError } from "../../failure-error.ts";
import { openAgile } from "./agile-encryption.ts";
import { openStandard } from "./standard-encryption.ts";

/** Decrypts any range of the package, which is encrypted in blocks. */
export type PackageCipher = {
  /** Ranges must begin at a multiple of this. */
  readonly blockBytes: number;
  decrypt(bytes: Uint8Array, start: number): Uint8Array;
};

/** Excel encrypts workbooks that are only protected against changes with this password, so everyone can read them. */
const PUBLIC_PASSWORD = "VelvetSweatshop";

/** The size of the package, before the package. */
const SIZE_BYTES = 8;

/** The decrypted package. Throws a FailureError if the password is missing or wrong. */
export async function decryptPackage(body: Body, password: string | undefined): Promise<Body> {
  const file = await openCompoundFile(body);
  const [info, data] = [file.find("EncryptionInfo"), file.find("EncryptedPackage")];
  if (info === undefined || data === undefined) throw new FailureError("corrupt", "the encrypted package is missing");
  const cipher = tryCipher(await file.read(info, 0, MAX_INFO_BYTES), password ?? PUBLIC_PASSWORD);
  if (cipher === undefined)
    throw new FailureError("encrypted", password === undefined ? "password required" : "wrong password");
  const head = Buffer.from(await file.read(data, 0, SIZE_BYTES));
  const sizeBytes = head.length < SIZE_BYTES ? 0 : Number(head.readBigUInt64LE());
  return makeBody(cipher, Math.min(sizeBytes, data.sizeBytes), (start, end) =>
    file.read(data, start + SIZE_BYTES, end + SIZE_BYTES),
  );
}

const MAX_INFO_BYTES = 1024 * 1024;

function tryCipher(info: Uint8Array, password: string): PackageCipher | undefined {
  try {
    return openCipher(info, password);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    // Lengths of keys that no cipher has.
    throw new FailureError("corrupt", "the description of the encryption is damaged");
  }
}

/** The cipher that this password opens; undefined if it is wrong. */
function openCipher(info: Uint8Array, password: string): PackageCipher | undefined {
  const bytes = Buffer.from(info);
  if (bytes.length < 8) throw new FailureError("corrupt", "the encryption is not described");
  const [major, minor] = [bytes.readUInt16LE(0), bytes.readUInt16LE(2)];
  if (major === 4 && minor === 4) return openAgile(bytes.subarray(8).toString("utf8"), password);
  if (minor === 2 && major >= 2 && major <= 4) return openStandard(bytes.subarray(8), password);
  throw new FailureError("encrypted", "unsupported encryption");
}

function makeBody(
  { blockBytes, decrypt }: PackageCipher,
  sizeBytes: number,
  readCipher: (start: number, end: number) => Promise<Uint8Array>,
): Body {
  async function read(start: number, end: number): Promise<Uint8Array> {
    const from = Math.floor(start / blockBytes) * blockBytes;
    const last = Math.min(end, sizeBytes);
    if (last <= start) return new Uint8Array();
    const bytes = await readCipher(from, Math.ceil(last / blockBytes) * blockBytes);
    return decrypt(bytes, from).subarray(start - from, last - from);
  }
  return {
    sizeBytes,
    read,
    async *stream() {
      for (let at = 0; at < sizeBytes; at += STREAM_BYTES) yield await read(at, at + STREAM_BYTES);
    },
  };
}

const STREAM_BYTES = 256 * 1024;
