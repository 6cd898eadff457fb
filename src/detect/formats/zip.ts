/** Looks into the beginning of a ZIP: the names and the few small members that say what the package is. */
import { constants, inflateRawSync } from "node:zlib";
import { hasAt, indexOf, latin1, u16le, u32le } from "./bytes.ts";
import type { Finding } from "./format-match.ts";
import { nameZip } from "./zip-contents.ts";

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
export function peekZip(bytes: Uint8Array): Finding | null {
  if (hasAt(bytes, 2, "\x05\x06") || hasAt(bytes, 2, "\x06\x06")) return plainZip; // An empty archive.
  const start = hasAt(bytes, 2, "\x07\x08") || hasAt(bytes, 2, "00PK\x03\x04") ? 4 : 0;
  if (!hasAt(bytes, start, localSignature)) return start > 0 || hasAt(bytes, 2, "\x01\x02") ? plainZip : null;
  const members = walk(bytes, start);
  const names = new Set(members.map((member) => member.name));
  const contents = new Map<string, string>();
  for (const member of members) {
    if (tellingMembers.has(member.name)) contents.set(member.name, textOf(bytes, member));
  }
  return nameZip({ names, contents, complete: false });
}

/** What every member begins with. */
export const localSignature = "PK\x03\x04";
const plainZip: Finding = { mediaType: "application/zip", generic: true };

/** The members whose text names the format. */
export const tellingMembers: ReadonlySet<string> = new Set([
  "mimetype",
  "[Content_Types].xml",
  "META-INF/manifest.xml",
  "_rels/.rels",
]);

/** A directory that fits on a screen tells the format; hostile files have millions of entries. */
const maxMembers = 512;

function walk(bytes: Uint8Array, start: number): ZipMember[] {
  const members: ZipMember[] = [];
  let at = start;
  while (members.length < maxMembers && hasAt(bytes, at, localSignature)) {
    const member = readLocalHeader(bytes, at);
    members.push(member);
    at = nextHeader(bytes, member);
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
function nextHeader(bytes: Uint8Array, { dataAt, sizeBytes }: ZipMember): number {
  if (sizeBytes > 0 && sizeBytes < 0xffffffff) return dataAt + sizeBytes;
  if (hasAt(bytes, dataAt, localSignature)) return dataAt;
  const next = indexOf(bytes, localSignature, dataAt);
  return next === -1 ? bytes.length : next;
}

/** Enough compressed bytes for the part of a member that names its format, and few enough for any bomb. */
const telltaleBytes = 4096;
const telltaleChars = 65_536;

/** The beginning of a member's text, as far as the bytes go; empty when it cannot be had. */
export function textOf(bytes: Uint8Array, member: ZipMember): string {
  const end = member.sizeBytes > 0 ? member.dataAt + member.sizeBytes : member.dataAt + telltaleBytes;
  const data = bytes.subarray(member.dataAt, Math.min(end, member.dataAt + telltaleBytes));
  if (member.method === 0) return latin1(data, 0, telltaleChars);
  return member.method === 8 ? inflated(data) : "";
}

function inflated(data: Uint8Array): string {
  try {
    return latin1(inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }), 0, telltaleChars);
  } catch {
    return ""; // Encrypted or damaged: the names have to do.
  }
}
