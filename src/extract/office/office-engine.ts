/** Reads office documents in a child process: opens the package and runs the reader of its format. */
import { readFile } from "node:fs/promises";
import { toBody } from "../../acquire/spooled-body.ts";
import type { Body } from "../../detect/kind.ts";
import type { ExtractItem, HandlerOptions, LocalFile } from "../handler.ts";
import type { Engine } from "../pool/child-loop.ts";
import { XmlLimitError } from "../xml/scan-xml.ts";
import { openZip, type Zip, ZipError } from "../zip/open-zip.ts";
import type { OfficeFacts } from "./describe-office.ts";
import { readDocx } from "./docx/read-docx.ts";
import { readOdp, readOds, readOdt } from "./odf/read-odf.ts";
import { readPptx } from "./pptx/read-pptx.ts";
import { findReaderName, type ReaderName } from "./reader-names.ts";
import { readXlsx } from "./xlsx/read-xlsx.ts";

/** Reads one format: facts first, then segments. */
export type OfficeReader = (zip: Zip, options: HandlerOptions) => AsyncGenerator<ExtractItem<OfficeFacts>>;

const readers: Readonly<Record<ReaderName, OfficeReader>> = {
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
      const zip = await openZip(await loadBody(file));
      yield* readers[name](zip, options);
    } catch (error) {
      if (error instanceof ZipError) yield { failed: { reason: error.reason, detail: error.message } };
      else if (error instanceof XmlLimitError) yield { failed: { reason: "too_large", detail: error.message } };
      else throw error;
    }
  },
};

/** Packages up to this size are read at once, because every access to a file costs more than its bytes. */
const MAX_LOADED_BYTES = 16 * 1024 * 1024;

async function loadBody({ content, sizeBytes }: LocalFile): Promise<Body> {
  if (!("path" in content) || sizeBytes > MAX_LOADED_BYTES) return toBody(content, sizeBytes);
  return toBody({ bytes: await readFile(content.path) }, sizeBytes);
}
