/** The archive handler: lists the members with their sizes and kinds, and opens one of them by its path. */
import { toBody } from "../../acquire/spooled-body.ts";
import { extensions } from "../../detect/extensions.ts";
import { findContentKind } from "../../detect/media-types.ts";
import { formatCount, formatSize } from "../../system/quantities.ts";
import type { ExtractItem, Failure, Handler, LocalFile } from "../handler.ts";
import { toTextSegments } from "../text-segments.ts";
import { arFormat } from "./ar-format.ts";
import { ArchiveError, type ArchiveFormat, type ArchiveMember } from "./archive.ts";
import { gzipFormat, tarFormat, zstdFormat } from "./tar-format.ts";
import { zipFormat } from "./zip-format.ts";

/** Every format that is listed. A new one is a file and a line here. */
const formats: readonly ArchiveFormat[] = [zipFormat, tarFormat, gzipFormat, zstdFormat, arFormat];

/** Members listed; the rest is counted. */
const MAX_LISTED_MEMBERS = 50_000;

export type ArchiveFacts = { readonly entryCount: number; readonly unpackedBytes: number };

export const archive: Handler<ArchiveFacts> = {
  name: "archive",
  version: 1,
  runs: "inline",
  canHandle: (_kind, mediaType) => findFormat(mediaType) !== undefined,
  fields: { entry_count: "number" },

  async *extract(file, { from }, signal) {
    const tally = { count: 0, bytes: 0, failure: undefined as Failure | undefined };
    const lines = listLines(file, tally, signal);
    for await (const item of toTextSegments(lines, { from, isMarkdown: false })) {
      if ("info" in item) yield { info: { ...item.info, entryCount: tally.count, unpackedBytes: tally.bytes } };
      else yield item satisfies ExtractItem;
    }
    if (tally.failure) yield { failed: tally.failure };
  },

  describe: ({ entryCount }) => ({
    ...(entryCount === undefined ? {} : { extent: `entries ${entryCount}`, fields: { entry_count: entryCount } }),
    warnings: ["Read a member with read_artifact and entry=<path>; its text and its own ref come back."],
  }),

  async openEntry(file, path) {
    const format = findFormat(file.mediaType);
    return format?.open(toBody(file.content, file.sizeBytes), path, { archiveName: file.name ?? "" });
  },
};

const findFormat = (mediaType: string): ArchiveFormat | undefined =>
  formats.find(({ mediaTypes }) => mediaTypes.has(mediaType));

type Tally = { count: number; bytes: number; failure: Failure | undefined };

/** One line for each member, as far as they can be listed. */
async function* listLines(file: LocalFile, tally: Tally, signal: AbortSignal): AsyncGenerator<string> {
  const format = findFormat(file.mediaType);
  try {
    for await (const member of format?.list(toBody(file.content, file.sizeBytes), { archiveName: file.name ?? "" }) ??
      []) {
      signal.throwIfAborted();
      tally.count++;
      tally.bytes += member.sizeBytes ?? 0;
      if (tally.count <= MAX_LISTED_MEMBERS && !member.isFolder) yield formatMember(member);
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    tally.failure = { reason: error.reason, detail: error.message };
  }
  if (tally.count > MAX_LISTED_MEMBERS)
    yield `and ${formatCount(tally.count - MAX_LISTED_MEMBERS, "further entry", "further entries")}\n`;
}

/** `src/index.ts (1.4 KB, text)`. A name cannot break out of its line. */
function formatMember({ name, sizeBytes, isEncrypted }: ArchiveMember): string {
  const extension = /\.([a-z0-9+]{1,12})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const mediaType = extensions.get(extension);
  const facts = [
    ...(sizeBytes === null ? [] : [formatSize(sizeBytes)]),
    ...(mediaType === undefined ? [] : [findContentKind(mediaType)]),
    ...(isEncrypted ? ["encrypted"] : []),
  ];
  const line = name.replaceAll(/[\r\n]+/g, " ");
  return facts.length === 0 ? `${line}\n` : `${line} (${facts.join(", ")})\n`;
}
