/** ZIP archives and the many packages that are one: jar, apk, wheel, vsix and others. */
import { FailureError } from "../failure-error.ts";
import { openZip } from "../zip/open-zip.ts";
import { type ArchiveFormat, MAX_UNPACKED_BYTES } from "./archive.ts";

export const zipFormat: ArchiveFormat = {
  async *list(body) {
    const zip = await openZip(body);
    for (const { name, sizeBytes, isFolder, isEncrypted } of zip.members)
      yield { name, sizeBytes, isFolder, ...(isEncrypted && { isEncrypted }) };
    if (!zip.isComplete) throw new FailureError("corrupt", "the end of the archive is missing");
  },

  async open(body, isWanted) {
    const zip = await openZip(body);
    const member = zip.members.find(({ name, isFolder }) => !isFolder && isWanted(name));
    return member === undefined ? undefined : zip.read(member, { maxBytes: MAX_UNPACKED_BYTES });
  },
};
