/** Which reader reads which media type. Separate from the readers, so that choosing a handler loads none of them. */

const openDocument = "application/vnd.oasis.opendocument.";
const officeOpen = "application/vnd.openxmlformats-officedocument.";

export type ReaderName = "docx" | "pptx" | "xlsx" | "odt" | "ods" | "odp" | "encrypted";

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
  ["application/vnd.ms-office-encrypted", "encrypted"],
  [`${openDocument}text`, "odt"],
  [`${openDocument}text-template`, "odt"],
  [`${openDocument}text-master`, "odt"],
  [`${openDocument}text-web`, "odt"],
  [`${openDocument}graphics`, "odp"],
  [`${openDocument}graphics-template`, "odp"],
  [`${openDocument}presentation`, "odp"],
  [`${openDocument}presentation-template`, "odp"],
  [`${openDocument}spreadsheet`, "ods"],
  [`${openDocument}spreadsheet-template`, "ods"],
]);
