/** Finds the headings of a Markdown text that arrives in chunks: ATX headings outside fenced code. */
import type { Mark } from "./handler.ts";

/** A function that finds the headings of one chunk after another; it tracks open fences and lines cut between chunks. */
export function createHeadingFinder(): (chunk: string) => Mark[] {
  let fence: string | null = null;
  let atLineStart = true;

  return (chunk) => {
    const marks: Mark[] = [];
    for (const line of chunk.matchAll(headingOrFence)) {
      const { hashes, title = "", ticks = "", info = "" } = line.groups ?? {};
      if (line.index === 0 && !atLineStart) continue;
      if (fence !== null) {
        if (closes(fence, ticks, info)) fence = null;
      } else if (hashes !== undefined) {
        marks.push({ label: trimClosing(title), level: hashes.length, at: line.index });
      } else if (opens(ticks, info)) fence = ticks;
    }
    if (chunk !== "") atLineStart = chunk.endsWith("\n");
    return marks;
  };
}

const headingOrFence =
  /(?<=^|\n) {0,3}(?:(?<hashes>#{1,6})(?:[ \t]+(?<title>[^\n]*))?|(?<ticks>`{3,}|~{3,})(?<info>[^\n]*))(?=\n|$)/g;

/** https://spec.commonmark.org/0.31.2/#fenced-code-blocks: a backtick in the info string makes it inline code. */
function opens(ticks: string, info: string): boolean {
  return ticks.startsWith("~") || !info.includes("`");
}

function closes(fence: string, ticks: string, info: string): boolean {
  return ticks.startsWith(fence) && info.trim() === "";
}

/** `## Title ##` is `Title`. */
function trimClosing(title: string): string {
  return title
    .trim()
    .replace(/(?<=^|[ \t])#+$/, "")
    .trimEnd();
}
