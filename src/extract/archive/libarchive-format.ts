/** 7z, RAR, CAB, ISO, CPIO and LHA archives, read by libarchive. It holds an archive in memory, so it runs in a child. */
import libarchive from "libarchive-wasm";
import type { Body } from "../../detect/kind.ts";
import { formatSize } from "../../system/quantities.ts";
import { FailureError } from "../failure-error.ts";
import type { ArchiveFormat, ArchiveMember } from "./archive.ts";
import { checkUnpacked } from "./unpacked-limit.ts";

/** A larger archive would exceed the memory of a child, since it is held twice. */
const MAX_ARCHIVE_BYTES = 128 * 1024 * 1024;

const CHUNK_BYTES = 64 * 1024;

/** What a file without a name is called. */
const NAMELESS = "content";

export const libarchiveFormat: ArchiveFormat = {
  async *list(body) {
    const reader = await openReader(body);
    yield* listEntries(reader);
  },

  async open(body, isWanted) {
    const reader = await openReader(body);
    for (const member of listEntries(reader)) {
      if (member.isFolder || !isWanted(member.name)) continue;
      if (member.isEncrypted) throw new FailureError("encrypted", `${member.name} is encrypted`);
      return readData(reader, body.sizeBytes);
    }
    return undefined;
  },
};

type Reader = InstanceType<typeof libarchive.ArchiveReader>;

/** A new instance for each archive: after some damaged ones the old one cannot be used. */
async function openReader(body: Body): Promise<Reader> {
  if (body.sizeBytes > MAX_ARCHIVE_BYTES)
    throw new FailureError("too_large", `archives of this kind are read up to ${formatSize(MAX_ARCHIVE_BYTES)}`);
  const bytes = await body.read(0, body.sizeBytes);
  const module = await libarchive.libarchiveWasm();
  return attempt(
    () => new libarchive.ArchiveReader(module, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)),
  );
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // A trap of WebAssembly says nothing about the archive.
    throw toFailure(error instanceof Error && !(error instanceof WebAssembly.RuntimeError) ? error.message : "");
  }
}

/** libarchive reports damage with its reason, if it has one. */
function toFailure(reason: string): FailureError {
  const message = reason.trim();
  if (/encrypt|passphrase/i.test(message)) return new FailureError("encrypted", "its contents are encrypted");
  return new FailureError("corrupt", message === "" ? "the archive is damaged" : `the archive is damaged (${message})`);
}

function* listEntries(reader: Reader): Generator<ArchiveMember> {
  for (let count = 0; ; count++) {
    const entry = attempt(() => reader.nextEntryPointer());
    if (entry === 0) {
      checkEnd(reader, count);
      return;
    }
    const name = attempt(() => reader.getEntryPathname(entry)) || NAMELESS;
    const type = reader.getEntryFiletype(entry);
    if (type !== "File" && type !== "Directory") continue;
    yield {
      name,
      sizeBytes: Number(reader.getEntrySize(entry)),
      isFolder: type === "Directory",
      isEncrypted: reader.isEntryEncrypted(entry),
    };
  }
}

/** At the end there is no error; an archive whose directory is encrypted has no entries either. */
function checkEnd(reader: Reader, count: number): void {
  const message = reader.libarchive.error_string(reader.archive) ?? "";
  if (message !== "") throw toFailure(message);
  if (count === 0 && reader.hasEncryptedData() === true)
    throw new FailureError("encrypted", "its contents are encrypted");
}

async function* readData(reader: Reader, packedBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for (;;) {
    const data = attempt(() => reader.readData(CHUNK_BYTES));
    if (data.length === 0) return;
    total += data.length;
    checkUnpacked(total, packedBytes);
    yield new Uint8Array(data.buffer, data.byteOffset, data.length);
  }
}
