/** The archive handler: lists the members with their sizes and kinds, and opens one of them by its path. */
import type { Handler } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { hasArchiveFormat } from "./format-names.ts";

export type ArchiveFacts = { readonly entryCount: number };

export const archive: Handler<ArchiveFacts> = {
  name: "archive",
  version: 1,
  runs: "inline",
  canHandle: (_kind, mediaType) => hasArchiveFormat(mediaType),

  async *extract(file, options, signal) {
    await assertFileExists(file, signal);
    // Loaded here, because most sources are not archives.
    const { listArchive } = await import("./list-archive.ts");
    yield* listArchive(file, options, signal);
  },

  describe: ({ entryCount = 0 }) => (entryCount === 0 ? {} : { extent: `entries ${entryCount}`, entryName: "member" }),

  async openEntry(file, path, signal) {
    const { openMember } = await import("./list-archive.ts");
    return openMember(file, path, signal);
  },
};
