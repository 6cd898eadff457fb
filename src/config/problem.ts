/** What can be wrong with a configuration, where it is, and what to do about it. */
import { settingNames } from "./settings.ts";
import { nearestName } from "./suggest.ts";

export type ProblemPlace =
  | { readonly file: string; readonly line?: number; readonly column?: number }
  | { readonly variable: string }
  | { readonly flag: string };

/** One thing that did not count. The setting it was meant for keeps the value of the next lower source. */
export type ConfigProblem = {
  readonly at: ProblemPlace;
  /** The setting, or the unknown key as it was written (shortened), where the problem is about one. */
  readonly key?: string;
  readonly sentence: string;
  readonly hint: string;
};

/** `/home/ada/.config/spillway/config.jsonc, line 3, column 5: fit.inline_chars must be ...` */
export function describeProblem({ at, sentence }: ConfigProblem): string {
  return `${describePlace(at)}: ${sentence}`;
}

function describePlace(at: ProblemPlace): string {
  if ("variable" in at) return at.variable;
  if ("flag" in at) return at.flag;
  return at.line === undefined ? at.file : `${at.file}, line ${at.line}, column ${at.column ?? 1}`;
}

/** For a name, in a file or a flag, that the table does not have. */
export function unknownSetting(key: string, at: ProblemPlace): ConfigProblem {
  const sentence = `There is no setting ${quoted(key)}.`;
  return { at, key: printable(key), sentence, hint: suggestion(nearestName(key, settingNames)) };
}

/** The hint for an unknown name: the one that was probably meant, or where to find them all. */
export function suggestion(meant: string | undefined): string {
  return meant === undefined ? "`spillway help settings` lists all settings." : `Did you mean ${meant}?`;
}

/** Text from outside, in quotes. */
export function quoted(text: string): string {
  return `"${printable(text)}"`;
}

const printableChars = 60;

/** Short, and with nothing in it that could steer a terminal or hide from a reader. */
function printable(text: string): string {
  const characters = Array.from(text.slice(0, 2 * (printableChars + 1)));
  const ending = characters.length > printableChars ? "..." : "";
  const shown = characters.slice(0, printableChars).join("");
  return shown.replaceAll(/["\\\p{C}\p{Zl}\p{Zp}]/gu, escaped) + ending;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
