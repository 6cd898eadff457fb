/** Problems of a configuration: what is wrong, where, and what to do about it. */
import { settingNames } from "./settings.ts";
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
  if ("variable" in place) return place.variable;
  if ("flag" in place) return place.flag;
  return place.line === undefined ? place.file : `${place.file}, line ${place.line}, column ${place.column ?? 1}`;
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
