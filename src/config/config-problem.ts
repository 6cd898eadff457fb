/** Problems of a configuration: what is wrong, where, and what to do about it. */
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { formatCount } from "../system/quantities.ts";
import { clip, escapePath } from "../system/safe-names.ts";
import { isSettingName, settingNames } from "./settings.ts";
import { nearestName } from "./suggest-name.ts";

export type ProblemPlace =
  | { readonly file: string; readonly line?: number; readonly column?: number }
  | { readonly variable: string }
  | { readonly flag: string };

/** One ignored entry. Its setting keeps the value of the next lower source. */
export type ConfigProblem = {
  readonly place: ProblemPlace;
  /** The setting, or the unknown key (shortened), if the problem concerns one. */
  readonly key?: string;
  readonly sentence: string;
  readonly hint: string;
};

/** `/home/ada/.config/spillway/config.jsonc, line 3, column 5: fit.inline_chars must be ...` */
export function describeProblem({ place, sentence }: ConfigProblem): string {
  return `${describePlace(place)}: ${sentence}`;
}

function describePlace(place: ProblemPlace): string {
  if ("variable" in place) return clip(place.variable);
  if ("flag" in place) return clip(place.flag);
  const file = clip(escapePath(place.file), PATH_CHARS);
  return place.line === undefined ? file : `${file}, line ${place.line}, column ${place.column ?? 1}`;
}

/** More than there are settings; a file can hold thousands of unknown keys. */
const MAX_DESCRIBED = 200;

/** The problems, each with what to do. */
export function describeProblems(problems: readonly ConfigProblem[]): string[] {
  const described = problems.slice(0, MAX_DESCRIBED).map((problem) => `${describeProblem(problem)} ${problem.hint}`);
  const restCount = problems.length - described.length;
  return restCount === 0 ? described : [...described, `And ${formatCount(restCount, "more problem")}.`];
}

/** All problems in a few sentences: the first in full, then which other settings are ignored and where to see all. */
export function summarizeProblems([first, ...others]: readonly ConfigProblem[], seeAll: string): string {
  if (first === undefined) return "";
  const otherProblems = others.length === 0 ? "" : ` Also ignored: ${listIgnored(others)}; ${seeAll}.`;
  return `${describeProblem(first)} ${first.hint}${otherProblems}`;
}

const MAX_LISTED_NAMES = 5;

/**
 * The ignored settings: `artifacts.keep, events.runs, 3 more`. Keys that are not settings are only counted, because
 * somebody else may have written them.
 */
export function listIgnored(problems: readonly ConfigProblem[]): string {
  const names = new Set(problems.flatMap(({ key = "" }) => (isSettingName(key) ? [key] : [])));
  const listed = [...names].slice(0, MAX_LISTED_NAMES);
  const restCount = problems.length - listed.length;
  if (listed.length === 0) return formatCount(restCount, "entry", "entries");
  return [...listed, ...(restCount === 0 ? [] : [`${restCount} more`])].join(", ");
}

/** The problem for an unknown setting in a file or a flag. */
export function unknownSettingProblem(key: string, place: ProblemPlace): ConfigProblem {
  const sentence = `There is no setting ${quote(key)}.`;
  return { place, key: printable(key), sentence, hint: suggestName(nearestName(key, settingNames)) };
}

/** The hint for an unknown name: the most similar one, or where to find them all. */
export function suggestName(name: string | undefined): string {
  return name === undefined ? "`spillway help settings` lists all settings." : `Did you mean ${name}?`;
}

/** External text in quotes. */
export function quote(text: string): string {
  return `"${printable(text)}"`;
}

const MAX_PRINTABLE_CHARS = 60;

/** Shortened, and without control or invisible characters. */
function printable(text: string): string {
  const characters = Array.from(text.slice(0, 2 * (MAX_PRINTABLE_CHARS + 1)));
  const ending = characters.length > MAX_PRINTABLE_CHARS ? "..." : "";
  const visible = characters.slice(0, MAX_PRINTABLE_CHARS).join("");
  return visible.replaceAll(/["\\\p{C}\p{Zl}\p{Zp}]/gu, escapeCharacter) + ending;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
