/** Signs a browser in, by a link that works once or by a token: a cookie then names the token's holder. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ArtifactStore } from "../../../artifacts/artifact-store.ts";
import { addSignInCode, takeSignInCode } from "../../../catalogue/sign-in-rows.ts";
import type { Caller, FindByHash } from "../guard/callers.ts";
import { hashToken } from "../tokens/tokens.ts";

export type SignInOptions = {
  readonly store: Pick<ArtifactStore, "catalogue" | "seal">;
  readonly findByHash: FindByHash;
  /** Whether browsers reach the server over TLS. */
  readonly isSecure: boolean;
  readonly now: () => number;
};

export interface SignIn {
  /** A code for the holder of a token, which works once within ten minutes. */
  makeCode(token: string): Promise<string>;
  /** The cookie for a code or a token; undefined if it is not valid. */
  makeCookie(given: {
    readonly code?: string | undefined;
    readonly token?: string | undefined;
  }): Promise<string | undefined>;
  /** The cookie that ends the signed-in state. */
  readonly endCookie: string;
  /** Who is signed in; undefined as soon as the token is revoked or expired. */
  findCaller(request: IncomingMessage): Promise<Caller | undefined>;
}

const CODE_LIFE_MS = 10 * 60_000;
const COOKIE_LIFE_MS = 12 * 60 * 60_000;

/** Behind TLS the prefix keeps other hosts of the same domain from setting it, and so from signing a browser in. */
const nameCookie = (isSecure: boolean): string => `${isSecure ? "__Host-" : ""}spillway_sign_in`;

export function createSignIn({ store, findByHash, isSecure, now }: SignInOptions): SignIn {
  const cookieName = nameCookie(isSecure);
  const cookiePattern = new RegExp(`(?:^|; )${cookieName}=([0-9a-f]{64})\\.(\\d{1,15})\\.([0-9a-f]{64})(?:;|$)`);
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  const sealOf = (payload: string): Promise<string> => store.seal(`spillway sign-in ${payload}`);

  async function takeCode(code: string): Promise<string | undefined> {
    return (await takeSignInCode(store.catalogue, hashCode(code), now()))?.token_sha256;
  }

  return {
    async makeCode(token) {
      const code = randomBytes(32).toString("base64url");
      const row = { token_sha256: hashToken(token), expires_at: now() + CODE_LIFE_MS };
      await addSignInCode(store.catalogue, hashCode(code), row, now());
      return code;
    },
    async makeCookie({ code, token }) {
      const sha256 = code === undefined ? hashToken(token ?? "") : await takeCode(code);
      if (sha256 === undefined || findByHash(sha256) === undefined) return undefined;
      const payload = `${sha256}.${now() + COOKIE_LIFE_MS}`;
      return `${cookieName}=${payload}.${await sealOf(payload)}; Max-Age=${COOKIE_LIFE_MS / 1_000}; ${attributes}`;
    },
    endCookie: `${cookieName}=; Max-Age=0; ${attributes}`,
    async findCaller(request) {
      const [, sha256 = "", expiresAt = "", seal = ""] = cookiePattern.exec(request.headers.cookie ?? "") ?? [];
      if (sha256 === "" || Number(expiresAt) <= now()) return undefined;
      return isEqual(seal, await sealOf(`${sha256}.${expiresAt}`)) ? findByHash(sha256) : undefined;
    },
  };
}

const hashCode = (code: string): string => createHash("sha256").update(`code ${code}`).digest("hex");

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
