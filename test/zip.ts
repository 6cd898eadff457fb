/** Writes ZIP archives for tests, honest ones and others. */
import { crc32, deflateRawSync } from "node:zlib";

export type ZipPart = {
  readonly name: string;
  readonly data: string | Uint8Array;
  /** Without compression. */
  readonly stored?: boolean;
  /** The size that the headers claim, if it is not the true one. */
  readonly claimedBytes?: number;
  readonly isEncrypted?: boolean;
  readonly method?: number;
  /** Its sizes come after its data, as streaming writers do. */
  readonly isStreamed?: boolean;
  /** Its sizes and offset are 64-bit numbers in an extra field of the directory. */
  readonly is64?: boolean;
};

/** An archive of these parts, in order. */
export function makeZip(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const data = Buffer.from(part.data);
    const packed = part.stored ? data : deflateRawSync(data);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x800 | (part.isEncrypted ? 1 : 0), 2);
    facts.writeUInt16LE(part.method ?? (part.stored ? 0 : 8), 4);
    facts.writeUInt32LE(crc32(data), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(part.claimedBytes ?? data.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), part.isStreamed ? hideSizes(facts) : facts, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(part.is64 ? 0xffffffff : offset, 10);
    const extra = part.is64 ? makeWideField(facts, offset) : Buffer.alloc(0);
    if (part.is64) facts.fill(0xff, 14, 22);
    facts.writeUInt16LE(extra.length, 24);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), facts, tail, name, extra]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  // Of more members only the lower bits fit; readers count the entries.
  end.writeUInt16LE(parts.length & 0xffff, 8);
  end.writeUInt16LE(parts.length & 0xffff, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The facts of a local header whose checksum and sizes are not known yet. */
function hideSizes(facts: Buffer): Buffer {
  const hidden = Buffer.from(facts);
  hidden.writeUInt16LE(facts.readUInt16LE(2) | 8, 2);
  return hidden.fill(0, 10, 22);
}

function makeWideField(facts: Buffer, offset: number): Buffer {
  const field = Buffer.alloc(28);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(24, 2);
  field.writeBigUInt64LE(BigInt(facts.readUInt32LE(18)), 4);
  field.writeBigUInt64LE(BigInt(facts.readUInt32LE(14)), 12);
  field.writeBigUInt64LE(BigInt(offset), 20);
  return field;
}
