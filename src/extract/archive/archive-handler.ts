/** The archive handler: lists the members with their sizes and kinds, and opens one of them by its path. */
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import type { Handler } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { openEntryInChild } from "../pool/open-entry.ts";
import { runEngine } from "../pool/run-engine.ts";
import { hasArchiveFormat, runsInChild } from "./format-names.ts";

export type ArchiveFacts = {
  readonly entryCount: number;
  /** A document of Apple's, and the picture of its pages that it carries, if any. */
  readonly isApplePackage: boolean;
  readonly previewPath: string;
};

export const archive: Handler<ArchiveFacts> = {
  name: "archive",
  version: 2,
  runs: "inline",
  canHandle: (_kind, mediaType) => hasArchiveFormat(mediaType),

  async *extract(file, options, signal) {
    if (runsInChild(file.mediaType)) return yield* runEngine("archive", file, options, signal);
    await assertFileExists(file, signal);
    // Loaded here, because most sources are not archives.
    const { listArchive } = await import("./list-archive.ts");
    yield* listArchive(file, options, signal);
  },

  describe({ entryCount, isApplePackage = false, previewPath }, failed) {
    if (entryCount === 0 && failed === null) return { warnings: ["It has no files."], explainsMissingText: true };
    return {
      ...(entryCount === undefined || entryCount === 0 ? {} : { extent: `entries ${entryCount}`, entryName: "member" }),
      ...(isApplePackage ? { warnings: [describePreview(previewPath)] } : {}),
    };
  },

  async openEntry(file, path, signal, limits) {
    if (runsInChild(file.mediaType)) return openEntryInChild("archive", file, path, { signal, limits });
    const { openMember } = await import("./list-archive.ts");
    return openMember(file, path, signal);
  },
};

function describePreview(path: string | undefined): string {
  const fact =
    "The text of this document is in a format of Apple's own that is not read; this lists the files of its package.";
  return path === undefined ? fact : `${fact} The entry ${JSON.stringify(clip(path, PATH_CHARS))} shows its pages.`;
}
