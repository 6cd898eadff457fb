/** Whom the server lets in: its operator, the bearers of named tokens, and those whom an issuer vouches for. */
import { openServiceFetch } from "../../acquire/http/transport/service-fetch.ts";
import { findDataHome } from "../../config/paths.ts";
import type { Session } from "../../session/session.ts";
import { askInTurn, type FindCaller, fileCallers, localCaller } from "./guard/callers.ts";
import { isLoopback } from "./guard/request-checks.ts";
import { checkStart } from "./start-checks.ts";
import { readTokenFile } from "./tokens/token-file.ts";
import { makeTokenText, openTokens, tokenFilePath } from "./tokens/tokens.ts";

export type Callers = AsyncDisposable & {
  readonly find: FindCaller;
  /** The operator's own token; undefined if the server listens to other machines. */
  readonly localToken: string | undefined;
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
  const kinds: FindCaller[] = [fileCallers(openTokens(path, now), rate)];
  const service = openServiceFetch({ settings, env });
  const issued = await openIssuer(session, service.fetch, resource);
  if (issued !== undefined) kinds.push(issued);
  const dispose = () => service[Symbol.asyncDispose]();
  if (!isLoopback(settings["serve.address"]))
    return { localToken: undefined, find: askInTurn(kinds), [Symbol.asyncDispose]: dispose };
  const localToken = await makeLocalToken(session);
  const operator = { owner: session.store.owner, tokenName: "local", rate, folders: localFolders, isAdmin: true };
  return {
    localToken,
    find: askInTurn([localCaller(localToken, operator), ...kinds]),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Loads the library for JWTs only where there is an issuer. */
async function openIssuer({ settings, now }: Session, fetch: typeof globalThis.fetch, resource: () => string) {
  const issuer = settings["serve.issuer"];
  if (issuer === null) return undefined;
  const { jwtCallers } = await import("./guard/jwt-callers.ts");
  return jwtCallers({
    issuer,
    audience: () => settings["serve.audience"] ?? resource(),
    keysUrl: settings["serve.keys"] ?? `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`,
    algorithms: settings["serve.algorithms"],
    rate: settings["serve.owner_rate"],
    fetch,
    now,
  });
}

/** Derived from the owner's key: the same at every start, so a client is set up once. */
async function makeLocalToken({ store }: Session): Promise<string> {
  return makeTokenText(Buffer.from(await store.seal("spillway serve"), "hex"));
}
