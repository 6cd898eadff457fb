/** Finds the caller of a request by its token, and checks the owner's rate. A check that throws refuses the request. */
import type { IncomingMessage } from "node:http";
import type { Refusal } from "../refusal.ts";
import { type Caller, type FindCaller, readBearer } from "./callers.ts";
import type { RateLimit } from "./rate-limit.ts";

export type Admission = { readonly caller: Caller } | { readonly refusal: Refusal };

export type AdmissionRules = {
  readonly findCaller: FindCaller;
  /** Who is signed in with a browser. */
  readonly findSignedIn: (request: IncomingMessage) => Promise<Caller | undefined>;
  readonly rates: RateLimit;
  /** Where clients learn who issues tokens; undefined if no issuer is set. */
  readonly metadataUrl?: () => string | undefined;
};

/** The caller of a request whose form was checked. */
export async function admitCaller(
  request: IncomingMessage,
  { findCaller, rates, metadataUrl }: AdmissionRules,
): Promise<Admission> {
  const token = readBearer(request);
  const caller = token === undefined ? undefined : await findCaller(token);
  if (caller === undefined)
    return { refusal: makeUnauthorized(request.headers.authorization !== undefined, metadataUrl?.()) };
  return checkRate(caller, rates);
}

/** The caller who is signed in with a browser. */
export async function admitSignedIn(
  request: IncomingMessage,
  { findSignedIn, rates }: AdmissionRules,
): Promise<Admission> {
  const caller = await findSignedIn(request);
  if (caller === undefined) return { refusal: { status: 401, message: "Sign in first: open /sign-in." } };
  return checkRate(caller, rates);
}

function checkRate(caller: Caller, rates: RateLimit): Admission {
  const waitSeconds = rates.take(caller.owner, caller.rate);
  if (waitSeconds > 0) return { refusal: tooMany(`At most ${caller.rate} requests per minute.`, waitSeconds) };
  return { caller };
}

function makeUnauthorized(wasSent: boolean, metadataUrl: string | undefined): Refusal {
  const challenge = [
    'Bearer realm="spillway"',
    ...(wasSent ? ['error="invalid_token"'] : []),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ].join(", ");
  return {
    status: 401,
    message: "Send a valid token: Authorization: Bearer TOKEN. The operator makes one with spillway token add NAME.",
    headers: { "www-authenticate": challenge },
  };
}

export function tooMany(reason: string, waitSeconds: number): Refusal {
  return {
    status: 429,
    message: `${reason} Try again in ${waitSeconds} s.`,
    headers: { "retry-after": String(waitSeconds) },
  };
}
