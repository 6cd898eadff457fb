/** Lists the members of an archive as text, and opens one of them. */
import { toBody } from "../../acquire/spooled-body.ts";
import { extensions } from "../../detect/extensions.ts";
import { findContentKind } from "../../detect/media-types.ts";
import { formatCount, formatSize } from "../../system/quantities.ts";
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, Failure, HandlerOptions, LocalFile, OpenedEntry } from "../handler.ts";
import { toTextSegments } from "../text-segments.ts";
import { type ArchiveFormat, type ArchiveMember, toListedPath } from "./archive.ts";
import type { ArchiveFacts } from "./archive-handler.ts";
import { type FormatName, findFormatName } from "./format-names.ts";

/** Every format, each loaded on first use. */
const formats: Readonly<Record<FormatName, () => Promise<ArchiveFormat>>> = {
  zip: async () => (await import("./zip-format.ts")).zipFormat,
  tar: async () => (await import("./tar-format.ts")).tarFormat,
  gzip: async () => (await import("./tar-format.ts")).gzipFormat,
  zstd: async () => (await import("./tar-format.ts")).zstdFormat,
  ar: async () => (await import("./ar-format.ts")).arFormat,
  bzip2: async () => (await import("./tar-format.ts")).bzip2Format,
  xz: async () => (await import("./tar-format.ts")).xzFormat,
  libarchive: async () => (await import("./libarchive-format.ts")).libarchiveFormat,
};

/** Members listed; the rest is counted. */
const MAX_LISTED_MEMBERS = 50_000;

/** The listing as segments, then the number of files. */
export async function* listArchive(
  file: LocalFile,
  { from }: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<ArchiveFacts>> {
  const tally: Tally = { count: 0, failure: undefined, previewPath: undefined };
  for await (const item of toTextSegments(listLines(file, tally, signal), { from, isMarkdown: false })) {
    signal.throwIfAborted();
    if ("info" in item) yield { info: { ...item.info, ...toFacts(file, tally) } };
    // An archive without members has no text.
    else if (tally.count > 0) yield item;
  }
  signal.throwIfAborted();
  if (tally.failure) yield { failed: tally.failure };
}

/** The bytes of the file whose path is listed like this. */
export async function openMember(file: LocalFile, path: string, signal: AbortSignal): Promise<OpenedEntry> {
  const wanted = toListedPath(path);
  const format = await loadFormat(file);
  const isWanted = (candidate: string) => toListedPath(candidate) === wanted;
  const body = toBody(file.content, file.sizeBytes);
  const chunks = await format.open(body, isWanted, { archiveName: file.name ?? "" });
  return chunks === undefined ? { paths: await listPaths(file, signal) } : { chunks };
}

async function loadFormat({ mediaType }: LocalFile): Promise<ArchiveFormat> {
  const name = findFormatName(mediaType);
  if (name === undefined) throw new Error(`There is no archive format of type ${mediaType}`);
  return formats[name]();
}

type Tally = { count: number; failure: Failure | undefined; previewPath: string | undefined };

function toFacts({ mediaType }: LocalFile, { count, previewPath }: Tally): Partial<ArchiveFacts> {
  if (!mediaType.startsWith("application/vnd.apple.")) return { entryCount: count };
  return { entryCount: count, isApplePackage: true, ...(previewPath === undefined ? {} : { previewPath }) };
}

/** The pages as PDF, which older versions store, else the first page as a picture. */
const PREVIEW = /^(QuickLook\/)?preview\.(pdf|jpe?g)$/i;

/** One line for each member, as far as they can be listed. */
async function* listLines(file: LocalFile, tally: Tally, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for await (const member of listMembers(file)) {
      signal.throwIfAborted();
      if (member.isFolder) continue;
      tally.count++;
      if (PREVIEW.test(member.name) && !tally.previewPath?.endsWith("pdf"))
        tally.previewPath = toListedPath(member.name);
      if (tally.count <= MAX_LISTED_MEMBERS) yield formatMember(member);
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    tally.failure = { reason: error.reason, detail: error.message };
  }
  if (tally.count > MAX_LISTED_MEMBERS)
    yield `and ${formatCount(tally.count - MAX_LISTED_MEMBERS, "further entry", "further entries")}\n`;
}

async function* listMembers(file: LocalFile): AsyncGenerator<ArchiveMember> {
  const format = await loadFormat(file);
  yield* format.list(toBody(file.content, file.sizeBytes), { archiveName: file.name ?? "" });
}

/** The paths of the files, for suggestions; damage further on does not matter for them. */
async function listPaths(file: LocalFile, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = [];
  try {
    for await (const { name, isFolder } of listMembers(file)) {
      signal.throwIfAborted();
      if (!isFolder) paths.push(toListedPath(name));
      if (paths.length === MAX_LISTED_MEMBERS) break;
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
  }
  return paths;
}

/** `src/index.ts (1.4 KB, text)`. */
function formatMember({ name, sizeBytes, isEncrypted }: ArchiveMember): string {
  const extension = /\.([a-z0-9+]{1,12})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const mediaType = extensions.get(extension);
  const facts = [
    ...(sizeBytes === null ? [] : [formatSize(sizeBytes)]),
    ...(mediaType === undefined ? [] : [findContentKind(mediaType)]),
    ...(isEncrypted ? ["encrypted"] : []),
  ];
  const path = toListedPath(name);
  return facts.length === 0 ? `${path}\n` : `${path} (${facts.join(", ")})\n`;
}
