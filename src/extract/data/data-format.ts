/** Decides which data format a text has, so that its shape can be shown and its rows or paths read. */

/** Formats whose shape is shown. `rows` are read in tables and records, `path` in trees. */
export type DataFormat = "csv" | "tsv" | "ndjson" | "json" | "xml" | "yaml" | "log";

/** What decides: the media type, the name, and the first characters. */
type DataClaims = { readonly media_type: string; readonly name: string };

/** How many characters of a text are looked at. */
export const SNIFFED_CHARS = 16 * 1024;

/** The format of a data file; undefined for prose, code and everything else. */
export function findDataFormat({ media_type, name }: DataClaims, start: string): DataFormat | undefined {
  const claimed = mediaTypes.find(([pattern]) => pattern.test(media_type))?.[1];
  if (claimed !== undefined && claimed !== "json") return claimed;
  if ((claimed === "json" || media_type === "text/plain") && isJsonLines(start)) return "ndjson";
  if (claimed === "json") return claimed;
  return media_type === "text/plain" && isLog(name, start) ? "log" : undefined;
}

/** Pages and pictures in XML are read by other handlers. */
const mediaTypes: readonly (readonly [RegExp, DataFormat])[] = [
  [/^text\/csv$/, "csv"],
  [/^text\/tab-separated-values$/, "tsv"],
  [/^application\/(x-)?(ndjson|jsonl|json-seq|jsonlines)$/, "ndjson"],
  [/^(application|text)\/(json|.+\+json)$/, "json"],
  [/^(?!application\/xhtml)(application|text)\/(xml|.+\+xml)$/, "xml"],
  [/^(application|text)\/(x-)?yaml$/, "yaml"],
];

/** Whether each line is a JSON value of its own. */
function isJsonLines(start: string): boolean {
  const [first = "", second = ""] = start.split("\n").filter((line) => line.trim() !== "");
  if (!/^\s*[{[]/.test(first) || !/^\s*[{[]/.test(second)) return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false; // A value that spans several lines, or damage.
  }
}

/** A time as logs write it, near the start of a line. */
export const LOG_TIME =
  /\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d/;

/** Access logs write the host and the user before the time. */
export const LOG_TIME_CHARS = 100;

const MIN_TIMED_LINES = 4;

/** Most lines of a log begin with a time; a stack trace may follow. A file named like a log needs fewer. */
function isLog(name: string, start: string): boolean {
  const lines = start.split("\n", 100).filter((line) => line.trim() !== "");
  const timed = lines.filter((line) => LOG_TIME.test(line.slice(0, LOG_TIME_CHARS))).length;
  const share = /\.log(\.\d+)?$/i.test(name) ? 0.1 : 0.6;
  return timed >= MIN_TIMED_LINES && timed >= share * lines.length;
}
