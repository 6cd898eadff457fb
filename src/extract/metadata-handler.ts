/** The last handler: a source that no other handler reads is kept and described, and none of its bytes shown as text. */
import type { Handler } from "./handler.ts";
import { assertFileExists } from "./local-file.ts";

/** Accepts everything and extracts nothing. It checks that the file exists, since the answer says that it is kept. */
export const metadata: Handler = {
  name: "metadata",
  version: 1,
  runs: "inline",
  canHandle: () => true,

  async *extract(file, _options, signal) {
    await assertFileExists(file, signal);
    yield { info: {} };
  },
};
