/** Who sends a request: found by its bearer token, by asking each kind of token in turn. */
import type { IncomingMessage } from "node:http";
import type { TokenRow, TokenUse } from "../tokens/token-file.ts";
import { hashToken } from "../tokens/tokens.ts";

/** The bearer of a token. */
export type Caller = {
  /** Whose data it sees. */
  readonly owner: string;
  /** The name of its token, for logs. */
  readonly tokenName: string;
  /** Requests per minute. */
  readonly rate: number;
  /** Folders of this machine that it may read by path. */
  readonly folders: readonly string[];
  readonly isAdmin: boolean;
  /** The only thing that its token opens; undefined for everything. */
  readonly only?: TokenUse | undefined;
};

/** Finds the caller of a token; undefined for a token it does not know. Throws if it cannot tell. */
export type FindCaller = (token: string) => Promise<Caller | undefined>;

/** The token of a request; undefined if there is none or its form is wrong. */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\w~+/.-]{1,8192}=*)$/i.exec(headers.authorization ?? "")?.[1];
}

/** The caller whom the first kind of token knows. */
export function askInTurn(kinds: readonly FindCaller[]): FindCaller {
  return async (token) => {
    for (const find of kinds) {
      const caller = await find(token);
      if (caller !== undefined) return caller;
    }
    return undefined;
  };
}

/** Finds the caller of a token of ours by the token's hash. */
export type FindByHash = (sha256: string) => Caller | undefined;

/** Callers with tokens of ours. Hashes are compared, which takes the same time for every token. */
export const hashedCallers =
  (find: FindByHash): FindCaller =>
  async (token) =>
    find(hashToken(token));

/** Callers with tokens of the file. */
export function fileCallers(find: (sha256: string) => TokenRow | undefined, defaultRate: number): FindByHash {
  return (sha256) => {
    const row = find(sha256);
    if (row === undefined) return undefined;
    const { name: tokenName, owner, rate, folders, admin: isAdmin, only } = row;
    return { owner, tokenName, rate: rate ?? defaultRate, folders, isAdmin, only };
  };
}

/** The one caller whose token was derived at the start; no caller without such a token. */
export function localCaller(localToken: string | undefined, caller: Caller): FindByHash {
  if (localToken === undefined) return () => undefined;
  const expected = hashToken(localToken);
  return (sha256) => (sha256 === expected ? caller : undefined);
}
