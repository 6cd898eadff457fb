/** Standard input as a source: `-`. */
import { SpillwayError } from "../errors.ts";
import type { SourceKind } from "./source-kind.ts";

/** Streams that were read already: reading one again would look like an empty source. */
const consumedStreams = new WeakSet<AsyncIterable<Uint8Array>>();

export const stdinSource: SourceKind = {
  matches: (given) => given === "-",
  source(given, { stdin }) {
    return {
      given,
      identity: "stdin:",
      async open() {
        if (stdin && !consumedStreams.has(stdin)) {
          consumedStreams.add(stdin);
          return { chunks: stdin, name: "stdin", headers: {} };
        }
        if (stdin) {
          throw new SpillwayError("source_refused", "Standard input has already been read.", {
            hint: "Give - once; its content is kept under the ref of the first answer.",
          });
        }
        throw new SpillwayError("source_refused", "There is no standard input to read here.", {
          hint: "Give a path or a data: URL.",
        });
      },
    };
  },
};
