/** Finds the caller of a request by its token, and checks the owner's rate. A check that throws refuses the request. */
import type { IncomingMessage } from "node:http";
import type { Refusal } from "../refusal.ts";
import { type Caller, type FindCaller, readBearer } from "./callers.ts";
import { hasOwnToken, readLlmRequest } from "./llm-token.ts";
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
  const caller = await findBearer(request, { findCaller });
  if (caller === undefined)
    return { refusal: makeUnauthorized(request.headers.authorization !== undefined, metadataUrl?.()) };
  if (caller.only !== undefined) return { refusal: limited(caller.only) };
  return checkRate(caller, rates);
}

/** The bearer of the token of a request; undefined without a valid one. */
export async function findBearer(
  request: IncomingMessage,
  { findCaller }: Pick<AdmissionRules, "findCaller">,
): Promise<Caller | undefined> {
  const token = readBearer(request);
  return token === undefined ? undefined : findCaller(token);
}

const limited = (use: string): Refusal => ({ status: 403, message: `This token opens only /${use}.` });

/** The caller of a request whose Authorization is for a provider of models, and what it asks of the provider. */
export async function admitLlmCaller(
  request: IncomingMessage,
  path: string,
  { findCaller, rates }: AdmissionRules,
): Promise<Admission & { readonly target: string }> {
  const { token, isInPath, target } = readLlmRequest(request, path);
  const caller = token === undefined ? undefined : await findCaller(token);
  if (caller === undefined) return { refusal: llmUnauthorized, target };
  if (isInPath && caller.only !== "llm") return { refusal: notForPaths, target };
  if (hasOwnToken(request, target)) return { refusal: notForProviders, target };
  return { ...checkRate(caller, rates), target };
}

const notForProviders: Refusal = {
  status: 400,
  message: "A token of this server is in the place of a provider's key, and was not passed on. Put your key there.",
};

const llmUnauthorized: Refusal = {
  status: 401,
  message:
    "Send a valid token: Spillway-Token: TOKEN, or /llm/TOKEN/... with one that was made by spillway token add NAME --only llm.",
};

/** Addresses are written to logs, so a token that is in one should open no more than it must. */
const notForPaths: Refusal = {
  status: 403,
  message:
    "This token opens more than /llm, so it must not be in an address. Make another: spillway token add NAME --owner OWNER --only llm.",
};

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
