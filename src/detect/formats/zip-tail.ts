/** Reads a ZIP's directory from its end, where every member is listed, with bounded work for hostile archives. */

import { decodeLatin1, lastIndexOf, u16le, u32le } from "../bytes.ts";
import type { Body } from "../kind.ts";
import type { FormatMatch } from "./format-match.ts";
import { identifyingMembers, localSignature, readLocalHeader, readMemberText } from "./zip.ts";
import { identifyZip } from "./zip-contents.ts";

/** The format that the directory proves, or null if there is no directory. */
export async function readZipTail(body: Body): Promise<FormatMatch | null> {
  const tailStart = Math.max(0, body.sizeBytes - TAIL_BYTES);
  const tail = await body.read(tailStart, body.sizeBytes);
  const end = lastIndexOf(tail, "PK\x05\x06");
  if (end === -1) return null;
  const directory = await readDirectory(body, tailStart + end, u32le(tail, end + 12));
  if (directory === null)
    return u16le(tail, end + 10) === 0 ? { mediaType: "application/zip", isGeneric: false } : null;
  const contents = new Map<string, string>();
  for (const { name, headerAt } of directory.entries) {
    if (identifyingMembers.has(name) && !contents.has(name)) contents.set(name, await readMember(body, headerAt));
  }
  const names = new Set(directory.entries.map((entry) => entry.name));
  return identifyZip({ names, contents, isComplete: directory.isComplete });
}

/** The end record and the longest comment it may carry. */
const TAIL_BYTES = 22 + 65_535;
/** A mebibyte of directory lists ten thousand members. */
const MAX_DIRECTORY_BYTES = 1_048_576;
const entrySignature = "PK\x01\x02";

type Entry = { readonly name: string; readonly headerAt: number };
type Directory = { readonly entries: readonly Entry[]; readonly isComplete: boolean };

/**
 * The directory ends where the end record begins (or the two records of a 64-bit archive), whatever offset the record
 * states: offsets are wrong by the length of whatever was put in front of the archive.
 */
async function readDirectory(body: Body, endAt: number, sizeBytes: number): Promise<Directory | null> {
  for (const recordBytes of [0, 76]) {
    const start = endAt - recordBytes - sizeBytes;
    if (start < 0 || sizeBytes === 0) continue;
    const bytes = await body.read(start, Math.min(endAt - recordBytes, start + MAX_DIRECTORY_BYTES));
    if (decodeLatin1(bytes, 0, 4) === entrySignature) return listEntries(bytes, sizeBytes, start);
  }
  return null;
}

function listEntries(bytes: Uint8Array, sizeBytes: number, directoryAt: number): Directory {
  const entries: Entry[] = [];
  let offset = 0;
  while (decodeLatin1(bytes, offset, offset + 4) === entrySignature) {
    const nameBytes = u16le(bytes, offset + 28);
    entries.push({
      name: decodeLatin1(bytes, offset + 46, offset + 46 + nameBytes),
      headerAt: u32le(bytes, offset + 42),
    });
    offset += 46 + nameBytes + u16le(bytes, offset + 30) + u16le(bytes, offset + 32);
  }
  return { entries: entries.filter((entry) => entry.headerAt < directoryAt), isComplete: sizeBytes <= bytes.length };
}

/** A header, a name, extra fields and as much of the data as names a format. */
const MEMBER_BYTES = 8192;

async function readMember(body: Body, headerAt: number): Promise<string> {
  const bytes = await body.read(headerAt, headerAt + MEMBER_BYTES);
  return decodeLatin1(bytes, 0, 4) === localSignature ? readMemberText(bytes, readLocalHeader(bytes, 0)) : "";
}
