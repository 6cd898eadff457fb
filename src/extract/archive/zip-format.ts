/** ZIP archives and the many packages that are one: jar, apk, wheel, vsix and others. */
import { openZip, type Zip, ZipError, type ZipMember } from "../zip/open-zip.ts";
import { ArchiveError, type ArchiveFormat, MAX_UNPACKED_BYTES } from "./archive.ts";

export const zipFormat: ArchiveFormat = {
  async *list(body) {
    const zip = await rename(openZip(body));
    for (const { name, sizeBytes, isFolder, isEncrypted } of zip.members)
      yield { name, sizeBytes, isFolder, ...(isEncrypted && { isEncrypted }) };
    if (!zip.isComplete) throw new ArchiveError("corrupt", "the end of the archive is missing");
  },

  async open(body, isWanted) {
    const zip = await rename(openZip(body));
    const member = zip.members.find(({ name, isFolder }) => !isFolder && isWanted(name));
    return member === undefined ? undefined : readMember(zip, member);
  },
};

async function* readMember(zip: Zip, member: ZipMember): AsyncGenerator<Uint8Array> {
  try {
    yield* zip.read(member, { maxBytes: MAX_UNPACKED_BYTES });
  } catch (error) {
    throw toArchiveError(error);
  }
}

function rename<T>(opening: Promise<T>): Promise<T> {
  return opening.catch((error: unknown) => {
    throw toArchiveError(error);
  });
}

const toArchiveError = (error: unknown): unknown =>
  error instanceof ZipError ? new ArchiveError(error.reason, error.message) : error;
