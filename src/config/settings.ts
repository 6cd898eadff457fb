/**
 * The one table of settings. Environment variables, the config file's schema, CLI help and docs/settings.md are made
 * from these rows, so a description cannot promise what the code does not do.
 */
import { documentsRows } from "./rows/documents-rows.ts";
import { generalRows } from "./rows/general-rows.ts";
import { modelsRows } from "./rows/models-rows.ts";
import { networkRows } from "./rows/network-rows.ts";
import { searchRows } from "./rows/search-rows.ts";
import { serversRows } from "./rows/servers-rows.ts";
import type { HostHeaders, SettingRow } from "./rows/setting-row.ts";
import { storeRows } from "./rows/store-rows.ts";

export const settingRows = {
  ...generalRows,
  ...storeRows,
  ...networkRows,
  ...documentsRows,
  ...searchRows,
  ...modelsRows,
  ...serversRows,
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof settingRows;

/** Every name, in the order of the table. */
export const settingNames = Object.keys(settingRows) as readonly SettingName[];

/** The row of a setting, for code that treats all settings alike. */
export function rowOf(name: SettingName): SettingRow {
  return settingRows[name];
}

export function isSettingName(text: string): text is SettingName {
  return Object.hasOwn(settingRows, text);
}

type ValueOf<R extends SettingRow> = R["type"] extends "integer" | "bytes" | "duration"
  ? number
  : R["type"] extends "list"
    ? readonly string[]
    : R["type"] extends "headers"
      ? HostHeaders
      : R extends { choices: readonly (infer C)[] }
        ? C
        : R["default"] extends null
          ? string | null
          : string;

/** Every setting with its resolved value: numbers in bytes or milliseconds, lists as arrays. */
export type Settings = { readonly [K in SettingName]: ValueOf<(typeof settingRows)[K]> };

/** The settings without any source. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settingRows).map(([name, row]) => [name, row.default]),
) as unknown as Settings;

/** SPILLWAY_ variables that are not settings. */
export const otherVariables: Readonly<Record<string, string>> = {
  SPILLWAY_CONFIG: "Path of the user's config file, instead of the platform's default. The file must exist.",
  SPILLWAY_CHECKOUTS: "Folder of the repositories for Spillway's own search bench.",
  SPILLWAY_CORPUS: "Folder of the documents for Spillway's own quality tests and benches.",
};

/** The environment variable of a setting: `SPILLWAY_FILES_ALLOW` for `files.allow`. */
export function environmentName(name: SettingName): string {
  return `SPILLWAY_${name.replaceAll(".", "_").toUpperCase()}`;
}
