/** Identifies the format of an OLE2 compound file by its directory: the storages and streams of an application. */
import { hasAt, u16le, u32le } from "../bytes.ts";
import type { FormatMatch } from "./format-match.ts";

/** The first bytes of every compound file. */
export const oleSignature = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/** Yields the next range of bytes to read; the caller reads them from a prefix or from the body. */
type OleWalk = Generator<readonly [start: number, end: number], OleEntry[], Uint8Array>;

/** A storage or stream as the directory lists it. */
type OleEntry = { readonly name: string; readonly classId: string };

/** The format by a prefix of a compound file: by its directory if that is in the prefix, else by its first sector. */
export function peekOle(bytes: Uint8Array): FormatMatch {
  const walk = walkDirectory();
  let step = walk.next();
  while (step.done !== true) step = walk.next(bytes.subarray(...step.value));
  return (
    identifyOle(step.value) ?? identifyFirstSector(bytes) ?? { mediaType: "application/x-ole-storage", isGeneric: true }
  );
}

/** Directories are small; a longer chain is hostile or irrelevant. */
const MAX_DIRECTORY_SECTORS = 64;
const HEADER_BYTES = 512;
const END_OF_CHAIN = 0xfffffff8;

/** Follows the directory's chain of sectors through the allocation table, as far as there are bytes. */
export function* walkDirectory(): OleWalk {
  const header = yield [0, HEADER_BYTES];
  const shift = u16le(header, 30) === 12 ? 12 : 9;
  const entries: OleEntry[] = [];
  let sector = u32le(header, 48);
  for (let i = 0; i < MAX_DIRECTORY_SECTORS && sector < END_OF_CHAIN; i++) {
    const bytes = yield [(sector + 1) * 2 ** shift, (sector + 2) * 2 ** shift];
    if (bytes.length === 0) break;
    entries.push(...readEntries(bytes));
    sector = yield* nextSector(header, sector, shift);
  }
  return entries;
}

/** The first 109 allocation sectors are listed in the header, enough for 7 MB; beyond them sectors follow each other. */
function* nextSector(
  header: Uint8Array,
  sector: number,
  shift: number,
): Generator<readonly [number, number], number, Uint8Array> {
  const perSector = 2 ** (shift - 2);
  const tableIndex = Math.floor(sector / perSector);
  const tableSector = tableIndex < 109 ? u32le(header, 76 + tableIndex * 4) : END_OF_CHAIN;
  if (tableSector >= END_OF_CHAIN) return sector + 1;
  const offset = (tableSector + 1) * 2 ** shift + (sector % perSector) * 4;
  const link = yield [offset, offset + 4];
  return link.length < 4 ? sector + 1 : u32le(link, 0);
}

const ENTRY_BYTES = 128;

function readEntries(sector: Uint8Array): OleEntry[] {
  const entries: OleEntry[] = [];
  for (let offset = 0; offset + ENTRY_BYTES <= sector.length; offset += ENTRY_BYTES) {
    const nameBytes = Math.min(u16le(sector, offset + 64), 64);
    if (nameBytes < 2 || (sector[offset + 66] ?? 0) > 5) continue;
    const name = Buffer.from(sector.subarray(offset, offset + nameBytes - 2)).toString("utf16le");
    entries.push({ name, classId: Buffer.from(sector.subarray(offset + 80, offset + 96)).toString("hex") });
  }
  return entries;
}

/** The format that the entries' names prove, or null. */
export function identifyOle(entries: readonly OleEntry[]): FormatMatch | null {
  const row = streamNames.find(([pattern]) => entries.some((entry) => pattern.test(entry.name)));
  const mediaType = row?.[1] ?? classIds.get(entries[0]?.classId ?? "");
  return mediaType === undefined ? null : { mediaType, isGeneric: false };
}

const streamNames: readonly (readonly [name: RegExp, mediaType: string])[] = [
  [/^EncryptedPackage$/, "application/vnd.ms-office-encrypted"],
  [/^__properties_version1\.0$|^__substg1\.0_|^__nameid_version1\.0$/, "application/vnd.ms-outlook"],
  [/^WordDocument$/, "application/msword"],
  [/^(Workbook|Book|WORKBOOK|BOOK)$/, "application/vnd.ms-excel"],
  [/^PowerPoint Document$|^PP40$|^PP97_DUALSTORAGE$/, "application/vnd.ms-powerpoint"],
  [/^VisioDocument$|^VisioInformation$/, "application/vnd.visio"],
  [/^Quill$/, "application/x-mspublisher"],
  [/^\x05HwpSummaryInformation$|^FileHeader$/, "application/x-hwp"],
  [/^MatOST$|^SPELLING$|^MM$/, "application/vnd.ms-works"],
  [/^Props\d*$/, "application/vnd.ms-project"],
  [/^NativeContent_MAIN$/, "application/x-quattro-pro"],
  [/^PerfectOffice_MAIN$/, "application/vnd.wordperfect"],
  [/^StarWriterDocument$/, "application/vnd.stardivision.writer"],
  [/^StarCalcDocument$/, "application/vnd.stardivision.calc"],
  [/^StarDrawDocument3?$/, "application/vnd.stardivision.draw"],
  [/^StarImageDocument/, "application/vnd.stardivision.impress"],
  [/^Image Contents$|^Resolution \d{4}$/, "image/vnd.fpx"],
  [/^\d{4}\.ACI$/, "image/x-mic"],
  [/^[\u3800-\u4840]/, "application/x-msi"],
  [/^Catalog$/, "application/x-thumbs-db"],
  [/^DesignerDoc$|^SwDocContentMgr/, "application/sldworks"],
  [/^ClassDirectory3$/, "application/x-3dsmax"],
];

/** The class of the root storage, as its sixteen bytes are in the file. */
const classIds: ReadonlyMap<string, string> = new Map([
  ["0609020000000000c000000000000046", "application/msword"],
  ["0009020000000000c000000000000046", "application/msword"],
  ["2008020000000000c000000000000046", "application/vnd.ms-excel"],
  ["1008020000000000c000000000000046", "application/vnd.ms-excel"],
  ["108d81649b4fcf1186ea00aa00b929e8", "application/vnd.ms-powerpoint"],
  ["70ae7bea3bfbcd11a90300aa00510ea3", "application/vnd.ms-powerpoint"],
  ["141a020000000000c000000000000046", "application/vnd.visio"],
  ["131a020000000000c000000000000046", "application/vnd.visio"],
  ["0112020000000000c000000000000046", "application/x-mspublisher"],
  ["0b0d020000000000c000000000000046", "application/vnd.ms-outlook"],
  ["84100c0000000000c000000000000046", "application/x-msi"],
  ["86100c0000000000c000000000000046", "application/x-msi"],
  ["82100c0000000000c000000000000046", "application/x-msi"],
  ["0067615654c1ce11855300aa00a1f95b", "image/vnd.fpx"],
]);

/** Without a directory: the first sector often belongs to the first stream (Word FIB, BIFF BOF, PowerPoint record). */
function identifyFirstSector(bytes: Uint8Array): FormatMatch | null {
  const row = firstSectors.find(([pattern]) => hasAt(bytes, HEADER_BYTES, pattern));
  return row === undefined ? null : { mediaType: row[1], isGeneric: false };
}

const firstSectors: readonly (readonly [pattern: string, mediaType: string])[] = [
  ["\xec\xa5", "application/msword"],
  ["\x09\x08\x10\0\0\x06\x05", "application/vnd.ms-excel"],
  ["\x09\x08\x08\0\0\x05\x05", "application/vnd.ms-excel"],
  ["\x0f\0\xe8\x03", "application/vnd.ms-powerpoint"],
  ["\0\x6e\x1e\xf0", "application/vnd.ms-powerpoint"],
  ["\xa0\x46\x1d\xf0", "application/vnd.ms-powerpoint"],
];

/** Every media type that a compound file may turn out to be. */
export const compoundTypes: ReadonlySet<string> = new Set([
  ...streamNames.map(([, mediaType]) => mediaType),
  ...classIds.values(),
  ...firstSectors.map(([, mediaType]) => mediaType),
]);
