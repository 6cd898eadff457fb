/** Which reader reads which archive. Separate from the readers, so that choosing a handler loads none of them. */

export type FormatName = "zip" | "tar" | "gzip" | "zstd" | "ar" | "bzip2" | "xz" | "libarchive";

const mediaTypes: Readonly<Record<FormatName, readonly string[]>> = {
  zip: [
    "application/zip",
    "application/java-archive",
    "application/vnd.android.package-archive",
    "application/x-ios-app",
    "application/x-xpinstall",
    "application/x-wheel+zip",
    "application/vnd.google-earth.kmz",
    "application/vnd.ms-vsix",
    "application/vnd.nuget",
    "application/vnd.ms-appx",
    "model/3mf",
    "application/vnd.apple.iwork",
    "application/vnd.apple.pages",
    "application/vnd.apple.numbers",
    "application/vnd.apple.keynote",
  ],
  tar: ["application/x-tar"],
  gzip: ["application/gzip"],
  zstd: ["application/zstd"],
  ar: ["application/vnd.debian.binary-package", "application/x-archive"],
  bzip2: ["application/x-bzip2"],
  xz: ["application/x-xz"],
  libarchive: [
    "application/x-7z-compressed",
    "application/vnd.rar",
    "application/vnd.ms-cab-compressed",
    "application/x-iso9660-image",
    "application/x-cpio",
    "application/x-lzh-compressed",
  ],
};

const formatNames: ReadonlyMap<string, FormatName> = new Map(
  (Object.keys(mediaTypes) as FormatName[]).flatMap((name) => mediaTypes[name].map((type) => [type, name] as const)),
);

/** The format of a media type, if it is one that is read. */
export function findFormatName(mediaType: string): FormatName | undefined {
  return formatNames.get(mediaType);
}

/** Whether its reader runs in a child process: Node unpacks the other formats itself. */
export function runsInChild(mediaType: string): boolean {
  return ["bzip2", "xz", "libarchive"].includes(findFormatName(mediaType) ?? "");
}

export const hasArchiveFormat = (mediaType: string): boolean => formatNames.has(mediaType);
