/** The handler of Pages, Numbers and Keynote documents: the texts that they store. Their files are read by `entry`. */
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import { type ArchiveFacts, archive } from "../archive/archive-handler.ts";
import type { Handler } from "../handler.ts";
import { runEngine } from "../pool/run-engine.ts";

export type IworkFacts = ArchiveFacts & {
  /** Whether texts were found; otherwise the files of the package are listed. */
  readonly hasStoredText: boolean;
};

const mediaTypes = ["iwork", "pages", "numbers", "keynote"].map((name) => `application/vnd.apple.${name}`);

export const iwork: Handler<IworkFacts> = {
  name: "iwork",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaTypes.includes(mediaType),
  extract: (file, options, signal) => runEngine("iwork", file, options, signal),
  openEntry: (file, path, signal, limits) =>
    archive.openEntry?.(file, path, signal, limits) ?? Promise.resolve({ paths: [] }),

  describe: (info, failed) =>
    info.hasStoredText === true
      ? { warnings: [describeText(info.previewPath)] }
      : (archive.describe?.(info, failed) ?? {}),
};

function describeText(previewPath: string | undefined): string {
  const fact =
    "The texts of this document in the order in which they are stored; its layout, numbers and formulas are not read.";
  return previewPath === undefined
    ? fact
    : `${fact} The entry ${JSON.stringify(clip(previewPath, PATH_CHARS))} shows its pages.`;
}
