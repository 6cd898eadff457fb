/** What a row of the table of settings is, and the units of its numbers. */

/** How values are written: sizes as `64 MiB`, durations as `14d` or `30s`, lists separated by commas. */
export type SettingType = "text" | "path" | "integer" | "bytes" | "duration" | "choice" | "list" | "headers";

/** Headers by host: `{"wiki.example.com": {"Authorization": "Bearer $WIKI_TOKEN"}}`. */
export type HostHeaders = { readonly [host: string]: { readonly [header: string]: string } };

/**
 * Who may set it. A project may be a stranger's repository, so `user` is the rule: only the user's file, the environment
 * and flags count. `project`: a preference that affects nothing but what is searched and shown there. `project may lower`:
 * a limit of replies, parsers or waits; a project's value counts only if it is below the user's.
 */
export type SettingScope = "user" | "project" | "project may lower";

/** The type decides how a value is parsed, formatted and described. */
export type ValueRow = {
  readonly type: SettingType;
  readonly default: string | number | readonly string[] | HostHeaders | null;
  readonly about: string;
  /** Smallest and largest accepted number. */
  readonly min?: number;
  readonly ceiling?: number;
  readonly choices?: readonly string[];
  /** It is, or may hold, a password: no message shows it. */
  readonly isSecret?: true;
  /** For a text: it is an address of http or https. */
  readonly isWebAddress?: true;
  /** For a list: its items are paths (made absolute) or network places (hosts and ranges). */
  readonly items?: "path" | "place";
};

/** One row of the table. */
export type SettingRow = ValueRow & {
  readonly scope: SettingScope;
  /** It decides what is deleted. Larger values keep more. */
  readonly isRetention?: true;
};

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
