/** The office handler: documents packed as ZIP archives of XML, read by our own readers in a child process. */
import type { Handler } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { getPool } from "../pool/pools.ts";
import { describeOffice, type OfficeFacts } from "./describe-office.ts";
import { findReaderName } from "./reader-names.ts";

export const office: Handler<OfficeFacts> = {
  name: "office",
  version: 4,
  runs: "child",
  canHandle: (_kind, mediaType) => findReaderName(mediaType) !== undefined,
  describe: describeOffice,

  async *extract(file, options, signal) {
    await assertFileExists(file, signal);
    for await (const item of getPool("parse", options.limits).run({ engine: "office", file, options }, signal)) {
      signal.throwIfAborted();
      yield item;
    }
    signal.throwIfAborted();
  },
};
