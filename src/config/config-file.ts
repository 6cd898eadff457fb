/** Reads one JSONC config file into settings with their positions. Every fault becomes a problem. */
import { readFile, stat } from "node:fs/promises";
import { devNull } from "node:os";
import type { Node, ParseError } from "jsonc-parser";
import { systemCode } from "../errors.ts";
import { type ConfigProblem, type ProblemPlace, unknownSettingProblem } from "./config-problem.ts";
import { isSettingName, type SettingName, settingNames } from "./settings.ts";

/** A setting as written in the file, before it is validated. */
export type Entry = { readonly name: SettingName; readonly value: unknown; readonly place: ProblemPlace };

export type ReadEntries = { readonly entries: readonly Entry[]; readonly problems: readonly ConfigProblem[] };

/** Not a setting, because no settings are loaded yet. Far more than all settings with comments need. */
const MAX_FILE_BYTES = 64 * 1024;

/** The file's settings, or undefined if there is no file. A file with a syntax error is ignored as a whole. */
export async function readConfigFile(file: string): Promise<ReadEntries | undefined> {
  if (file === devNull) return { entries: [], problems: [] };
  const text = await readText(file);
  if (text === undefined) return undefined;
  return typeof text === "string" ? parseEntries(file, text) : { entries: [], problems: [text] };
}

async function readText(file: string): Promise<string | ConfigProblem | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return notAFile(file, stats.isDirectory() ? "a folder" : "not a regular file");
    if (stats.size > MAX_FILE_BYTES) return tooLarge(file, stats.size);
    return decode(file, await readFile(file));
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : unreadable(file, code ?? String(error));
  }
}

function decode(file: string, bytes: Uint8Array): string | ConfigProblem {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // Drops a byte order mark.
  } catch {
    return {
      place: { file },
      sentence: "The config file is not valid UTF-8, so none of its settings are used.",
      hint: "Save it as UTF-8.",
    };
  }
}

function notAFile(file: string, thing: string): ConfigProblem {
  return {
    place: { file },
    sentence: `The config file is ${thing}, so nothing was read from it.`,
    hint: "Put a JSON file with comments at that path, or remove what is there.",
  };
}

function tooLarge(file: string, sizeBytes: number): ConfigProblem {
  return {
    place: { file },
    sentence: `The config file has ${sizeBytes} bytes, more than the ${MAX_FILE_BYTES} that are read, so none of its settings are used.`,
    hint: "Shorten it; docs/settings.md lists all that it can hold.",
  };
}

function unreadable(file: string, reason: string): ConfigProblem {
  return {
    place: { file },
    sentence: `The config file cannot be read (${reason}), so none of its settings are used.`,
    hint: "Let this user read the file and its folder.",
  };
}

async function parseEntries(file: string, text: string): Promise<ReadEntries> {
  // Loaded lazily, so that a start without a config file does not load the parser.
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const placeOf = placesIn(file, text);
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [error] = errors;
    if (error !== undefined) return refuseFile(placeOf(error.offset), syntaxFault(printParseErrorCode(error.error)));
    if (root === undefined) return { entries: [], problems: [] };
    return root.type === "object" ? collect(root, placeOf) : refuseFile(placeOf(root.offset), "one object is expected");
  } catch (error) {
    if (error instanceof RangeError) return refuseFile({ file }, "its lists or objects are nested too deeply");
    throw error;
  }
}

function refuseFile(place: ProblemPlace, fault: string): ReadEntries {
  const sentence = `The config file is not valid JSON with comments (${fault}), so none of its settings are used.`;
  const hint = 'Fix it there. Sizes, durations and numbers with separators go in quotes: "64 MiB", "30_000".';
  return { entries: [], problems: [{ place, sentence, hint }] };
}

const syntaxFaults: Readonly<Record<string, string>> = {
  InvalidSymbol: "a word or character that JSON does not allow",
  InvalidNumberFormat: "a malformed number",
  PropertyNameExpected: "a key in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: "a colon is expected",
  CommaExpected: "a comma is expected",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "there is more after the end of the object",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a string is not closed",
  UnexpectedEndOfNumber: "a number is not finished",
  InvalidUnicode: "a malformed \\u escape",
  InvalidEscapeCharacter: "an unknown escape after a backslash; double the backslashes of a path",
  InvalidCharacter: "a control character inside a string",
};

function syntaxFault(code: string): string {
  return syntaxFaults[code] ?? code;
}

type PlaceOf = (offset: number) => ProblemPlace;

function placesIn(file: string, text: string): PlaceOf {
  const starts = [0, ...text.matchAll(/\r\n|\r|\n/g).map((end) => end.index + end[0].length)];
  return (offset) => {
    const index = starts.findLastIndex((start) => start <= offset);
    return { file, line: index + 1, column: offset - (starts[index] ?? 0) + 1 };
  };
}

function collect(root: Node, placeOf: PlaceOf): ReadEntries {
  const entries: Entry[] = [];
  const problems: ConfigProblem[] = [];
  for (const { key, keyNode, value } of properties(root, "")) {
    const place = placeOf(keyNode.offset);
    if (isSettingName(key)) entries.push({ name: key, value: plainValue(value), place });
    else problems.push(isGroup(key) ? notAnObject(key, place) : unknownSettingProblem(key, place));
  }
  return { entries, problems };
}

type Property = { readonly key: string; readonly keyNode: Node; readonly value: Node };

/** Every property with its dotted key; `{"fit": {"read_chars": 1}}` and `{"fit.read_chars": 1}` are equivalent. */
function* properties(object: Node, prefix: string): Generator<Property> {
  for (const { children: [keyNode, value] = [] } of object.children ?? []) {
    if (keyNode === undefined || value === undefined) continue; // Only a syntax error leaves a key without a value.
    const key = `${prefix}${keyNode.value}`;
    if (key === "$schema") continue;
    if (value.type === "object" && isGroup(key)) yield* properties(value, `${key}.`);
    else yield { key, keyNode, value };
  }
}

function isGroup(key: string): boolean {
  return settingNames.some((name) => name.startsWith(`${key}.`));
}

/** As deep as a setting can be nested: a list, or headers by host. Deeper nesting is always wrong. */
function plainValue(node: Node, depth = 0): unknown {
  const children = depth < 3 ? (node.children ?? []) : [];
  if (node.type === "array") return children.map((item) => plainValue(item, depth + 1));
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[String(key.value), plainValue(value, depth + 1)]],
    ),
  );
}

function notAnObject(key: string, place: ProblemPlace): ConfigProblem {
  const [example] = settingNames.filter((name) => name.startsWith(`${key}.`));
  return {
    place,
    key,
    sentence: `${key} is a group of settings, not a setting.`,
    hint: `Write an object of settings there, or a full name such as "${example}".`,
  };
}
