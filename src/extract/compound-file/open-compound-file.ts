/**
 * Opens compound files (OLE 2): the container of old office formats, of Outlook messages and of encrypted documents.
 * Lists the streams and reads any range of one. https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb
 */
import { u16le, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";

/** A stream and its place in the file. */
export type CompoundStream = {
  /** The names of its storages and its own, joined by slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly startSector: number;
};

export type CompoundFile = {
  readonly streams: readonly CompoundStream[];
  /** The stream at this path, in any case. */
  find(path: string): CompoundStream | undefined;
  /** Bytes of a stream, `end` excluded; fewer where the file is damaged. */
  read(stream: CompoundStream, start?: number, end?: number): Promise<Uint8Array>;
};

/** Bounds on what is held in memory: tables of 16 MB describe a file of 2 GB. */
const MAX_TABLE_SECTORS = 4 * 1024 * 1024;
const MAX_ENTRIES = 200_000;
const MAX_PATH_DEPTH = 64;

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Values from here on are not sectors but mark free ones and ends. */
const MAX_SECTOR = 0xfffffffa;

/** Opens the file; throws a FailureError if it is damaged beyond use. */
export async function openCompoundFile(body: Body): Promise<CompoundFile> {
  const header = await body.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || u32le(header, 0) !== 0xe011cfd0) throw corrupt("it is not a compound file");
  const sectorShift = u16le(header, 30);
  if (sectorShift !== 9 && sectorShift !== 12) throw corrupt("its sectors have an impossible size");
  const sectors = new Sectors(body, 1 << sectorShift, await readSectorTable(body, header, 1 << sectorShift));
  const entries = await readEntries(sectors, u32le(header, 48));
  const root = entries[0];
  if (root === undefined) throw corrupt("it has no directory");
  const miniStream = { path: "", sizeBytes: root.sizeBytes, startSector: root.startSector };
  const minis = new MiniSectors(sectors, miniStream, await sectors.readTable(u32le(header, 60)));
  const cutoffBytes = u32le(header, 56);
  const streams = listStreams(entries);
  const byPath = new Map(streams.map((stream) => [stream.path.toLowerCase(), stream]));
  return {
    streams,
    find: (path) => byPath.get(path.toLowerCase()),
    read(stream, start = 0, end = stream.sizeBytes) {
      const range = [Math.max(0, start), Math.min(end, stream.sizeBytes)] as const;
      return stream.sizeBytes < cutoffBytes ? minis.read(stream, ...range) : sectors.read(stream, ...range);
    },
  };
}

const corrupt = (message: string): FailureError => new FailureError("corrupt", message);

/** The table that says which sector follows which. Its own sectors are listed in the header and, for large files, in a chain. */
async function readSectorTable(body: Body, header: Uint8Array, sectorBytes: number): Promise<Uint32Array> {
  const perSector = sectorBytes / 4;
  const maxSectors = Math.min(Math.ceil(body.sizeBytes / sectorBytes), MAX_TABLE_SECTORS);
  const places: number[] = [];
  for (let at = 76; at < HEADER_BYTES; at += 4) places.push(u32le(header, at));
  let next = u32le(header, 68);
  for (let steps = 0; next < MAX_SECTOR && steps * perSector < maxSectors; steps++) {
    const sector = await body.read((next + 1) * sectorBytes, (next + 2) * sectorBytes);
    if (sector.length < sectorBytes) break;
    for (let at = 0; at < sectorBytes - 4; at += 4) places.push(u32le(sector, at));
    next = u32le(sector, sectorBytes - 4);
  }
  const used = places.filter((place) => place < MAX_SECTOR).slice(0, Math.ceil(maxSectors / perSector) + 1);
  const table = new Uint32Array(used.length * perSector).fill(0xffffffff);
  for (const [index, place] of used.entries()) {
    const sector = await body.read((place + 1) * sectorBytes, (place + 2) * sectorBytes);
    for (let at = 0; at + 4 <= sector.length; at += 4) table[index * perSector + at / 4] = u32le(sector, at);
  }
  return table;
}

/** The sectors of a chain from its first one. A chain is longer than its table only if it is a circle. */
function* followChain(table: Uint32Array, first: number): Generator<number> {
  let sector = first;
  for (let steps = 0; sector < MAX_SECTOR && steps < table.length; steps++) {
    yield sector;
    sector = table[sector] ?? 0xffffffff;
  }
}

/** Reads streams that are chains of whole sectors. */
class Sectors {
  readonly #body: Body;
  readonly #sectorBytes: number;
  readonly #table: Uint32Array;
  /** The chain read last: a stream is read range by range. */
  #chain: { readonly first: number; readonly sectors: readonly number[] } | undefined;

  constructor(body: Body, sectorBytes: number, table: Uint32Array) {
    this.#body = body;
    this.#sectorBytes = sectorBytes;
    this.#table = table;
  }

  async read({ startSector }: Pick<CompoundStream, "startSector">, start: number, end: number): Promise<Uint8Array> {
    const chain = this.#findChain(startSector);
    const size = this.#sectorBytes;
    const chunks: Uint8Array[] = [];
    for (let at = start; at < end; ) {
      const index = Math.floor(at / size);
      const run = countRun(chain, index, Math.ceil(end / size) - index);
      if (run === 0) break;
      const from = ((chain[index] ?? 0) + 1) * size + (at % size);
      const bytes = await this.#body.read(from, from + Math.min(end - at, run * size - (at % size)));
      if (bytes.length === 0) break;
      chunks.push(bytes);
      at += bytes.length;
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  /** A chain of sectors that holds a table of numbers. */
  async readTable(first: number): Promise<Uint32Array> {
    const chain = this.#findChain(first);
    const bytes = await this.read({ startSector: first }, 0, chain.length * this.#sectorBytes);
    return Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => u32le(bytes, index * 4));
  }

  get chainBytes(): (first: number) => number {
    return (first) => this.#findChain(first).length * this.#sectorBytes;
  }

  #findChain(first: number): readonly number[] {
    if (this.#chain?.first !== first) this.#chain = { first, sectors: [...followChain(this.#table, first)] };
    return this.#chain.sectors;
  }
}

/** How many sectors from this one on follow each other in the file, up to a number. */
function countRun(chain: readonly number[], index: number, max: number): number {
  const first = chain[index];
  if (first === undefined) return 0;
  let count = 1;
  while (count < max && chain[index + count] === first + count) count++;
  return count;
}

const MINI_BYTES = 64;

/** Reads small streams, which share one stream and have a table of their own. */
class MiniSectors {
  readonly #sectors: Sectors;
  readonly #stream: CompoundStream;
  readonly #table: Uint32Array;

  constructor(sectors: Sectors, stream: CompoundStream, table: Uint32Array) {
    this.#sectors = sectors;
    this.#stream = stream;
    this.#table = table;
  }

  async read({ startSector, sizeBytes }: CompoundStream, start: number, end: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for (const sector of followChain(this.#table, startSector)) {
      if (chunks.length * MINI_BYTES >= sizeBytes) break;
      chunks.push(await this.#sectors.read(this.#stream, sector * MINI_BYTES, (sector + 1) * MINI_BYTES));
    }
    return Buffer.concat(chunks).subarray(start, Math.min(end, sizeBytes));
  }
}

type Entry = {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly startSector: number;
  readonly sizeBytes: number;
};

const STORAGE = 1;
const STREAM = 2;

async function readEntries(sectors: Sectors, first: number): Promise<Entry[]> {
  const bytes = await sectors.read(
    { startSector: first },
    0,
    Math.min(sectors.chainBytes(first), MAX_ENTRIES * ENTRY_BYTES),
  );
  return Array.from({ length: Math.floor(bytes.length / ENTRY_BYTES) }, (_, index) =>
    readEntry(bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)),
  );
}

function readEntry(bytes: Uint8Array): Entry {
  const nameBytes = Math.min(Math.max(u16le(bytes, 64) - 2, 0), 62);
  return {
    name: new TextDecoder("utf-16le").decode(bytes.subarray(0, nameBytes)),
    type: bytes[66] ?? 0,
    left: u32le(bytes, 68),
    right: u32le(bytes, 72),
    child: u32le(bytes, 76),
    startSector: u32le(bytes, 116),
    sizeBytes: u32le(bytes, 120),
  };
}

/** The entries of a storage are a binary tree, and each storage among them has a tree of its own. */
function listStreams(entries: readonly Entry[]): CompoundStream[] {
  const streams: CompoundStream[] = [];
  const seen = new Set<number>();
  const waiting = [{ index: entries[0]?.child ?? 0xffffffff, folder: "", depth: 0 }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { index, folder, depth } = place;
    const entry = entries[index];
    if (entry === undefined || seen.has(index)) continue;
    seen.add(index);
    const path = `${folder}${entry.name}`;
    waiting.push({ index: entry.right, folder, depth }, { index: entry.left, folder, depth });
    if (entry.type === STREAM) streams.push({ path, sizeBytes: entry.sizeBytes, startSector: entry.startSector });
    else if (entry.type === STORAGE && depth < MAX_PATH_DEPTH)
      waiting.push({ index: entry.child, folder: `${path}/`, depth: depth + 1 });
  }
  return streams;
}
