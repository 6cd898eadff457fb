/** Which reader reads which media type. Separate from the readers, so that choosing a handler loads none of them. */

const officeOpen = "application/vnd.openxmlformats-officedocument.";

export type ReaderName = "docx";

/** The reader of a media type, if we have one. */
export function findReaderName(mediaType: string): ReaderName | undefined {
  return readerNames.get(mediaType);
}

const readerNames: ReadonlyMap<string, ReaderName> = new Map([
  [`${officeOpen}wordprocessingml.document`, "docx"],
  [`${officeOpen}wordprocessingml.template`, "docx"],
  ["application/vnd.ms-word.document.macroenabled.12", "docx"],
  ["application/vnd.ms-word.template.macroenabled.12", "docx"],
]);
