/** The file of bearer tokens: a row per token, with its hash and never the token. */
import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { SpillwayError, systemCode } from "../../../errors.ts";
import { isRecord } from "../../../system/json-values.ts";
import { readSmallFile } from "../../../system/small-file.ts";

/** A token as the file has it. */
export type TokenRow = {
  readonly name: string;
  /** Whose artifacts, projects, runs and events its bearer sees. */
  readonly owner: string;
  /** SHA-256 of the token. A token has 256 random bits, so no slow hash is needed. */
  readonly sha256: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** Requests per minute; null for the setting's number. */
  readonly rate: number | null;
  /** Folders of this machine whose files the bearer may read by path. */
  readonly folders: readonly string[];
  /** Whether the bearer may read the metrics of the whole server. */
  readonly admin: boolean;
  /** The only thing that the token opens; everything if it is missing. */
  readonly only?: TokenUse;
};

/** What a token can be limited to: `llm` is the proxy for providers of models. */
export const tokenUses = ["llm"] as const;
export type TokenUse = (typeof tokenUses)[number];

/** What the file holds, and what tells one state of it from the next. */
export type TokenFile = { readonly rows: readonly TokenRow[]; readonly stamp: string };

/** Room for thousands of rows. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Tells one state of the file from the next without reading it. */
export function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "absent" : makeStamp(stats);
}

const makeStamp = ({ ino, size, mtimeMs, mode }: Stats): string => `${ino} ${size} ${mtimeMs} ${mode}`;

/** Reads the file; without one there are no tokens. Throws if it cannot be trusted or understood, so that every token is refused. */
export function readTokenFile(path: string): TokenFile {
  const file = readIfPresent(path);
  if (file === undefined) return { rows: [], stamp: "absent" };
  if ("instead" in file) throw invalidFile(path, `it is ${file.instead}`);
  const { stats, bytes } = file;
  if (process.platform !== "win32" && (stats.mode & 0o022) !== 0)
    throw new SpillwayError("config_invalid", `The token file ${path} is not used: other users can write to it.`, {
      hint: `Check its rows with spillway token list, then run chmod 600 ${path}.`,
    });
  if (bytes.length > MAX_FILE_BYTES) throw invalidFile(path, "it is too long");
  return { rows: parseRows(path, bytes), stamp: makeStamp(stats) };
}

function readIfPresent(path: string) {
  try {
    return readSmallFile(path, MAX_FILE_BYTES);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw invalidFile(path, `it cannot be read (${systemCode(error) ?? "error"})`, error);
  }
}

/** Replaces the file in one step, readable by its owner only. Its folder exists. */
export function writeTokenFile(path: string, rows: readonly TokenRow[]): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify({ version: 1, tokens: rows }, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new SpillwayError("store_unavailable", `The token file ${path} cannot be written (${systemCode(cause)}).`, {
      hint: "Free space, or set serve.tokens to a file in a folder that you can write to.",
      cause,
    });
  }
}

function parseRows(path: string, bytes: Uint8Array): readonly TokenRow[] {
  const json = parseJson(path, bytes);
  if (!isRecord(json) || json.version !== 1 || !Array.isArray(json.tokens) || !json.tokens.every(isTokenRow))
    throw invalidFile(path, "it does not have the form that spillway token add writes");
  return json.tokens;
}

function parseJson(path: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw invalidFile(path, "it is not JSON", cause);
  }
}

function isTokenRow(row: unknown): row is TokenRow {
  if (!isRecord(row)) return false;
  const { name, owner, sha256, created_at, expires_at, rate, folders, admin, only } = row;
  return (
    isTokenName(name) &&
    isTokenName(owner) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    isTime(created_at) &&
    (expires_at === null || isTime(expires_at)) &&
    (rate === null || (Number.isSafeInteger(rate) && Number(rate) > 0)) &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === "string") &&
    typeof admin === "boolean" &&
    (only === undefined || tokenUses.some((use) => use === only))
  );
}

const isTime = (value: unknown): value is string => typeof value === "string" && !Number.isNaN(Date.parse(value));

/** Names of tokens and owners: short, on one line, the same in every file system. */
export function isTokenName(value: unknown): value is string {
  return typeof value === "string" && /^[a-z0-9][a-z0-9_-]{0,62}$/.test(value);
}

function invalidFile(path: string, why: string, cause?: unknown): SpillwayError {
  return new SpillwayError("config_invalid", `The token file ${path} cannot be used: ${why}.`, {
    hint: `Move it away and make new tokens with spillway token add NAME.`,
    cause,
  });
}
