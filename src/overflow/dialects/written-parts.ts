/** Long texts that the model wrote into calls, or the user into messages. */
import { isStub } from "../../answer/stub-text.ts";
import { type Path, spliceEdits } from "../../system/json-edits.ts";
import { toFields, toItems, toText, type WrittenPart } from "./dialect.ts";

/** A shorter argument is not worth a stub that the model has to look up. */
const MIN_ARGUMENT_CHARS = 1_000;
/** Whatever the user typed is shorter. */
const MIN_PASTE_CHARS = 8_000;

/** The text of an earlier message of the user, if it is so long that it was pasted. */
export function findPaste(value: unknown, path: Path): WrittenPart[] {
  const text = toText(value);
  if (text === undefined || text.length < MIN_PASTE_CHARS || isStub(text)) return [];
  return [{ path, role: "paste", content: { text }, isNewest: false, makeReplacement: (stub) => stub }];
}

/** The same for a content that is a text or a list of blocks. */
export function findUserPastes(content: unknown, path: Path): readonly WrittenPart[] {
  if (typeof content === "string") return findPaste(content, path);
  return toItems(content).flatMap((block, index) => findPaste(toFields(block).text, [...path, index, "text"]));
}

/** The long texts in the arguments of an earlier call. */
export function findArguments(value: unknown, path: Path, tool: unknown): WrittenPart[] {
  return findLongTexts(value, []).map((leaf) => ({
    ...callPart(leaf.text, tool),
    path: [...path, ...leaf.path],
    makeReplacement: (stub) => stub,
  }));
}

/** The same where the arguments are JSON in a string. Only their longest text is replaced: a string is one value. */
export function findJsonArguments(value: unknown, path: Path, tool: unknown): WrittenPart[] {
  const json = toText(value) ?? "";
  if (json.length < MIN_ARGUMENT_CHARS) return [];
  const texts = findLongTexts(parseObject(json), []);
  const longest = texts.toSorted((one, other) => other.text.length - one.text.length)[0];
  if (longest === undefined) return [];
  const makeReplacement = (stub: string) => spliceEdits(json, [{ path: longest.path, value: stub }]);
  return [{ ...callPart(longest.text, tool), path, makeReplacement }];
}

function callPart(text: string, tool: unknown): Pick<WrittenPart, "role" | "content" | "isNewest" | "tool"> {
  const name = toText(tool);
  return { role: "call", content: { text }, isNewest: false, ...(name === undefined ? {} : { tool: name }) };
}

type LongText = { readonly path: Path; readonly text: string };

/** Edits of files are lists of objects: arguments are searched to this depth. */
const MAX_DEPTH = 4;

function findLongTexts(value: unknown, path: Path): LongText[] {
  if (typeof value === "string")
    return value.length >= MIN_ARGUMENT_CHARS && !isStub(value) ? [{ path, text: value }] : [];
  if (typeof value !== "object" || value === null || path.length === MAX_DEPTH) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(toFields(value));
  return entries.flatMap(([key, inner]) => findLongTexts(inner, [...path, key]));
}

function parseObject(json: string): unknown {
  try {
    return toFields(JSON.parse(json));
  } catch {
    return undefined; // A model may write arguments that are not JSON; they stay.
  }
}
