/** Identifies a ZIP by its beginning: the names, and the few small members that declare the format. */
import { constants, inflateRawSync } from "node:zlib";
import { decodeLatin1, hasAt, indexOf, u16le, u32le } from "../bytes.ts";
import type { FormatMatch } from "./format-match.ts";
import { identifyZip } from "./zip-contents.ts";

/** One member as its header describes it. */
type ZipMember = {
  readonly name: string;
  readonly method: number;
  /** The offset of its data. */
  readonly dataAt: number;
  /** Compressed size; 0 where only the directory at the end has it. */
  readonly sizeBytes: number;
};

/** The format by a prefix of a ZIP, or null if it is not a ZIP. */
export function peekZip(bytes: Uint8Array): FormatMatch | null {
  if (hasAt(bytes, 2, "\x05\x06") || hasAt(bytes, 2, "\x06\x06")) return plainZip; // An empty archive.
  const start = hasAt(bytes, 2, "\x07\x08") || hasAt(bytes, 2, "00PK\x03\x04") ? 4 : 0;
  if (!hasAt(bytes, start, localSignature)) return start > 0 || hasAt(bytes, 2, "\x01\x02") ? plainZip : null;
  const members = listMembers(bytes, start);
  const names = new Set(members.map((member) => member.name));
  const contents = new Map<string, string>();
  for (const member of members) {
    if (identifyingMembers.has(member.name)) contents.set(member.name, readMemberText(bytes, member));
  }
  return identifyZip({ names, contents, isComplete: false });
}

/** The first bytes of every member. */
export const localSignature = "PK\x03\x04";
const plainZip: FormatMatch = { mediaType: "application/zip", isGeneric: true };

/** The members whose text declares the format. */
export const identifyingMembers: ReadonlySet<string> = new Set([
  "mimetype",
  "[Content_Types].xml",
  "META-INF/manifest.xml",
  "_rels/.rels",
]);

/** The first members are enough to identify a format; hostile files have millions. */
const MAX_MEMBERS = 512;

function listMembers(bytes: Uint8Array, start: number): ZipMember[] {
  const members: ZipMember[] = [];
  let offset = start;
  while (members.length < MAX_MEMBERS && hasAt(bytes, offset, localSignature)) {
    const member = readLocalHeader(bytes, offset);
    members.push(member);
    offset = findNextHeader(bytes, member);
  }
  return members;
}

/** The local header at this offset; names are compared as ASCII, so their encoding does not matter. */
export function readLocalHeader(bytes: Uint8Array, offset: number): ZipMember {
  const nameBytes = u16le(bytes, offset + 26);
  const nameAt = offset + 30;
  return {
    name: decodeLatin1(bytes, nameAt, nameAt + nameBytes),
    method: u16le(bytes, offset + 8),
    dataAt: nameAt + nameBytes + u16le(bytes, offset + 28),
    sizeBytes: u32le(bytes, offset + 18),
  };
}

/** Streamed archives give the size in a descriptor after the data: then the next signature is searched for. */
function findNextHeader(bytes: Uint8Array, { dataAt, sizeBytes }: ZipMember): number {
  if (sizeBytes > 0 && sizeBytes < 0xffffffff) return dataAt + sizeBytes;
  if (hasAt(bytes, dataAt, localSignature)) return dataAt;
  const next = indexOf(bytes, localSignature, dataAt);
  return next === -1 ? bytes.length : next;
}

/** Enough compressed bytes for the part of a member that declares its format, too few for a decompression bomb. */
const MAX_MEMBER_DATA_BYTES = 4096;
const MAX_MEMBER_TEXT_CHARS = 65_536;

/** The beginning of a member's text, as far as the bytes go; empty if it cannot be read. */
export function readMemberText(bytes: Uint8Array, member: ZipMember): string {
  const end = member.sizeBytes > 0 ? member.dataAt + member.sizeBytes : member.dataAt + MAX_MEMBER_DATA_BYTES;
  const data = bytes.subarray(member.dataAt, Math.min(end, member.dataAt + MAX_MEMBER_DATA_BYTES));
  if (member.method === 0) return decodeLatin1(data, 0, MAX_MEMBER_TEXT_CHARS);
  return member.method === 8 ? inflateText(data) : "";
}

function inflateText(data: Uint8Array): string {
  try {
    return decodeLatin1(inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }), 0, MAX_MEMBER_TEXT_CHARS);
  } catch {
    return ""; // Encrypted or damaged: only the names are known.
  }
}
