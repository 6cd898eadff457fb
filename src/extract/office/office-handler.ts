/** The office handler: documents packed as ZIP archives of XML, read by our own readers in a child process. */
import type { Handler } from "../handler.ts";
import { getPool } from "../pool/pools.ts";
import { findReaderName } from "./reader-names.ts";

export const office: Handler = {
  name: "office",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => findReaderName(mediaType) !== undefined,
  extract: (file, options, signal) => getPool("parse", options.limits).run({ engine: "office", file, options }, signal),
};
