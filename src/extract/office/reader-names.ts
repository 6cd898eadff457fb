/** Which reader reads which media type. Separate from the readers, so that choosing a handler loads none of them. */

const officeOpen = "application/vnd.openxmlformats-officedocument.";

export type ReaderName = "docx" | "pptx" | "xlsx";

/** The reader of a media type, if we have one. */
export function findReaderName(mediaType: string): ReaderName | undefined {
  return readerNames.get(mediaType);
}

const readerNames: ReadonlyMap<string, ReaderName> = new Map([
  [`${officeOpen}wordprocessingml.document`, "docx"],
  [`${officeOpen}wordprocessingml.template`, "docx"],
  ["application/vnd.ms-word.document.macroenabled.12", "docx"],
  ["application/vnd.ms-word.template.macroenabled.12", "docx"],
  [`${officeOpen}spreadsheetml.sheet`, "xlsx"],
  [`${officeOpen}spreadsheetml.template`, "xlsx"],
  ["application/vnd.ms-excel.sheet.macroenabled.12", "xlsx"],
  ["application/vnd.ms-excel.template.macroenabled.12", "xlsx"],
  ["application/vnd.ms-excel.addin.macroenabled.12", "xlsx"],
  [`${officeOpen}presentationml.presentation`, "pptx"],
  [`${officeOpen}presentationml.slideshow`, "pptx"],
  [`${officeOpen}presentationml.template`, "pptx"],
  ["application/vnd.ms-powerpoint.presentation.macroenabled.12", "pptx"],
  ["application/vnd.ms-powerpoint.slideshow.macroenabled.12", "pptx"],
  ["application/vnd.ms-powerpoint.template.macroenabled.12", "pptx"],
  ["application/vnd.ms-powerpoint.addin.macroenabled.12", "pptx"],
]);
