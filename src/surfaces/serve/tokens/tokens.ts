/** Named bearer tokens: made once, listed, revoked, and found again by what a client sends. */
import { createHash, randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import { makeFolders } from "../../../system/folders.ts";
import { takeLock } from "../../../system/lock.ts";
import { clip } from "../../../system/safe-names.ts";
import {
  isTokenName,
  readTokenFile,
  stampOf,
  type TokenFile,
  type TokenRow,
  type TokenUse,
  writeTokenFile,
} from "./token-file.ts";

/** What a new token is made of. */
export type NewToken = {
  readonly name: string;
  /** Default: the name. */
  readonly owner?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly rate?: number | undefined;
  readonly folders?: readonly string[];
  readonly isAdmin?: boolean;
  /** The only thing that it opens. */
  readonly only?: TokenUse | undefined;
};

/** Where the tokens are, unless the setting serve.tokens names another file. */
export const tokenFilePath = (home: string, setting: string | null): string => setting ?? join(home, "tokens.json");

/** Everything we hand out begins so: tools that look for leaked secrets can know it. */
const TOKEN_PREFIX = "spw_";

export const makeTokenText = (secret: Uint8Array): string =>
  `${TOKEN_PREFIX}${Buffer.from(secret).toString("base64url")}`;

export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Adds a token to the file and returns it, for the only time. */
export async function addToken(path: string, given: NewToken, now: number): Promise<{ token: string; row: TokenRow }> {
  const { name, owner = name } = given;
  requireName("A token", name);
  requireName("An owner", owner);
  const token = makeTokenText(randomBytes(32));
  const row: TokenRow = {
    name,
    owner,
    sha256: hashToken(token),
    created_at: new Date(now).toISOString(),
    expires_at: given.expiresAt === undefined ? null : new Date(given.expiresAt).toISOString(),
    rate: given.rate ?? null,
    folders: given.folders ?? [],
    admin: given.isAdmin ?? false,
    ...(given.only && { only: given.only }),
  };
  await changeRows(path, (rows) => {
    if (rows.some((each) => each.name === name))
      throw new SpillwayError("usage", `There is a token named ${name} already.`, {
        hint: `Choose another name, or run spillway token revoke ${name} first.`,
      });
    return [...rows, row];
  });
  return { token, row };
}

/** Removes a token. A running server refuses it from the next request on. */
export async function revokeToken(path: string, name: string): Promise<void> {
  await changeRows(path, (rows) => {
    const left = rows.filter((row) => row.name !== name);
    if (left.length < rows.length) return left;
    const nearest = nearestName(
      name,
      rows.map((row) => row.name),
    );
    throw new SpillwayError("usage", `There is no token named ${JSON.stringify(clip(name))}.`, {
      hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}spillway token list shows their names.`,
    });
  });
}

/** Reads, changes and writes the rows while no other process does. Between lock and release nothing else runs here. */
async function changeRows(path: string, change: (rows: readonly TokenRow[]) => readonly TokenRow[]): Promise<void> {
  await makeFolders(dirname(path));
  using lock = takeLock(`${path}.lock`, LOCK_WAIT_MS);
  if (lock === null)
    throw new SpillwayError("store_unavailable", "Another process is changing the tokens.", { hint: "Run it again." });
  writeTokenFile(path, change(readTokenFile(path).rows));
}

const LOCK_WAIT_MS = 5_000;

function requireName(thing: string, name: string): void {
  if (isTokenName(name)) return;
  throw new SpillwayError("usage", `${thing} cannot be named ${JSON.stringify(clip(name))}.`, {
    hint: "Use 1 to 63 lower-case letters, digits, hyphens and underscores, for example ann or ci-2.",
  });
}

/** The rows by hash, read again whenever the file changes. Throws if the file cannot be read. */
export function openTokens(path: string, now: () => number): (sha256: string) => TokenRow | undefined {
  let file: TokenFile | undefined;
  let byHash: ReadonlyMap<string, TokenRow> = new Map();
  return (sha256) => {
    if (stampOf(path) !== file?.stamp) {
      file = undefined; // If it cannot be read now, the next request tries again.
      file = readTokenFile(path);
      byHash = new Map(file.rows.map((row) => [row.sha256, row]));
    }
    const row = byHash.get(sha256);
    return row !== undefined && !isExpired(row, now()) ? row : undefined;
  };
}

export const isExpired = ({ expires_at }: TokenRow, now: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now;
