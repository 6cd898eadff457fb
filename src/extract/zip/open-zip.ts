/** Opens ZIP archives: lists the members, and reads one at a time as a bounded stream. Nothing is unpacked to disk. */
import { isAscii } from "node:buffer";
import { pipeline } from "node:stream";
import { constants, createInflateRaw, inflateRawSync } from "node:zlib";
import { decodeLatin1, hasAt, lastIndexOf, u16le, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";

/** One member as the archive lists it. Sizes are claims until the bytes were read. */
export type ZipMember = {
  /** The path inside the archive, with forward slashes. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly compressedBytes: number;
  readonly isFolder: boolean;
  readonly isEncrypted: boolean;
  readonly method: number;
  /** Offset of its local header. */
  readonly headerAt: number;
};

export type Zip = {
  readonly members: readonly ZipMember[];
  /** Whether all members are listed. */
  readonly isComplete: boolean;
  /** Members that were longer than what was read of them. */
  readonly cutMembers: ReadonlySet<string>;
  /** The member of this name, in any case: writers do not agree on it. */
  find(name: string): ZipMember | undefined;
  /** The bytes of a member, at most `maxBytes`. Throws a ZipError that says why it cannot be read. */
  read(member: ZipMember, bounds: MemberBounds): AsyncGenerator<Uint8Array>;
};

export type MemberBounds = { readonly maxBytes: number };

/** Why an archive or a member cannot be read. */
export class ZipError extends FailureError {}

const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;

/** How far an archive may expand. A small member may expand further than the ratio says. */
export type ZipBounds = {
  /** Times the compressed size of a member. */
  readonly maxRatio: number;
  /** Bytes of all reads of one archive together: members may be the same bytes, or be read again and again. */
  readonly maxTotalBytes: number;
  /** Members that are listed. */
  readonly maxMembers: number;
  /** Counts the bytes of all reads; archives inside each other share it and so their limit. */
  readonly readTotal?: { bytes: number };
};

/** Logs and tables of zeros shrink to less than a hundredth; what shrinks further was made to exhaust a reader. */
const defaultBounds: ZipBounds = { maxRatio: 250, maxTotalBytes: Number.POSITIVE_INFINITY, maxMembers: 200_000 };
const RATIO_FREE_BYTES = 8 * 1024 * 1024;

/** Members up to these sizes are inflated in one call, which costs a fraction of a stream. */
const MAX_SYNC_COMPRESSED_BYTES = 1024 * 1024;
const MAX_SYNC_BYTES = 4 * 1024 * 1024;

const READ_BYTES = 256 * 1024;
const INFLATE_BYTES = 64 * 1024;

/** The archive in this body. One that was cut is listed by the headers of the members that are there. */
export async function openZip(body: Body, bounds: ZipBounds = defaultBounds): Promise<Zip> {
  const { members, isComplete } = (await readDirectory(body, bounds.maxMembers)) ?? (await scanHeaders(body));
  if (members.length === 0 && !isComplete) throw new ZipError("corrupt", "no directory and no members");
  const byName = new Map(members.map((member) => [member.name.toLowerCase(), member]));
  const account = { readTotal: { bytes: 0 }, ...bounds, cutMembers: new Set<string>() };
  return {
    members,
    isComplete,
    cutMembers: account.cutMembers,
    find: (name) => byName.get(name.replace(/^\//, "").toLowerCase()),
    read: (member, memberBounds) => readMember(body, member, memberBounds, account),
  };
}

type Directory = Pick<Zip, "members" | "isComplete">;

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const END64_BYTES = 56;
const LOCATOR_BYTES = 20;
const UNKNOWN_32 = 0xffffffff;

/** The directory at the end of the archive, or undefined if there is none. */
async function readDirectory(body: Body, maxMembers: number): Promise<Directory | undefined> {
  const tailAt = Math.max(0, body.sizeBytes - END_BYTES - MAX_COMMENT_BYTES - LOCATOR_BYTES - END64_BYTES);
  const tail = await body.read(tailAt, body.sizeBytes);
  const end = lastIndexOf(tail, "PK\x05\x06");
  if (end === -1) return undefined;
  const claims = readEnd(tail, end);
  if (claims.members === 0) return { members: [], isComplete: true };
  // Whatever was put in front of the archive shifts all offsets; the directory ends where the end records begin.
  const start = tailAt + claims.recordsAt - claims.sizeBytes;
  if (start < 0) return undefined;
  const bytes = await body.read(start, start + Math.min(claims.sizeBytes, MAX_DIRECTORY_BYTES));
  if (!hasAt(bytes, 0, "PK\x01\x02")) return undefined;
  const members = listMembers(bytes, start - claims.offset, maxMembers);
  return { members, isComplete: members.length >= claims.members };
}

/** What the end records say; those of a 64-bit archive come before the old one. */
function readEnd(tail: Uint8Array, end: number) {
  const hasLocator = hasAt(tail, end - LOCATOR_BYTES, "PK\x06\x07");
  const end64 = hasLocator ? lastIndexOf(tail.subarray(0, end), "PK\x06\x06") : -1;
  return end64 !== -1
    ? {
        members: u64le(tail, end64 + 32),
        sizeBytes: u64le(tail, end64 + 40),
        offset: u64le(tail, end64 + 48),
        recordsAt: end64,
      }
    : {
        members: u16le(tail, end + 10),
        sizeBytes: u32le(tail, end + 12),
        offset: u32le(tail, end + 16),
        recordsAt: end,
      };
}

function listMembers(bytes: Uint8Array, shift: number, maxMembers: number): ZipMember[] {
  const members: ZipMember[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (members.length < maxMembers && at + ENTRY_BYTES <= bytes.length && view.getUint32(at, true) === ENTRY_SIGN) {
    const extraAt = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    const extraEnd = extraAt + view.getUint16(at + 30, true);
    const { headerAt, ...sizes } = readSizes(bytes, view, at, findExtra(bytes, extraAt, extraEnd, 1));
    const flags = view.getUint16(at + 8, true);
    const member = describeMember(bytes.subarray(at + ENTRY_BYTES, extraAt), flags, view.getUint16(at + 10, true));
    members.push({ ...member, ...sizes, headerAt: headerAt + shift });
    at = extraEnd + view.getUint16(at + 32, true);
  }
  return members;
}

/** `PK\x01\x02`. */
const ENTRY_SIGN = 0x02014b50;

/** Sizes and offset of a directory entry. What does not fit 32 bits is in an extra field at `wideAt`, in this order. */
function readSizes(bytes: Uint8Array, view: DataView, at: number, wideAt: number) {
  let nextAt = wideAt;
  const readWide = (value: number): number => {
    if (value !== UNKNOWN_32 || nextAt === -1) return value;
    nextAt += 8;
    return u64le(bytes, nextAt - 8);
  };
  const sizeBytes = readWide(view.getUint32(at + 24, true));
  const compressedBytes = readWide(view.getUint32(at + 20, true));
  return { sizeBytes, compressedBytes, headerAt: readWide(view.getUint32(at + 42, true)) };
}

/** Offset of the data of an extra field, or -1. */
function findExtra(bytes: Uint8Array, start: number, end: number, id: number): number {
  for (let at = start; at + 4 <= end; at += 4 + u16le(bytes, at + 2)) if (u16le(bytes, at) === id) return at + 4;
  return -1;
}

function describeMember(name: Uint8Array, flags: number, method: number) {
  const text = decodeName(name, (flags & 0x800) !== 0);
  return { name: text, method, isFolder: text.endsWith("/"), isEncrypted: (flags & 1) !== 0 };
}

/** A name as UTF-8 where it says so or is valid; older writers use a code page, of which the ASCII part is right. */
function decodeName(bytes: Uint8Array, isUtf8: boolean): string {
  const name = isAscii(bytes) ? decodeLatin1(bytes, 0, bytes.length) : decodeWideName(bytes, isUtf8);
  return name.includes("\\") ? name.replaceAll("\\", "/") : name;
}

function decodeWideName(bytes: Uint8Array, isUtf8: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: !isUtf8 }).decode(bytes);
  } catch {
    return decodeLatin1(bytes, 0, bytes.length);
  }
}

/** The members of an archive without a directory, because its end is missing: their headers, one after the other. */
async function scanHeaders(body: Body): Promise<Directory> {
  const members: ZipMember[] = [];
  let at = 0;
  while (members.length < MAX_SCANNED_MEMBERS && at < body.sizeBytes) {
    const header = await body.read(at, at + LOCAL_BYTES + MAX_NAME_BYTES);
    if (!hasAt(header, 0, "PK\x03\x04")) break;
    const flags = u16le(header, 6);
    const nameBytes = u16le(header, 26);
    const dataAt = at + LOCAL_BYTES + nameBytes + u16le(header, 28);
    const streamedBytes = (flags & 8) === 0 ? undefined : body.sizeBytes - dataAt;
    const compressedBytes = streamedBytes ?? u32le(header, 18);
    members.push({
      ...describeMember(header.subarray(LOCAL_BYTES, LOCAL_BYTES + nameBytes), flags, u16le(header, 8)),
      sizeBytes: u32le(header, 22),
      compressedBytes: Math.min(compressedBytes, body.sizeBytes - dataAt),
      headerAt: at,
    });
    // The size of a streamed member comes after its data: where the next member begins is not known.
    if (streamedBytes !== undefined) break;
    at = dataAt + compressedBytes;
  }
  return { members, isComplete: false };
}

const MAX_SCANNED_MEMBERS = 10_000;
const MAX_NAME_BYTES = 4_096;

/** Counts what all reads of an archive have yielded. */
type Account = Required<ZipBounds> & { readonly cutMembers: Set<string> };

async function* readMember(
  body: Body,
  member: ZipMember,
  bounds: MemberBounds,
  account: Account,
): AsyncGenerator<Uint8Array> {
  const chunks = await openMember(body, member, bounds.maxBytes);
  let total = 0;
  for await (const chunk of chunks) {
    const room = bounds.maxBytes - total;
    total += chunk.length;
    account.readTotal.bytes += chunk.length;
    if (account.readTotal.bytes > account.maxTotalBytes) throw new ZipError("too_large", "the archive expands too far");
    if (chunk.length > room) {
      account.cutMembers.add(member.name);
      yield chunk.subarray(0, room);
      return;
    }
    if (total > RATIO_FREE_BYTES && total > member.compressedBytes * account.maxRatio)
      throw new ZipError("too_large", `${member.name} shrinks more than ${account.maxRatio} times`);
    yield chunk;
  }
}

async function openMember(body: Body, member: ZipMember, maxBytes: number): Promise<AsyncIterable<Uint8Array>> {
  if (member.isEncrypted) throw new ZipError("encrypted", `${member.name} is encrypted`);
  const dataAt = await findData(body, member);
  if (member.method === STORED) return readRange(body, dataAt, member.compressedBytes);
  if (member.method !== DEFLATED)
    throw new ZipError("unsupported", `${member.name} is packed by method ${member.method}, which is not read`);
  const inflated = await inflateAtOnce(body, dataAt, member, maxBytes);
  return inflated ?? inflate(readRange(body, dataAt, member.compressedBytes), member.name);
}

const STORED = 0;
const DEFLATED = 8;

/** The offset of a member's data, after its own header. */
async function findData(body: Body, { headerAt, name }: ZipMember): Promise<number> {
  const header = await body.read(headerAt, headerAt + LOCAL_BYTES);
  if (!hasAt(header, 0, "PK\x03\x04")) throw new ZipError("corrupt", `${name} is not where it is listed`);
  return headerAt + LOCAL_BYTES + u16le(header, 26) + u16le(header, 28);
}

async function* readRange(body: Body, start: number, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < start + sizeBytes; at += READ_BYTES) {
    const chunk = await body.read(at, Math.min(at + READ_BYTES, start + sizeBytes));
    if (chunk.length === 0) return;
    yield chunk;
  }
}

/** A small member inflated in one call; undefined if it is large or lies about its size, and is streamed instead. */
async function inflateAtOnce(
  body: Body,
  dataAt: number,
  { compressedBytes, sizeBytes }: ZipMember,
  maxBytes: number,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const isSmall = compressedBytes <= MAX_SYNC_COMPRESSED_BYTES && sizeBytes <= Math.min(MAX_SYNC_BYTES, maxBytes);
  if (!isSmall) return undefined;
  const data = await body.read(dataAt, dataAt + compressedBytes);
  try {
    // One buffer for all of it, instead of one for each 16 KB.
    const bytes = inflateRawSync(data, { maxOutputLength: Math.max(sizeBytes, 1), chunkSize: Math.max(sizeBytes, 64) });
    return (async function* () {
      yield bytes;
    })();
  } catch {
    return undefined; // It is longer than it says, or damaged: the stream gives what there is and says why it ends.
  }
}

/** Inflates chunks as far as they go. Damage ends the stream with an error, after what could be read. */
async function* inflate(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const inflater = createInflateRaw({ chunkSize: INFLATE_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  // Errors of either side reach the loop below.
  const stream = pipeline(chunks, inflater, () => undefined);
  try {
    for await (const chunk of stream) yield chunk;
  } catch (error) {
    throw new ZipError("corrupt", `${name} is damaged (${error instanceof Error ? error.message : String(error)})`);
  } finally {
    stream.destroy();
  }
}

function u64le(bytes: Uint8Array, offset: number): number {
  return u32le(bytes, offset) + u32le(bytes, offset + 4) * 2 ** 32;
}
