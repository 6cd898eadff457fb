/** Whom the server lets in: its operator, the bearers of named tokens, and those whom an issuer vouches for. */
import { findDataHome } from "../../config/paths.ts";
import type { Session } from "../../session/session.ts";
import {
  askInTurn,
  type Caller,
  type FindByHash,
  type FindCaller,
  fileCallers,
  hashedCallers,
  localCaller,
} from "./guard/callers.ts";
import { isLoopback } from "./guard/request-checks.ts";
import { checkStart } from "./start-checks.ts";
import { readTokenFile } from "./tokens/token-file.ts";
import { makeTokenText, openTokens, tokenFilePath } from "./tokens/tokens.ts";

export type Callers = AsyncDisposable & {
  readonly find: FindCaller;
  /** Finds the bearer of a token of ours that is not limited to one use; JWTs are not among them. */
  readonly findByHash: FindByHash;
  /** The operator's own token; undefined if the server listens to other machines. */
  readonly localToken: string | undefined;
  /** One that opens only the proxy for providers, for addresses. */
  readonly localLlmToken: string | undefined;
};

export type CallersOptions = {
  readonly session: Session;
  /** Folders that the operator may read by path. */
  readonly localFolders?: readonly string[] | undefined;
  /** The address of the MCP endpoint as clients know it. */
  readonly resource: () => string;
};

/** Throws where the server may not listen. */
export async function openCallers({ session, localFolders = [], resource }: CallersOptions): Promise<Callers> {
  const { settings, env, now } = session;
  const path = tokenFilePath(findDataHome(settings.home, env, process.platform), settings["serve.tokens"]);
  checkStart(settings, readTokenFile(path).rows.length > 0 || settings["serve.issuer"] !== null);
  const rate = settings["serve.owner_rate"];
  const findNamed = fileCallers(openTokens(path, now), rate);
  const isLocal = isLoopback(settings["serve.address"]);
  const localToken = isLocal ? await makeLocalToken(session, "spillway serve") : undefined;
  const localLlmToken = isLocal ? await makeLocalToken(session, "spillway serve llm") : undefined;
  const operator = { owner: session.store.owner, tokenName: "local", rate, folders: localFolders, isAdmin: true };
  const findLocal = localCaller(localToken, operator);
  const findLocalLlm = localCaller(localLlmToken, { ...operator, folders: [], isAdmin: false, only: "llm" });
  const findAny: FindByHash = (sha256) => findLocal(sha256) ?? findLocalLlm(sha256) ?? findNamed(sha256);
  const issued = await openIssuer(session, resource);
  return {
    localToken,
    localLlmToken,
    findByHash: (sha256) => withoutLimit(findAny(sha256)),
    find: askInTurn([hashedCallers(findAny), ...(issued === undefined ? [] : [issued.find])]),
    [Symbol.asyncDispose]: async () => issued?.[Symbol.asyncDispose](),
  };
}

/** A token that is in addresses must not sign a browser in. */
const withoutLimit = (caller: Caller | undefined): Caller | undefined =>
  caller?.only === undefined ? caller : undefined;

/** Loads the library for JWTs, and the client that gets the keys, only where there is an issuer. */
async function openIssuer({ settings, env, now }: Session, resource: () => string) {
  const issuer = settings["serve.issuer"];
  if (issuer === null) return undefined;
  const [{ jwtCallers }, { openServiceFetch }] = await Promise.all([
    import("./guard/jwt-callers.ts"),
    import("../../acquire/http/transport/service-fetch.ts"),
  ]);
  const service = openServiceFetch({ settings, env });
  const find = jwtCallers({
    issuer,
    audience: () => settings["serve.audience"] ?? resource(),
    keysUrl: settings["serve.keys"] ?? `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`,
    algorithms: settings["serve.algorithms"],
    rate: settings["serve.owner_rate"],
    fetch: service.fetch,
    now,
  });
  return { find, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Derived from the owner's key: the same at every start, so a client is set up once. */
async function makeLocalToken({ store }: Session, use: string): Promise<string> {
  return makeTokenText(Buffer.from(await store.seal(use), "hex"));
}
