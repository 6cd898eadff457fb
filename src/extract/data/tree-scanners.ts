/** The scanner of each tree format. */
import { scanJson } from "./json-scanner.ts";
import type { TreeEvents, TreeScanner } from "./tree-events.ts";
import { scanXmlTree } from "./xml-scanner.ts";
import { scanYaml } from "./yaml-scanner.ts";

export type TreeFormat = "json" | "ndjson" | "xml" | "yaml";

type TreeOptions = {
  /** Whether keys of XML say which of several elements of a name it is. */
  readonly isNumbered: boolean;
};

/** A scanner for a text that begins with `start`. */
export function makeTreeScanner(
  format: TreeFormat,
  start: string,
  events: TreeEvents,
  options: TreeOptions,
): TreeScanner {
  if (format === "xml") return scanXmlTree(events, options);
  if (format === "yaml") return scanYaml(events, { isStream: hasSeveralDocuments(start) });
  return format === "ndjson" ? asElements(events) : scanJson(events);
}

/** Whether dashes separate documents: some before the first one are only its start. */
function hasSeveralDocuments(start: string): boolean {
  const lines = start.split("\n").filter((line) => !/^\s*(?:[#%].*)?$/.test(line));
  return lines.slice(1).some((line) => /^---(\s|$)/.test(line));
}

/** One value a line, as the elements of an array. */
function asElements(events: TreeEvents): TreeScanner {
  events.open("array", 0);
  const scanner = scanJson(events);
  let length = 0;
  return {
    write(text) {
      length += text.length;
      scanner.write(text);
    },
    end() {
      scanner.end();
      if (!events.isDone) events.close(length);
    },
  };
}
