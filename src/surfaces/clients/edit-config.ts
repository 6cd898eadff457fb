/** Changes one place of a config text and checks the result: everything else of its value stays equal. */
import { isDeepStrictEqual } from "node:util";
import { SpillwayError } from "../../errors.ts";
import { isRecord } from "../../system/json-values.ts";
import {
  type ConfigChange,
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

/** The text after changes of different places. Where a map exists by its entries only, as in TOML, it goes with the last one. */
export function editConfig(config: ConfigText, changes: readonly ConfigChange[]): string {
  const expected = parseConfig(config);
  const pruned = parseConfig(config);
  for (const { path, value } of changes) {
    for (const each of [expected, pruned]) changeAt(each, path, value);
    if (value === undefined) pruneEmpty(pruned, path.slice(0, -1));
  }
  return editText(config, [expected, pruned], () => config.format.edit(config.text, changes));
}

/** The text with a value at a path. */
export const setValue = (config: ConfigText, path: ConfigPath, value: ConfigValue): string =>
  editConfig(config, [{ path, value }]);

/** The text without what is at a path. */
export const removeValue = (config: ConfigText, path: ConfigPath): string =>
  editConfig(config, [{ path, value: undefined }]);

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

/** Puts a value at a path of a parsed config, or removes what is there. */
function changeAt(config: unknown, path: ConfigPath, value: ConfigValue | undefined): void {
  const [step, ...rest] = path;
  if (step === undefined || (value === undefined && valueAt(config, path) === undefined)) return;
  const key = typeof step === "string" ? step : findIndex(config, step);
  if (!isContainer(config)) return; // The text cannot be changed there either, which its format reports.
  if (rest.length > 0) {
    if (!isContainer(config[key])) define(config, key, typeof rest[0] === "string" ? {} : []);
    changeAt(config[key], rest, value);
  } else if (value !== undefined) define(config, key, structuredClone(value));
  else if (Array.isArray(config)) config.splice(Number(key), 1);
  else delete config[key];
}

type Container = Record<string | number, unknown>;

const isContainer = (value: unknown): value is Container => isRecord(value) || Array.isArray(value);

/** Also for keys such as `__proto__`. */
function define(container: Container, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The index of a named item, or the one that it will have. */
function findIndex(list: unknown, step: Exclude<PathStep, string>): number {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const index = items.findIndex((item) => isNamed(item, step));
  return index === -1 ? items.length : index;
}

/** Removes the maps on a path that have no entries, from the innermost outwards. */
function pruneEmpty(config: unknown, path: ConfigPath): void {
  const inner = valueAt(config, path);
  if (path.length === 0 || !isRecord(inner) || Object.keys(inner).length > 0) return;
  changeAt(config, path, undefined);
  pruneEmpty(config, path.slice(0, -1));
}
