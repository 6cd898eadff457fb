/** Which reader reads which old office format. Separate from the readers, so that choosing a handler loads none of them. */

export type LegacyReaderName = "doc" | "ppt" | "xls";

const readers: ReadonlyMap<string, LegacyReaderName> = new Map([
  ["application/msword", "doc"],
  ["application/vnd.ms-powerpoint", "ppt"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.ms-excel.sheet.binary.macroenabled.12", "xls"],
]);

/** The reader of a media type, if it is one of these formats. */
export function findLegacyReader(mediaType: string): LegacyReaderName | undefined {
  return readers.get(mediaType);
}
