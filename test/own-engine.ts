/** An engine of a library user, run in a child process by the URL of this module. */
import { readFile } from "node:fs/promises";
import type { Engine } from "../src/index.ts";

export const engine: Engine = {
  async *extract({ content }, { from }) {
    const bytes = "path" in content ? await readFile(content.path) : content.bytes;
    if (Buffer.from(bytes).includes("crash")) process.abort();
    yield { info: {} };
    const text = `${bytes.length} bytes, read by process ${process.pid}`;
    if (from === 0) yield { segment: { index: 0, kind: "whole", label: "whole", text, marks: [] } };
  },
};
