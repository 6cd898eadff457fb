/** Paths into data: `$.items[3].name`, with `["odd key"]` for names that are not words. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";

/** A name in an object, or a number in an array, from 0. */
export type PathStep = string | number;

const STEP =
  /\.?([\p{L}\p{N}_$@*-][\p{L}\p{N}_$@:*-]*)|\[(\d{1,15})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/uy;

const MAX_STEPS = 100;

/** The steps of a path; `$` alone is the whole text. */
export function parsePath(text: string): PathStep[] {
  const steps: PathStep[] = [];
  for (let at = text.startsWith("$") ? 1 : 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const [, name, index, doubleQuoted, singleQuoted] = STEP.exec(text) ?? [];
    const quoted = doubleQuoted ?? singleQuoted;
    const step = index === undefined ? (name ?? quoted?.replaceAll(/\\(.)/g, "$1")) : Number(index);
    if (step === undefined || (name !== undefined && at > 1 && text[at] !== ".") || steps.length === MAX_STEPS)
      throw makePathError(text);
    steps.push(step);
  }
  return steps;
}

function makePathError(text: string): SpillwayError {
  return new SpillwayError("selector_invalid", `${JSON.stringify(clip(text))} is not a path.`, {
    hint: 'Write names and numbers from 0, such as $.items[3].name or $["odd key"].',
  });
}

/** `.name`, or `["odd name"]`. */
export const formatKey = (name: string): string =>
  /^[\p{L}_$@][\p{L}\p{N}_$@:-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;

/** The path as it is written. */
export const formatPath = (steps: readonly PathStep[]): string =>
  `$${steps.map((step) => (typeof step === "number" ? `[${step}]` : formatKey(step))).join("")}`;
