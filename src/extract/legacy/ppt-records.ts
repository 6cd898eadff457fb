/** The records of a PowerPoint stream: containers and atoms, each with a header of eight bytes. */
import { u16le, u32le } from "../../detect/bytes.ts";

export type PptRecord = {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly data: Uint8Array;
  children(): PptRecord[];
};

const HEADER_BYTES = 8;
const MAX_CHILDREN = 200_000;
const MAX_DEPTH = 32;
const MAX_FOUND = 100_000;

/** Records one after the other, at most so many. A length beyond the end is cut there. */
export function listRecords(bytes: Uint8Array, maxRecords = MAX_CHILDREN): PptRecord[] {
  const records: PptRecord[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length && records.length < maxRecords; ) {
    const [version, type, length] = [u16le(bytes, at), u16le(bytes, at + 2), u32le(bytes, at + 4)];
    const data = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    const isContainer = (version & 0xf) === 0xf;
    records.push({ type, instance: version >> 4, isContainer, data, children: () => listRecords(data) });
    at += HEADER_BYTES + length;
  }
  return records;
}

/** The records of these types at any depth, in order. */
export function findAll(container: PptRecord, ...types: readonly number[]): PptRecord[] {
  const found: PptRecord[] = [];
  collect(container, types, found, 0);
  return found;
}

/** The first record of this type directly in a container. */
export function findFirst(container: PptRecord, type: number): PptRecord | undefined {
  return container.children().find((record) => record.type === type);
}

function collect(container: PptRecord, types: readonly number[], found: PptRecord[], depth: number): void {
  for (const record of container.children()) {
    if (found.length >= MAX_FOUND) return;
    if (types.includes(record.type)) found.push(record);
    else if (record.isContainer && depth < MAX_DEPTH) collect(record, types, found, depth + 1);
  }
}
