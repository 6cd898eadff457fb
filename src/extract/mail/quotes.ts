/** Puts the quoted history of a mail below what is new, under a heading of its own. */

/** Lines that introduce the mail that was answered, in the forms that mail programs write. */
const introductions = [
  /^-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}/i,
  /^(on|am|le|el|il) .{6,200}(wrote|schrieb|a écrit|escribió|ha scritto).{0,60}:?\s*$/i,
  /^_{20,}$/,
];

/** A reply in between quotes is left as it is: only a history that runs to the end is moved. */
export function foldQuotes(body: string): string {
  const lines = body.split("\n");
  const start = findHistory(lines);
  if (start === undefined || start === 0) return body;
  const history = lines.slice(start).join("\n").trim();
  const text = lines.slice(0, start).join("\n").trimEnd();
  if (history.length < MIN_HISTORY_CHARS || text.trim() === "") return body;
  return `${text}\n\n## Earlier messages\n\n${history}`;
}

/** A shorter quote is part of the answer. */
const MIN_HISTORY_CHARS = 300;

function findHistory(lines: readonly string[]): number | undefined {
  const introduced = lines.findIndex((line) => introductions.some((pattern) => pattern.test(line.trim())));
  if (introduced !== -1) return introduced;
  let start = lines.length;
  while (start > 0 && /^\s*(>|$)/.test(lines[start - 1] ?? "")) start--;
  const hasQuote = lines.slice(start).some((line) => /^\s*>/.test(line));
  return hasQuote ? start : undefined;
}
