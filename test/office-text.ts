/** Reads the text of an office document in this process, for tests of the readers. */
import type { Failure, Info, Segment } from "../src/extract/handler.ts";
import { officeEngine } from "../src/extract/office/office-engine.ts";

export const officeTypes = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  encrypted: "application/vnd.ms-office-encrypted",
} as const;

export type OfficeText = {
  readonly info: Info;
  readonly segments: readonly Segment[];
  readonly failed: Failure | null;
  /** The texts of all segments. */
  readonly text: string;
};

/** Everything that the reader of a format yields for these bytes. */
export async function readOffice(
  format: keyof typeof officeTypes,
  bytes: Uint8Array,
  password?: string,
): Promise<OfficeText> {
  let info: Info = {};
  let failed: Failure | null = null;
  const segments: Segment[] = [];
  const file = {
    content: { bytes },
    sizeBytes: bytes.length,
    kind: "office_doc",
    mediaType: officeTypes[format],
    charset: null,
  } as const;
  const options = { mode: "markdown", from: 0, ...(password === undefined ? {} : { password }) } as const;
  for await (const item of officeEngine.extract(file, options)) {
    if ("info" in item) info = { ...info, ...item.info };
    else if ("failed" in item) failed = item.failed;
    else if ("segment" in item) segments.push(item.segment);
  }
  const separator = segments[0]?.kind === "whole" ? "" : "\n\n";
  return { info, segments, failed, text: segments.map(({ text }) => text).join(separator) };
}
