/** The handler of old office formats: Word, Excel and PowerPoint before Office 2007, and binary workbooks. */
import type { Handler } from "../handler.ts";
import { describeOffice, type OfficeFacts } from "../office/describe-office.ts";
import { runEngine } from "../pool/run-engine.ts";
import { findLegacyReader } from "./legacy-types.ts";

export const legacy: Handler<OfficeFacts> = {
  name: "legacy-office",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => findLegacyReader(mediaType) !== undefined,
  describe: describeOffice,
  extract: (file, options, signal) => runEngine("legacy", file, options, signal),
};
