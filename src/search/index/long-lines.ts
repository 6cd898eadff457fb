/** Definitions inside very long lines, as bundles and minified code have them. */
import { type Definition, definitionRanks } from "./definitions.ts";

/** A line of source is shorter; a longer one may define many names. */
export const LONG_LINE_CHARS = 1_000;

/** Names of one or two characters are made by a minifier and say nothing. */
const typePattern =
  /(?<![\w$.])(?:class|interface|struct|enum|trait)\s+([A-Za-z_$][\w$]{2,})(?=\s*(?:[{<(:]|extends\b|implements\b))/g;
const functionPattern = /(?<![\w$.])(?:function\*?|def|fn|func|fun)\s+([A-Za-z_$][\w$]{2,})(?=\s*[(<])/g;
const exportPattern = /(?<![\w$.])(?:module\.)?exports\.([A-Za-z_$][\w$]{2,})\s*=(?!=)/g;

/** The names that a long line defines, in order, at most so many. */
export function findInnerDefinitions(text: string, start: number, end: number, limit: number): Definition[] {
  const line = text.slice(start, end);
  const find = (pattern: RegExp, rank: Definition["rank"]): Definition[] =>
    line
      .matchAll(pattern)
      .take(limit)
      .map((match) => {
        const nameStart = start + match.index + match[0].lastIndexOf(match[1] ?? "");
        return { start: nameStart, end: nameStart + (match[1]?.length ?? 0), rank };
      })
      .toArray();
  return [
    ...find(typePattern, definitionRanks.type),
    ...find(functionPattern, definitionRanks.function),
    ...find(exportPattern, definitionRanks.value),
  ]
    .sort((one, other) => one.start - other.start)
    .slice(0, limit);
}
