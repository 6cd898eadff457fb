/** Reads old office formats in a child process. Each reader is loaded on first use. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, HandlerOptions } from "../handler.ts";
import type { OfficeFacts } from "../office/describe-office.ts";
import type { Engine } from "../pool/child-loop.ts";
import { findLegacyReader, type LegacyReaderName } from "./legacy-types.ts";

/** Reads one format: facts and segments. */
export type LegacyReader = (body: Body, options: HandlerOptions) => AsyncIterable<ExtractItem<OfficeFacts>>;

const readers: Readonly<Record<LegacyReaderName, () => Promise<LegacyReader>>> = {
  doc: async () => (await import("./doc/read-doc.ts")).readDoc,
  ppt: async () => (await import("./read-ppt.ts")).readPpt,
  xls: async () => (await import("./read-xls.ts")).readXls,
};

export const legacyEngine: Engine = {
  async *extract(file, options) {
    const name = findLegacyReader(file.mediaType);
    if (name === undefined) throw new Error(`There is no reader for ${file.mediaType}`);
    const read = await readers[name]();
    try {
      yield* read(toBody(file.content, file.sizeBytes), options);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      yield { failed: { reason: error.reason, detail: error.message } };
    }
  },
};
