/** Finds the format that the first bytes prove: by the signature table, then by the content of shared containers. */

import { hasAt, u8 } from "../bytes.ts";
import { brandedTypes, identifyIsoMedia, identifyMatroska, identifyOgg } from "./brands.ts";
import type { FormatMatch } from "./format-match.ts";
import { compoundTypes, oleSignature, peekOle } from "./ole.ts";
import { isPdf } from "./pdf.ts";
import { type Signature, signatures } from "./signatures.ts";
import { peekZip } from "./zip.ts";
import { packagedTypes } from "./zip-contents.ts";

/** The format that the signature proves, or null. `isProse` is called only for signatures made of letters. */
export function matchMagic(bytes: Uint8Array, isProse: () => boolean): FormatMatch | null {
  if (isPdf(bytes)) return { mediaType: "application/pdf", isGeneric: false };
  const zip = hasAt(bytes, 0, "PK") ? peekZip(bytes) : null;
  if (zip !== null) return zip;
  if (hasAt(bytes, 0, oleSignature)) return peekOle(bytes);
  const signature = matchSignature(bytes, isProse);
  return signature === null ? null : identifyContainer(bytes, signature);
}

/** Whether files of a format always begin with its signature; without it, a claim of the format is wrong. */
export function isAlwaysSigned(mediaType: string): boolean {
  return alwaysSigned.has(mediaType) || signedFamilies.some((family) => mediaType.startsWith(family));
}

function matchSignature(bytes: Uint8Array, isProse: () => boolean): Signature | null {
  for (const row of signaturesByFirstByte[u8(bytes, 0)] ?? []) if (matchesSignature(row, bytes, isProse)) return row;
  for (const row of laterSignatures) if (matchesSignature(row, bytes, isProse)) return row;
  return null;
}

function matchesSignature(row: Signature, bytes: Uint8Array, isProse: () => boolean): boolean {
  if (!hasAt(bytes, row.offset ?? 0, row.magic)) return false;
  if (row.second !== undefined && !hasAt(bytes, ...row.second)) return false;
  if (row.check !== undefined && !row.check(bytes)) return false;
  return row.textual === true || !readsAsText(row) || !isProse();
}

const readsAsText = (row: Signature): boolean => !/[^\t\n\r -~]/.test(row.magic + (row.second?.[1] ?? ""));

function identifyContainer(bytes: Uint8Array, { mediaType }: Signature): FormatMatch {
  const innerType = identifiers.get(mediaType)?.(bytes) ?? mediaType;
  return { mediaType: innerType, isGeneric: ambiguousTypes.has(innerType) };
}

const identifiers: ReadonlyMap<string, (bytes: Uint8Array) => string> = new Map([
  ["video/mp4", identifyIsoMedia],
  ["video/x-matroska", identifyMatroska],
  ["audio/ogg", identifyOgg],
]);

/** Signatures that several formats share and whose content is not examined. */
const ambiguousTypes: ReadonlySet<string> = new Set(["image/tiff", "video/x-ms-asf"]);

const signaturesByFirstByte: Signature[][] = Array.from({ length: 256 }, () => []);
const laterSignatures: Signature[] = [];
for (const row of signatures) {
  const bucket =
    row.magic === "" || (row.offset ?? 0) > 0 ? laterSignatures : signaturesByFirstByte[row.magic.charCodeAt(0)];
  bucket?.push(row);
}

/** Formats that also exist without their signature: damaged, headerless, or older than the signature. */
const looselySigned: ReadonlySet<string> = new Set([
  "application/vnd.lotus-1-2-3",
  "application/vnd.ms-project",
  "application/vnd.ms-works",
  "application/vnd.stardivision.calc",
  "application/vnd.stardivision.draw",
  "application/vnd.stardivision.impress",
  "application/vnd.stardivision.writer",
  "application/x-cpio",
  "application/x-lzma",
  "application/x-tar",
  "application/x-unix-dump",
  "image/cgm",
  "image/vnd.dgn",
  "image/x-eps",
  "image/x-pict",
  "image/x-tga",
]);

const alwaysSigned: ReadonlySet<string> = new Set(
  [
    "application/pdf",
    "application/zip",
    "application/vnd.apple.numbers",
    "application/vnd.apple.pages",
    ...signatures.map((row) => row.mediaType),
    ...packagedTypes,
    ...compoundTypes,
    ...brandedTypes,
  ].filter((type) => !looselySigned.has(type)),
);

/** Families of packages and compound files with more members than our tables list. */
const signedFamilies: readonly string[] = [
  "application/vnd.openxmlformats-officedocument.",
  "application/vnd.oasis.opendocument.",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/vnd.ms-word",
  "application/vnd.ms-visio",
  "application/vnd.sun.xml.",
];
