/** The words that stand for a heavy message: what it was, how large, its beginning, and the call that reads on. */
import { cutBetweenCodePoints, splitsPair } from "../fit/measure.ts";
import { TOOL_NAME_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { counted, sizeWords } from "./phrases.ts";

/** What a stub says of the thing it stands for. */
export type StubFacts = {
  readonly ref: string;
  /** `text`, `PDF`, `image`: as every summary line calls it. */
  readonly kind: string;
  readonly sizeBytes: number;
  /** The text that is set aside, or undefined for what cannot be shown as text. */
  readonly text?: string;
  readonly tool?: string;
  readonly name?: string;
  /** How the rest is read where the model stands. */
  readonly reader: StubReader;
};

/** A tool the model can call, or the command line with the file's own path. */
type StubReader = { readonly tool: "read_artifact" } | { readonly path: string | null };

/** A stub with up to so many characters of the text: three quarters from its beginning, the rest from its end. */
export function stubText(facts: StubFacts, shownChars: number): string {
  const shown = excerptOf(facts.text ?? "", shownChars);
  return `${headOf(facts, shown.length)}${shown}`;
}

/** The stub's own line; the number of characters under it makes it recognisable and impossible to fake with more. */
function headOf(facts: StubFacts, shownChars: number): string {
  const { ref, kind, sizeBytes, text, tool, name, reader } = facts;
  const from = tool === undefined ? "" : ` from tool ${clip(tool, TOOL_NAME_CHARS)}`;
  const called = name === undefined ? "" : ` ${JSON.stringify(clip(name))}`;
  const length = text === undefined ? "" : `, ${counted(text.length, "char")}`;
  const shown = shownChars === 0 ? "" : `\nBeginning and end, ${shownChars} chars:\n`;
  return `[${opening} ${kind}${called}${from}, ${sizeWords(sizeBytes)}${length}. ${sourcesOf(text ?? "")}Kept whole as artifact_ref=${ref}. ${readOn(ref, reader)}]${shown}`;
}

/** A result that told of a kept source still does: the source is read by pages and sections, its reply is not. */
function sourcesOf(text: string): string {
  const refs = [...new Set(text.slice(0, headChars).match(/\baf_[0-9a-f]{32}\b/g))].slice(0, mostSources);
  return refs.length === 0 ? "" : `It is about ${refs.map((ref) => `artifact_ref=${ref}`).join(", ")}. `;
}

/** Replies name their sources at the beginning. */
const headChars = 2_000;
const mostSources = 3;

const opening = "Set aside by Spillway to fit the model's limit:";

function readOn(ref: string, reader: StubReader): string {
  if ("tool" in reader) return `To read it: ${reader.tool} with that artifact_ref and offset, lines or query.`;
  const file = reader.path === null ? "" : ` Its bytes: ${reader.path}`;
  return `To read it: spillway read ${ref} (--offset, --lines, --query).${file}`;
}

/** Whether a text is a stub, whole and unchanged. */
export function isStub(text: string): boolean {
  return shownIn(text) !== undefined;
}

/** How many characters of what it stands for a stub shows, or undefined for a text that is no stub. */
export function shownIn(text: string): number | undefined {
  if (!text.startsWith(`[${opening}`)) return undefined;
  const lineEnd = text.slice(0, longestHead + 1).indexOf("\n");
  if (lineEnd < 0 && text.length > longestHead) return undefined;
  const head = lineEnd < 0 ? text : text.slice(0, lineEnd);
  if (!/artifact_ref=af_[0-9a-f]{32}\. To read it: .*\]$/.test(head)) return undefined;
  if (lineEnd < 0) return 0;
  const [mark = "", shownChars = ""] =
    /^\nBeginning and end, (\d+) chars:\n/.exec(text.slice(lineEnd, lineEnd + 60)) ?? [];
  const whole = mark !== "" && text.length === lineEnd + mark.length + Number(shownChars);
  return whole ? Number(shownChars) : undefined;
}

/** Names are clipped and a path is as long as systems let it be. */
const longestHead = 5_000;

function excerptOf(text: string, shownChars: number): string {
  if (shownChars < 1 || text === "") return "";
  if (text.length <= shownChars) return text;
  const gap = "\n[...]\n";
  const room = Math.max(0, shownChars - gap.length);
  const head = cutBetweenCodePoints(text, Math.ceil(room * 0.75));
  const tailStart = text.length - Math.floor(room * 0.25);
  return `${head}${gap}${text.slice(splitsPair(text, tailStart) ? tailStart + 1 : tailStart)}`;
}
