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
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), facts, tail, name]));
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
