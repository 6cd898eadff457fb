/** Standard input as a source: `-`. */
import { SpillwayError } from "../errors.ts";
import type { SourceKind } from "./source.ts";

export const stdinSource: SourceKind = {
  matches: (given) => given === "-",
  source(given, { stdin }) {
    return {
      given,
      identity: "stdin:",
      name: "stdin",
      headers: {},
      async open() {
        if (stdin) return stdin;
        throw new SpillwayError("source_refused", "There is no standard input to read here.", {
          hint: "Give a path or a data: URL.",
        });
      },
    };
  },
};
