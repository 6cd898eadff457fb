/** Reads office documents in a child process: opens the package and runs the reader of its format. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { ExtractItem, HandlerOptions } from "../handler.ts";
import type { Engine } from "../pool/child-loop.ts";
import { XmlLimitError } from "../xml/scan-xml.ts";
import { openZip, type Zip, ZipError } from "../zip/open-zip.ts";
import { readDocx } from "./docx/read-docx.ts";
import { readOdp, readOds, readOdt } from "./odf/read-odf.ts";
import { readPptx } from "./pptx/read-pptx.ts";
import { findReaderName, type ReaderName } from "./reader-names.ts";
import { readXlsx } from "./xlsx/read-xlsx.ts";

/** Facts that only office documents have. */
export type OfficeFacts = { readonly sheetCount: number };

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
      const zip = await openZip(toBody(file.content, file.sizeBytes));
      yield* readers[name](zip, options);
    } catch (error) {
      if (error instanceof ZipError) yield { failed: { reason: error.reason, detail: error.message } };
      else if (error instanceof XmlLimitError) yield { failed: { reason: "too_large", detail: error.message } };
      else throw error;
    }
  },
};
