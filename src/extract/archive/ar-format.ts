/** `ar` archives: Debian packages and static libraries. */
import { decodeLatin1 } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";
import type { ArchiveFormat, ArchiveMember } from "./archive.ts";

const MAGIC_BYTES = 8;
const HEADER_BYTES = 60;
const MAX_MEMBERS = 100_000;

type ArMember = ArchiveMember & { readonly dataAt: number; readonly sizeBytes: number };

export const arFormat: ArchiveFormat = {
  list: listMembers,

  async open(body, isWanted) {
    for await (const member of listMembers(body)) if (isWanted(member.name)) return readRange(body, member);
    return undefined;
  },
};

async function* listMembers(body: Body): AsyncGenerator<ArMember> {
  let at = MAGIC_BYTES;
  for (let count = 0; at + HEADER_BYTES <= body.sizeBytes && count < MAX_MEMBERS; count++) {
    const header = await body.read(at, at + HEADER_BYTES);
    if (decodeLatin1(header, 58, 60) !== "`\n") throw new FailureError("corrupt", "a header of the archive is damaged");
    const name = decodeLatin1(header, 0, 16).trimEnd().replace(/\/$/, "");
    const sizeBytes = Number.parseInt(decodeLatin1(header, 48, 58), 10) || 0;
    const dataAt = at + HEADER_BYTES;
    yield { name, sizeBytes, isFolder: false, dataAt };
    at = dataAt + sizeBytes + (sizeBytes % 2);
  }
}

async function* readRange(body: Body, { dataAt, sizeBytes }: ArMember): AsyncGenerator<Uint8Array> {
  const step = 256 * 1024;
  for (let at = dataAt; at < dataAt + sizeBytes; at += step) {
    const chunk = await body.read(at, Math.min(at + step, dataAt + sizeBytes));
    if (chunk.length === 0) return;
    yield chunk;
  }
}
