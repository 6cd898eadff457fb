/** The handler of last resort: a source with no reader is kept and described, and no byte of it is shown as text. */

import type { Handler } from "./handler.ts";
import { assertFileExists } from "./local-file.ts";

/** Takes everything and extracts nothing; that the file is there is checked, since the answer will say it is kept. */
export const metadata: Handler = {
  name: "metadata",
  version: 1,
  runs: "inline",
  canHandle: () => true,

  async *extract(file, _ask, signal) {
    await assertFileExists(file, signal);
    yield { info: {} };
  },
};
