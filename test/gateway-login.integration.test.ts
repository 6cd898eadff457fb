/** A server over HTTP that wants a token, behind a gateway over HTTP: the SDK's client logs in through it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { makeTemporaryFolder } from "./bodies.ts";
import { startServer } from "./server.ts";

const program = join(import.meta.dirname, "../src/surfaces/cli/process.ts");
const CALLBACK = "http://127.0.0.1:9/callback";
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** A server that is its own authorization server. It gives tokens only for its own name, and notes what it was sent. */
async function startLocked({ signsAnswers = false } = {}) {
  const seen: {
    readonly path: string;
    readonly resource: string | null;
    readonly authorization: string | undefined;
  }[] = [];
  const server = await startServer(async (request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? "/", server.origin);
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const form = path === "/token" ? new URLSearchParams(body) : searchParams;
    const { authorization } = request.headers;
    seen.push({ path, resource: form.get("resource"), authorization });
    const answer = routes[path] ?? ((_: IncomingMessage, reply: ServerResponse) => void reply.writeHead(404).end());
    await answer(request, response, form, body);
  });
  const { origin } = server;
  const json = (response: ServerResponse, value: object, status = 200) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  const resource = `${origin}/mcp`;
  type Route = (request: IncomingMessage, response: ServerResponse, form: URLSearchParams, body: string) => void;
  const routes: Record<string, Route> = {
    [`${WELL_KNOWN}/mcp`]: (_, response) => json(response, { resource, authorization_servers: [origin] }),
    "/.well-known/oauth-authorization-server": (_, response) =>
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        ...(signsAnswers && { authorization_response_iss_parameter_supported: true }),
      }),
    "/register": (_, response, __, body) => json(response, { ...JSON.parse(body), client_id: "c" }, 201),
    "/authorize": (_, response, query) => {
      const state = query.get("state");
      const answer = new URLSearchParams({
        code: "the-code",
        ...(state && { state }),
        ...(signsAnswers && { iss: origin }),
      });
      response.writeHead(302, { location: `${query.get("redirect_uri")}?${answer}` }).end();
    },
    "/token": (_, response, form) => {
      if (form.get("resource") !== resource) return json(response, { error: "invalid_target" }, 400);
      json(response, { access_token: "the-token", token_type: "Bearer" });
    },
    "/mcp": (request, response, _, body) => {
      if (request.headers.authorization !== "Bearer the-token") {
        const challenge = `Bearer resource_metadata="${origin}${WELL_KNOWN}/mcp"`;
        return void response.writeHead(401, { "www-authenticate": challenge }).end("log in");
      }
      const { id, method, params } = JSON.parse(body || "{}");
      if (request.method === "GET") return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      const serverInfo = { name: "locked", version: "1" };
      const greeting = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
      const text = "A weir.\n".repeat(10_000);
      const result = method === "initialize" ? greeting : { content: [{ type: "text", text }] };
      json(response, { jsonrpc: "2.0", id, result });
    },
  };
  return { ...server, origin, resource, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** A gateway over HTTP in front of a server. */
async function openGateway(url: string) {
  const folder = await makeTemporaryFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") };
  const child = spawn(process.execPath, [program, "gateway", "--port", "0", "--url", url], { env, cwd: folder.path });
  const [own] = await once(createInterface({ input: child.stdout }), "line");
  return {
    url: String(own),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What a client remembers of a login, and where it wanted to send the user. */
function makeProvider() {
  const kept: Record<string, unknown> = {};
  let authorization: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { redirect_uris: [CALLBACK], client_name: "opencode", token_endpoint_auth_method: "none" },
    clientInformation: () => kept.client as never,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens as never,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url) => {
      authorization = url;
    },
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => String(kept.verifier),
  };
  return { provider, authorization: () => authorization ?? assert.fail("the client did not ask the user") };
}

/** What a browser does: it follows redirects until the client's own address. */
async function visit(start: URL): Promise<URL> {
  let url = start;
  for (let step = 0; step < 5 && !url.href.startsWith(CALLBACK); step++) {
    const { headers } = await fetch(url, { redirect: "manual" });
    url = new URL(headers.get("location") ?? assert.fail(`${url} leads nowhere`));
  }
  return url;
}

describe("a login through a gateway over HTTP", () => {
  test("gives a token for the server's own name, which only the server gets", async () => {
    await using server = await startLocked();
    await using gateway = await openGateway(server.resource);
    const { provider, authorization } = makeProvider();
    const transport = () => new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider: provider });
    const first = transport();
    await assert.rejects(new Client({ name: "opencode", version: "1" }).connect(first), /Unauthorized/);
    assert.ok(authorization().href.startsWith(new URL(gateway.url).origin), authorization().href);
    await first.finishAuth((await visit(authorization())).searchParams);
    const client = new Client({ name: "opencode", version: "1" });
    await client.connect(transport());
    const { content } = await client.callTool({ name: "text", arguments: {} });
    assert.match(JSON.stringify(content), /This result has 80,000 characters/);
    await client.close();
    const asked = server.seen.filter(({ resource }) => resource !== null);
    assert.deepEqual(
      asked.map(({ path, resource }) => [path, resource]),
      [
        ["/authorize", server.resource],
        ["/token", server.resource],
      ],
    );
    for (const { path, authorization: sent } of server.seen) assert.ok(path === "/mcp" || sent === undefined, path);
    assert.ok(server.seen.some(({ path, authorization: sent }) => path === "/mcp" && sent === "Bearer the-token"));
  });

  test("names the real authorization server where that signs its answers", async () => {
    await using server = await startLocked({ signsAnswers: true });
    await using gateway = await openGateway(server.resource);
    const { origin } = new URL(gateway.url);
    const { headers, status } = await fetch(gateway.url, { method: "POST", body: "{}" });
    const [, place = ""] = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "") ?? [];
    assert.equal(status, 401);
    const metadata = await (await fetch(place)).json();
    assert.deepEqual(metadata, { resource: `${origin}/`, authorization_servers: [server.origin] });
  });

  test("needs the token of the gateway at every step", async () => {
    await using server = await startLocked();
    await using gateway = await openGateway(server.resource);
    const { origin, pathname } = new URL(gateway.url);
    const status = async (path: string) => (await fetch(`${origin}${path}`)).status;
    assert.equal(await status(`${WELL_KNOWN}${pathname}`), 200);
    for (const path of [
      WELL_KNOWN,
      `${WELL_KNOWN}/other/mcp`,
      "/oauth/authorize",
      "/.well-known/oauth-authorization-server",
    ])
      assert.equal(await status(path), 403, path);
  });
});
