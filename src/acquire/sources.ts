/** All kinds of sources, and the choice of the one that a user's text names. */
import { SpillwayError } from "../errors.ts";
import { clip } from "../system/safe-names.ts";
import { dataSource } from "./data-source.ts";
import { fileSource } from "./file-source.ts";
import { httpSource } from "./http-source.ts";
import type { Source } from "./source.ts";
import type { SourceContext, SourceKind } from "./source-kind.ts";
import { stdinSource } from "./stdin-source.ts";

/** The first entry that matches is used; what matches no other entry is a path. */
const sourceKinds: readonly SourceKind[] = [stdinSource, dataSource, httpSource, fileSource];

/** The source that a user's text names; nothing is opened yet. */
export function findSource(given: string, context: SourceContext): Source {
  if (given.trim() === "") {
    throw new SpillwayError("usage", "A source cannot be empty.", { hint: "Give a URL, a path or - for stdin." });
  }
  const kind = sourceKinds.find(({ matches }) => matches(given));
  if (kind === undefined) {
    const scheme = given.slice(0, given.indexOf(":"));
    throw new SpillwayError("source_refused", `${clip(scheme)}: URLs cannot be read.`, {
      hint: "Give an http, https, file: or data: URL, a path, or - for stdin.",
    });
  }
  return kind.source(given, context);
}
