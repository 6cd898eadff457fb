/** Reads office documents in a child process: opens the package and runs the reader of its format. */
import { readFile } from "node:fs/promises";
import { toBody } from "../../acquire/spooled-body.ts";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, HandlerOptions, LocalFile } from "../handler.ts";
import type { Engine } from "../pool/child-loop.ts";
import { XmlLimitError } from "../xml/scan-xml.ts";
import type { Zip } from "../zip/open-zip.ts";
import type { OfficeFacts } from "./describe-office.ts";
import { readDocx } from "./docx/read-docx.ts";
import { decryptPackage } from "./encryption/decrypt-package.ts";
import { readOdp, readOds, readOdt } from "./odf/read-odf.ts";
import { openPackage } from "./open-package.ts";
import { readPptx } from "./pptx/read-pptx.ts";
import { findReaderName, type ReaderName } from "./reader-names.ts";
import { readXlsx } from "./xlsx/read-xlsx.ts";

/** Reads one format: facts first, then segments. */
export type OfficeReader = (zip: Zip, options: HandlerOptions) => AsyncGenerator<ExtractItem<OfficeFacts>>;

const readers: Readonly<Record<Exclude<ReaderName, "encrypted">, OfficeReader>> = {
  docx: readDocx,
  pptx: readPptx,
  xlsx: readXlsx,
  odt: readOdt,
  ods: readOds,
  odp: readOdp,
};

export const officeEngine: Engine = {
  async *extract(file, options) {
    const name = findReaderName(file.mediaType);
    if (name === undefined) throw new Error(`There is no reader for ${file.mediaType}`);
    try {
      const body = await loadBody(file);
      if (name === "encrypted") yield* readEncrypted(body, options);
      else yield* readPackage(readers[name], await openPackage(body), options);
    } catch (error) {
      if (error instanceof FailureError) yield { failed: { reason: error.reason, detail: error.message } };
      else if (error instanceof XmlLimitError) yield { failed: { reason: "too_large", detail: error.message } };
      else throw error;
    }
  },
};

async function* readPackage(
  read: OfficeReader,
  zip: Zip,
  options: HandlerOptions,
): AsyncGenerator<ExtractItem<OfficeFacts>> {
  if (!zip.isComplete) yield { info: { isIncomplete: true } };
  yield* read(zip, options);
  if (zip.cutMembers.size > 0) yield { info: { cutParts: zip.cutMembers.size } };
}

/** An encrypted package says what it is only inside. */
async function* readEncrypted(body: Body, options: HandlerOptions): AsyncGenerator<ExtractItem<OfficeFacts>> {
  const zip = await openPackage(await decryptPackage(body, options.password));
  const name = mainParts.find(([part]) => zip.find(part))?.[1];
  if (name === undefined) throw new FailureError("unsupported", "what is encrypted is not a document that is read");
  yield* readPackage(readers[name], zip, options);
}

const mainParts = [
  ["word/document.xml", "docx"],
  ["xl/workbook.xml", "xlsx"],
  ["ppt/presentation.xml", "pptx"],
] as const;

/** Packages up to this size are read at once, because every access to a file costs more than its bytes. */
const MAX_LOADED_BYTES = 16 * 1024 * 1024;

async function loadBody({ content, sizeBytes }: LocalFile): Promise<Body> {
  if (!("path" in content) || sizeBytes > MAX_LOADED_BYTES) return toBody(content, sizeBytes);
  return toBody({ bytes: await readFile(content.path) }, sizeBytes);
}
