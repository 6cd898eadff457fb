/**
 * Logging in to a server over HTTP through the gateway. A client checks that the server it was given is the one that tokens
 * are for (RFC 9728), so it gets our copy of the server's metadata. Where tokens come from sees the server's own name: requests
 * for codes and tokens pass through here, and only their `resource` is changed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, type JsonObject, toList, toText } from "../json-rpc.ts";
import { readBody } from "../upstream/http-upstream.ts";

export type LoginOptions = {
  /** The address of the server. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
};

/** Where this gateway is, as a client writes it: with the token, without a slash at the end. */
export type OwnPlace = { readonly origin: string; readonly base: string };

export type LoginRelay = {
  /** The challenge of a server, which names our copy of its metadata. */
  rewriteChallenge(challenge: string, place: OwnPlace): string;
  /** Serves what belongs to a login; false for any other path. */
  serve(
    path: string,
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
    place: OwnPlace,
  ): Promise<boolean>;
};

/** How long metadata may take. */
const METADATA_MS = 30_000;

const METADATA_PATH = "/.well-known/oauth-protected-resource";
const METADATA_PARAMETER = /resource_metadata\s*=\s*(?:"([^"]*)"|([^\s,]+))/i;

/** What the server and its authorization server say about themselves. */
type LoginMetadata = { readonly resource: JsonObject; readonly issuer: JsonObject | undefined };

/** A relay for the logins of one server. */
export function createLoginRelay({ url, fetch }: LoginOptions): LoginRelay {
  /** Where the server said that its metadata is. */
  let announced: string | undefined;

  function rewriteChallenge(challenge: string, { base }: OwnPlace): string {
    const [, quoted, plain] = METADATA_PARAMETER.exec(challenge) ?? [];
    announced = quoted ?? plain ?? announced;
    if (announced === undefined) return challenge;
    return challenge.replace(METADATA_PARAMETER, `resource_metadata="${base}${METADATA_PATH}"`);
  }

  async function readMetadata(): Promise<LoginMetadata | undefined> {
    const { origin, pathname } = new URL(url);
    const places =
      announced === undefined ? [`${origin}${METADATA_PATH}${pathname}`, `${origin}${METADATA_PATH}`] : [announced];
    const resource = await readFirst(places);
    const [issuer] = toList(resource?.authorization_servers);
    if (resource === undefined) return undefined;
    return { resource, issuer: await readFirst(listIssuerPlaces(toText(issuer))) };
  }

  /** Whether we may ask an address that the server named: one elsewhere cannot have us look at this machine. */
  function isAllowed(address: string): boolean {
    const place = URL.parse(address);
    if (place === null) return false;
    return isLocal(place) ? isLocal(new URL(url)) : place.protocol === "https:";
  }

  /** The first of these addresses that has a JSON object. */
  async function readFirst(places: readonly string[]): Promise<JsonObject | undefined> {
    for (const place of places) {
      if (!isAllowed(place)) continue;
      const signal = AbortSignal.timeout(METADATA_MS);
      const reply = await fetch(place, { headers: { accept: "application/json" }, redirect: "manual", signal });
      const value = parseObject(await readBody(reply));
      if (reply.ok && value !== undefined) return value;
    }
    return undefined;
  }

  const routes: Readonly<Record<string, Route>> = {
    [METADATA_PATH]: ({ resource, issuer }, { place }) => {
      const servers = canStandIn(issuer) ? [`${place.base}/oauth`] : resource.authorization_servers;
      return json({ ...resource, resource: `${place.origin}/`, authorization_servers: servers });
    },
    "/.well-known/oauth-authorization-server/oauth": ({ issuer }, { place }) =>
      issuer && json(ownIssuer(issuer, place)),
    "/oauth/authorize": ({ resource, issuer }, { query }) => {
      const target = toText(issuer?.authorization_endpoint);
      if (target === undefined || !isAllowed(target)) return undefined;
      const location = new URL(target);
      for (const [name, value] of withResource(query, resource)) location.searchParams.append(name, value);
      return { status: 302, headers: { location: location.href }, body: "" };
    },
    "/oauth/token": async ({ resource, issuer }, { body, headers }) => {
      const target = toText(issuer?.token_endpoint);
      if (target === undefined || !isAllowed(target)) return undefined;
      const form = withResource(new URLSearchParams(body), resource);
      const { authorization } = headers;
      const reply = await fetch(target, {
        method: "POST",
        headers: { accept: "application/json", "content-type": FORM, ...(authorization && { authorization }) },
        body: form.toString(),
        redirect: "manual",
      });
      return { status: reply.status, headers: { "content-type": "application/json" }, body: await readBody(reply) };
    },
  };

  return {
    rewriteChallenge,
    async serve(path, request, body, response, place) {
      const [name = "", search = ""] = path.split("?");
      const route = findRoute(routes, name);
      if (route === undefined) return false;
      const metadata = await readMetadata();
      const query = new URLSearchParams(search);
      const reply = metadata && (await route(metadata, { place, query, body, headers: request.headers }));
      const { status, headers, body: text } = reply ?? { status: 404, headers: {}, body: "" };
      response.writeHead(status, { ...headers, "cache-control": "no-store" }).end(text);
      return true;
    },
  };
}

type Reply = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
type Asked = {
  readonly place: OwnPlace;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
};
type Route = (metadata: LoginMetadata, asked: Asked) => Promise<Reply | undefined> | Reply | undefined;

const FORM = "application/x-www-form-urlencoded";

/** Clients put the path of the server behind the well-known path, and some ask for the metadata of OpenID. */
function findRoute(routes: Readonly<Record<string, Route>>, path: string): Route | undefined {
  const known = path
    .replace("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server")
    .replace(`${METADATA_PATH}/mcp`, METADATA_PATH);
  return Object.hasOwn(routes, known) ? routes[known] : undefined;
}

const json = (value: object): Reply => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

/** One that signs its answers with its own name (RFC 9207) would be taken for an impostor behind ours. */
const canStandIn = (issuer: JsonObject | undefined): boolean =>
  issuer !== undefined && issuer.authorization_response_iss_parameter_supported !== true;

const ownIssuer = (issuer: JsonObject, { base }: OwnPlace): JsonObject => ({
  ...issuer,
  issuer: `${base}/oauth`,
  authorization_endpoint: `${base}/oauth/authorize`,
  token_endpoint: `${base}/oauth/token`,
});

/** The same parameters, with the name that the server has there. */
function withResource(parameters: URLSearchParams, { resource }: JsonObject): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  if (changed.has("resource") && typeof resource === "string") changed.set("resource", resource);
  return changed;
}

function listIssuerPlaces(issuer: string | undefined): readonly string[] {
  if (issuer === undefined || !URL.canParse(issuer)) return [];
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const wellKnown = `${origin}/.well-known`;
  return [
    `${wellKnown}/oauth-authorization-server${path}`,
    `${wellKnown}/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

const isLocal = ({ hostname }: URL): boolean => ["127.0.0.1", "localhost", "[::1]"].includes(hostname);

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // A page in place of metadata: there is none.
  }
}
