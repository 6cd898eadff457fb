/** Callers with a JWT of the issuer that the settings name. We verify its tokens and issue none. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import type { Caller, FindCaller } from "./callers.ts";

export type JwtRules = {
  /** The exact value of `iss`. */
  readonly issuer: string;
  /** What `aud` has to contain: a token for another service is refused. */
  readonly audience: () => string;
  /** Where the issuer's public keys are. */
  readonly keysUrl: string;
  readonly algorithms: readonly string[];
  readonly rate: number;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
};

/** Clocks of two machines differ by a little. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Keys are asked for again after ten minutes, and for an unknown key at most twice a minute. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
const KEYS_COOLDOWN_MS = 30_000;
const KEYS_TIMEOUT_MS = 5_000;

const MAX_SUBJECT_CHARS = 255;

/** Finds the caller of a valid token. Throws if the issuer's keys cannot be read: the token may be valid. */
export function jwtCallers(rules: JwtRules): FindCaller {
  const { issuer, audience, keysUrl, algorithms, now } = rules;
  const keys = createRemoteJWKSet(new URL(keysUrl), {
    cacheMaxAge: KEYS_MAX_AGE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: (url, options) => rules.fetch(url, options),
  });
  return async (token) => {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: audience(),
        algorithms: [...algorithms],
        requiredClaims: ["sub", "exp"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
      });
      return toCaller(payload, rules);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  };
}

function toCaller({ sub }: JWTPayload, { issuer, rate }: JwtRules): Caller | undefined {
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT_CHARS) return undefined;
  // No owner of a token in the file has a colon, so the issuer cannot name one of those.
  return { owner: `jwt:${issuer}:${sub}`, tokenName: "jwt", rate, folders: [], isAdmin: false };
}

/** Whether the token is wrong, rather than the keys. */
function isRefusal(error: unknown): boolean {
  const isAboutKeys = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  // jose wraps a failed download of the keys in its plain error.
  return error instanceof errors.JOSEError && !isAboutKeys && error.code !== "ERR_JOSE_GENERIC";
}
