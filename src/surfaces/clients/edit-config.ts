/** Changes one place of a config text and checks the result: everything else of its value stays equal. */
import { isDeepStrictEqual } from "node:util";
import { SpillwayError } from "../../errors.ts";
import { isRecord } from "../../system/json-values.ts";
import {
  type ConfigFormat,
  ConfigFormError,
  type ConfigPath,
  ConfigSyntaxError,
  type ConfigValue,
  type PathStep,
} from "./formats/config-format.ts";

/** A text with its format and the path that errors name. */
export type ConfigText = { readonly text: string; readonly format: ConfigFormat; readonly path: string };

/** The value of a config. */
export function parseConfig({ text, format, path }: ConfigText): unknown {
  try {
    return format.parse(text);
  } catch (cause) {
    if (!(cause instanceof ConfigSyntaxError)) throw cause;
    throw new SpillwayError("client_config", `${path} is malformed: ${cause.message}.`, {
      hint: "Fix the file there, or let its program write it, then try again. It was not changed.",
      cause,
    });
  }
}

/** The text with a value at a path. */
export function setValue(config: ConfigText, path: ConfigPath, value: ConfigValue): string {
  const expected = setAt(parseConfig(config), path, value);
  return editText(config, [expected], () => config.format.set(config.text, path, value));
}

/** The text without what is at a path. Where a map exists by its entries only, as in TOML, it goes with the last one. */
export function removeValue(config: ConfigText, path: ConfigPath): string {
  const expected = removeAt(parseConfig(config), path);
  const pruned = pruneEmpty(expected, path.slice(0, -1));
  return editText(config, [expected, pruned], () => config.format.remove(config.text, path));
}

/** What is at a path of a parsed config; undefined if nothing is. */
export function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce((inner, step) => {
    if (typeof step !== "string") return Array.isArray(inner) ? inner.find((item) => isNamed(item, step)) : undefined;
    return isRecord(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  }, value);
}

/** Edits, and refuses a result whose value is not an expected one: the text has a form that the editor does not know. */
function editText({ format, path }: ConfigText, expected: readonly unknown[], edit: () => string): string {
  try {
    const edited = edit();
    const value = toPlain(format.parse(edited));
    if (expected.some((each) => isDeepStrictEqual(value, toPlain(each)))) return edited;
    throw new ConfigFormError("the change would touch something else");
  } catch (cause) {
    if (!(cause instanceof ConfigFormError || cause instanceof ConfigSyntaxError)) throw cause;
    throw new SpillwayError("client_config", `${path} cannot be changed safely: ${cause.message}.`, {
      hint: "Change the entry by hand; docs/install.md shows its form. The file was not changed.",
      cause,
    });
  }
}

/** Without prototypes, so that values of two parsers are equal. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, toPlain(field)]));
}

function isNamed(item: unknown, step: Exclude<PathStep, string>): boolean {
  return isRecord(item) && item.name === step.named;
}

function setAt(value: unknown, [step, ...rest]: ConfigPath, leaf: ConfigValue): unknown {
  if (step === undefined) return leaf;
  if (typeof step === "string") {
    const map = isRecord(value) ? value : {};
    return { ...map, [step]: setAt(valueAt(map, [step]), rest, leaf) };
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const index = items.findIndex((item) => isNamed(item, step));
  return index === -1 ? [...items, setAt(undefined, rest, leaf)] : items.with(index, setAt(items[index], rest, leaf));
}

function removeAt(value: unknown, [step, ...rest]: ConfigPath): unknown {
  if (step === undefined || valueAt(value, [step]) === undefined) return value;
  if (typeof step !== "string") {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    const index = items.findIndex((item) => isNamed(item, step));
    return rest.length === 0 ? items.toSpliced(index, 1) : items.with(index, removeAt(items[index], rest));
  }
  if (!isRecord(value)) return value;
  const { [step]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...value, [step]: removeAt(inner, rest) };
}

/** Without the maps on a path that have no entries, from the innermost outwards. */
function pruneEmpty(value: unknown, path: ConfigPath): unknown {
  const inner = valueAt(value, path);
  const isEmpty = path.length > 0 && isRecord(inner) && Object.keys(inner).length === 0;
  return isEmpty ? pruneEmpty(removeAt(value, path), path.slice(0, -1)) : value;
}
