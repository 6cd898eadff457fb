/** Looks into the beginning of a ZIP: the names and the few small members that say what the package is. */
import { constants, inflateRawSync } from "node:zlib";
import { hasAt, indexOf, latin1, u16le, u32le } from "./bytes.ts";
import type { FormatMatch } from "./format-match.ts";
import { identifyZip } from "./zip-contents.ts";

/** One member as its header describes it. */
type ZipMember = {
  readonly name: string;
  readonly method: number;
  /** Where its data begins. */
  readonly dataAt: number;
  /** Stored size; 0 where only the directory at the end knows it. */
  readonly sizeBytes: number;
};

/** What a prefix shows of a ZIP, or null when it is none. */
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

/** What every member begins with. */
export const localSignature = "PK\x03\x04";
const plainZip: FormatMatch = { mediaType: "application/zip", isGeneric: true };

/** The members whose text names the format. */
export const identifyingMembers: ReadonlySet<string> = new Set([
  "mimetype",
  "[Content_Types].xml",
  "META-INF/manifest.xml",
  "_rels/.rels",
]);

/** A directory that fits on a screen tells the format; hostile files have millions of entries. */
const MAX_MEMBERS = 512;

function listMembers(bytes: Uint8Array, start: number): ZipMember[] {
  const members: ZipMember[] = [];
  let at = start;
  while (members.length < MAX_MEMBERS && hasAt(bytes, at, localSignature)) {
    const member = readLocalHeader(bytes, at);
    members.push(member);
    at = findNextHeader(bytes, member);
  }
  return members;
}

/** The local header at this place; names are compared as ASCII, so their encoding does not matter. */
export function readLocalHeader(bytes: Uint8Array, at: number): ZipMember {
  const nameBytes = u16le(bytes, at + 26);
  const nameAt = at + 30;
  return {
    name: latin1(bytes, nameAt, nameAt + nameBytes),
    method: u16le(bytes, at + 8),
    dataAt: nameAt + nameBytes + u16le(bytes, at + 28),
    sizeBytes: u32le(bytes, at + 18),
  };
}

/** Streamed archives leave the size to a descriptor after the data: then the next signature is searched for. */
function findNextHeader(bytes: Uint8Array, { dataAt, sizeBytes }: ZipMember): number {
  if (sizeBytes > 0 && sizeBytes < 0xffffffff) return dataAt + sizeBytes;
  if (hasAt(bytes, dataAt, localSignature)) return dataAt;
  const next = indexOf(bytes, localSignature, dataAt);
  return next === -1 ? bytes.length : next;
}

/** Enough compressed bytes for the part of a member that names its format, and few enough for any bomb. */
const MAX_MEMBER_DATA_BYTES = 4096;
const MAX_MEMBER_TEXT_CHARS = 65_536;

/** The beginning of a member's text, as far as the bytes go; empty when it cannot be had. */
export function readMemberText(bytes: Uint8Array, member: ZipMember): string {
  const end = member.sizeBytes > 0 ? member.dataAt + member.sizeBytes : member.dataAt + MAX_MEMBER_DATA_BYTES;
  const data = bytes.subarray(member.dataAt, Math.min(end, member.dataAt + MAX_MEMBER_DATA_BYTES));
  if (member.method === 0) return latin1(data, 0, MAX_MEMBER_TEXT_CHARS);
  return member.method === 8 ? inflateText(data) : "";
}

function inflateText(data: Uint8Array): string {
  try {
    return latin1(inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }), 0, MAX_MEMBER_TEXT_CHARS);
  } catch {
    return ""; // Encrypted or damaged: the names have to do.
  }
}
