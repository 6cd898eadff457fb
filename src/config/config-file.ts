/** Reads one JSONC config file into settings with their positions. Every fault becomes a problem. */
import type { Stats } from "node:fs";
import { devNull } from "node:os";
import type { Node, ParseError } from "jsonc-parser";
import { systemCode } from "../errors.ts";
import { isLinked, readSmallFile } from "../system/small-file.ts";
import { type ConfigProblem, type ProblemPlace, unknownSettingProblem } from "./config-problem.ts";
import { isSettingName, type SettingName, settingNames } from "./settings.ts";

/** A setting as written in the file, before it is validated. */
export type Entry = { readonly name: SettingName; readonly value: unknown; readonly place: ProblemPlace };

export type ReadEntries = { readonly entries: readonly Entry[]; readonly problems: readonly ConfigProblem[] };

/** Not a setting, because no settings are loaded yet. Far more than all settings with comments need. */
const MAX_FILE_BYTES = 64 * 1024;

/**
 * Why a file is read: the user named it, it is at the user's default place, or it lies in a project. A named file may
 * belong to anybody; the other two must be the user's.
 */
type FileTrust = "named" | "user" | "project";

/** The file's settings, or undefined if there is no file. A file with a syntax error is ignored as a whole. */
export async function readConfigFile(file: string, trust: FileTrust): Promise<ReadEntries | undefined> {
  if (file === devNull) return { entries: [], problems: [] };
  const text = readConfigText(file, trust);
  if (text === undefined) return undefined;
  return typeof text === "string" ? parseEntries(file, text) : { entries: [], problems: [text] };
}

/** The text of a file that may be trusted so far, why it may not, or undefined if there is none. */
export function readConfigText(file: string, trust: FileTrust): string | ConfigProblem | undefined {
  try {
    if (trust === "project" && isLinked(file)) return makeLinkProblem(file);
    const read = readSmallFile(file, MAX_FILE_BYTES);
    if ("instead" in read) return makeFileTypeProblem(file, read.instead);
    const fault = trust === "named" ? undefined : findOwnerFault(read.stats, trust);
    if (fault !== undefined) return makeTrustProblem(file, fault, trust);
    return read.bytes.length > MAX_FILE_BYTES ? makeSizeProblem(file, read.stats.size) : decode(file, read.bytes);
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : unreadable(file, code ?? String(error));
  }
}

const WRITABLE_BY_ALL = 0o002;

/** What makes a file somebody else's. Files of the system's administrator are trusted; Windows has no such numbers. */
function findOwnerFault({ uid, mode }: Stats, trust: FileTrust): string | undefined {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  if (uid !== ownUid && uid !== 0) return "belongs to another user";
  return trust === "user" && (mode & WRITABLE_BY_ALL) !== 0 ? "can be written by every user" : undefined;
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

function makeFileTypeProblem(file: string, thing: string): ConfigProblem {
  return {
    place: { file },
    sentence: `The config file is ${thing}, so nothing was read from it.`,
    hint: "Put a JSON file with comments at that path, or remove what is there.",
  };
}

function makeLinkProblem(file: string): ConfigProblem {
  return {
    place: { file },
    sentence: "A project's config file is not read through a symbolic link, so none of its settings are used.",
    hint: "Put the file itself there, or set the settings in your own config file.",
  };
}

function makeTrustProblem(file: string, fault: string, trust: FileTrust): ConfigProblem {
  const alternative = trust === "user" ? ", or name it with SPILLWAY_CONFIG" : "";
  return {
    place: { file },
    sentence: `The config file ${fault}, so none of its settings are used.`,
    hint: `If you trust what it says, make it yours alone (chown, chmod 600)${alternative}.`,
  };
}

function makeSizeProblem(file: string, sizeBytes: number): ConfigProblem {
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
    hint: reason === "ENAMETOOLONG" ? "Use a shorter path." : "Let this user read the file and its folder.",
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

/** What is wrong with a JSON text, in words, by the code of the parser. */
export function syntaxFault(code: string): string {
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
