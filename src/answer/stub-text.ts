/** The stub that replaces a heavy message: what it was, how large, an excerpt, and the call that reads all of it. */
import { cutBetweenCodePoints, splitsPair } from "../fit/measure.ts";
import { TOOL_NAME_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { formatCount, formatSize } from "./phrases.ts";

/** What a stub says about what it replaces. */
export type StubFacts = {
  readonly ref: string;
  /** `text`, `PDF`, `image`: as every summary line calls it. */
  readonly kind: string;
  readonly sizeBytes: number;
  /** The replaced text; undefined for what cannot be shown as text. */
  readonly text?: string;
  readonly tool?: string;
  /** Where the text was, unless it was a tool's result or an attachment. */
  readonly place?: "call" | "message";
  readonly name?: string;
  /** How the model can read the rest. */
  readonly reader: StubReader;
};

/** A tool the model can call, or the command line with the file's own path. */
type StubReader = { readonly tool: "read_artifact" } | { readonly path: string | null };

/** A stub with at most `shownChars` of the text: three quarters from its beginning, the rest from its end. */
export function makeStub(facts: StubFacts, shownChars: number): string {
  const excerpt = replaceControls(cutExcerpt(facts.text ?? "", shownChars));
  return `${stubHead(facts, excerpt.length)}${excerpt}`;
}

/** Terminal escapes, direction overrides and invisible tags become U+FFFD; the kept text is unchanged. */
function replaceControls(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n");
  return lines.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g, "\ufffd");
}

/** The first line of a stub. The number of characters below it identifies a stub: no text can be appended unnoticed. */
function stubHead(facts: StubFacts, shownChars: number): string {
  const { ref, kind, sizeBytes, text, name, reader } = facts;
  const quotedName = name === undefined ? "" : ` ${JSON.stringify(clip(name))}`;
  const length = text === undefined ? "" : `, ${formatCount(text.length, "char")}`;
  const excerptLine = shownChars === 0 ? "" : `\nBeginning and end, ${shownChars} chars:\n`;
  return `[${OPENING} ${kind}${quotedName}${originOf(facts)}, ${formatSize(sizeBytes)}${length}. ${namedSources(text ?? "")}Kept whole as artifact_ref=${ref}. ${howToRead(ref, reader)}]${excerptLine}`;
}

function originOf({ tool, place }: StubFacts): string {
  if (place === "message") return " from the user";
  const name = tool === undefined ? undefined : clip(tool, TOOL_NAME_CHARS);
  if (place === "call") return ` that was given to ${name ?? "a tool"}`;
  return name === undefined ? "" : ` from tool ${name}`;
}

/** The stub of a reply about kept sources still names them: a source can be read by pages, its reply cannot. */
function namedSources(text: string): string {
  const refs = [...new Set(text.slice(0, REFS_WITHIN_CHARS).match(/\baf_[0-9a-f]{32}\b/g))].slice(0, MAX_SOURCES);
  return refs.length === 0 ? "" : `It is about ${refs.map((ref) => `artifact_ref=${ref}`).join(", ")}. `;
}

/** Replies name their sources at the beginning. */
const REFS_WITHIN_CHARS = 2_000;
const MAX_SOURCES = 3;

const OPENING = "Set aside by Spillway to fit the model's limit:";

function howToRead(ref: string, reader: StubReader): string {
  if ("tool" in reader) return `To read it: ${reader.tool} with that artifact_ref and offset, lines or query.`;
  const file = reader.path === null ? "" : ` Its bytes: ${reader.path}`;
  return `To read it: spillway read ${ref} (--offset, --lines, --query).${file}`;
}

/** Whether a text is a complete, unchanged stub. */
export function isStub(text: string): boolean {
  return countShownChars(text) !== undefined;
}

/** How many characters of the replaced text a stub shows; undefined for a text that is not a stub. */
export function countShownChars(text: string): number | undefined {
  if (!text.startsWith(`[${OPENING}`)) return undefined;
  const lineEnd = text.slice(0, MAX_HEAD_CHARS + 1).indexOf("\n");
  if (lineEnd < 0 && text.length > MAX_HEAD_CHARS) return undefined;
  const head = lineEnd < 0 ? text : text.slice(0, lineEnd);
  if (!/artifact_ref=af_[0-9a-f]{32}\. To read it: .*\]$/.test(head)) return undefined;
  if (lineEnd < 0) return 0;
  const [mark = "", shownChars = ""] =
    /^\nBeginning and end, (\d+) chars:\n/.exec(text.slice(lineEnd, lineEnd + 60)) ?? [];
  const isWhole = mark !== "" && text.length === lineEnd + mark.length + Number(shownChars);
  return isWhole ? Number(shownChars) : undefined;
}

/** Names are clipped; a path may be as long as systems allow. */
const MAX_HEAD_CHARS = 5_000;

function cutExcerpt(text: string, shownChars: number): string {
  if (shownChars < 1 || text === "") return "";
  if (text.length <= shownChars) return text;
  const gap = "\n[...]\n";
  const room = Math.max(0, shownChars - gap.length);
  const head = cutBetweenCodePoints(text, Math.ceil(room * 0.75));
  const tailStart = text.length - Math.floor(room * 0.25);
  return `${head}${gap}${text.slice(splitsPair(text, tailStart) ? tailStart + 1 : tailStart)}`;
}
