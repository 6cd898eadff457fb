/** Writes compound files (OLE 2) for tests. */

const SECTOR_BYTES = 512;
const MINI_BYTES = 64;
const CUTOFF_BYTES = 4_096;
const FREE = 0xffffffff;
const END = 0xfffffffe;
const TABLE = 0xfffffffd;

type Entry = { readonly name: string; readonly type: number; child: number; next: number; start: number; size: number };

/** A compound file of streams by path; `a/b` is the stream `b` in the storage `a`. */
export function makeCompoundFile(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const entries = makeEntries(Object.keys(streams));
  const [miniTable, miniChunks, sectors]: [number[], Buffer[], Buffer[]] = [[], [], []];
  const chains: number[] = [];

  function addChain(bytes: Buffer): number {
    const first = sectors.length;
    const count = Math.ceil(bytes.length / SECTOR_BYTES);
    for (let index = 0; index < count; index++) {
      sectors.push(pad(bytes.subarray(index * SECTOR_BYTES, (index + 1) * SECTOR_BYTES), SECTOR_BYTES));
      chains.push(index === count - 1 ? END : first + index + 1);
    }
    return count === 0 ? END : first;
  }

  for (const [path, data] of Object.entries(streams)) {
    const entry = entries.get(path);
    if (entry === undefined) continue;
    entry.size = data.length;
    if (data.length >= CUTOFF_BYTES) entry.start = addChain(Buffer.from(data));
    else {
      const count = Math.ceil(data.length / MINI_BYTES);
      entry.start = count === 0 ? END : miniTable.length;
      for (let index = 0; index < count; index++) miniTable.push(index === count - 1 ? END : miniTable.length + 1);
      miniChunks.push(pad(Buffer.from(data), count * MINI_BYTES));
    }
  }
  const miniStream = Buffer.concat(miniChunks);
  const root = entries.get("");
  if (root) [root.start, root.size] = [addChain(miniStream), miniStream.length];
  const miniTableStart = addChain(writeNumbers(miniTable));
  const directoryStart = addChain(Buffer.concat([...entries.values()].map(writeEntry)));
  const tableStart = sectors.length;
  const perSector = SECTOR_BYTES / 4;
  const tableCount = Math.ceil((sectors.length + 1) / (perSector - 1));
  for (let index = 0; index < tableCount; index++) chains.push(TABLE);
  const table = writeNumbers([...chains, ...new Array<number>(tableCount * perSector - chains.length).fill(FREE)]);
  const places = Array.from({ length: 109 }, (_, index) => (index < tableCount ? tableStart + index : FREE));
  const header = pad(Buffer.from("d0cf11e0a1b11ae1", "hex"), 76);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tableCount, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(CUTOFF_BYTES, 56);
  header.writeUInt32LE(miniTableStart, 60);
  header.writeUInt32LE(miniTable.length === 0 ? 0 : 1, 64);
  header.writeUInt32LE(END, 68);
  return Buffer.concat([header, writeNumbers(places), ...sectors, table]);
}

/** Root, storages and streams; the members of a storage are linked one after the other. */
function makeEntries(paths: readonly string[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const numbers = new Map<string, number>();
  const add = (path: string, type: number): void => {
    if (entries.has(path)) return;
    const slash = path.lastIndexOf("/");
    const parent = path === "" ? undefined : path.slice(0, Math.max(slash, 0));
    if (parent !== undefined) add(parent, parent === "" ? 5 : 1);
    numbers.set(path, entries.size);
    const name = path === "" ? "Root Entry" : path.slice(slash + 1);
    const holder = parent === undefined ? undefined : entries.get(parent);
    entries.set(path, { name, type, child: FREE, next: holder?.child ?? FREE, start: 0, size: 0 });
    if (holder) holder.child = numbers.get(path) ?? FREE;
  };
  add("", 5);
  for (const path of paths) add(path, 2);
  return entries;
}

function writeEntry({ name, type, child, next, start, size }: Entry): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 0, 62, "utf16le");
  bytes.writeUInt16LE(name.length * 2 + 2, 64);
  bytes.writeUInt8(type, 66);
  bytes.writeUInt32LE(FREE, 68);
  bytes.writeUInt32LE(next, 72);
  bytes.writeUInt32LE(child, 76);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}

function writeNumbers(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4);
  return bytes;
}

function pad(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length))]);
}
