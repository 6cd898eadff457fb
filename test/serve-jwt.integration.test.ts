/** JWTs of an issuer at `spillway serve`: only exactly the right ones are accepted. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from "jose";
import { connectClient, openServedHttp, textOf } from "./served-http.ts";
import { startServer, type TestServer } from "./server.ts";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

let issuer: TestServer;
let keys: Keys;
let strangerKeys: Keys;
let isBroken = false;
let keyRequests = 0;

before(async () => {
  [keys, strangerKeys] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256", use: "sig" };
  issuer = await startServer((_, response) => {
    keyRequests++;
    if (isBroken) response.writeHead(500).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [jwk] }));
  });
});
after(() => issuer[Symbol.asyncDispose]());

const serve = () => openServedHttp({ settings: { "serve.issuer": issuer.origin } });

const NOW_SECONDS = Math.floor(Date.now() / 1_000);

/** The claims and the header of a good token, with some of them changed. */
type Changes = {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: Keys["privateKey"] | Uint8Array;
};

function sign(audience: string, { claims = {}, header = {}, key = keys.privateKey }: Changes = {}): Promise<string> {
  const good = { iss: issuer.origin, aud: audience, sub: "ann@example.com", iat: NOW_SECONDS, exp: NOW_SECONDS + 600 };
  const payload = Object.fromEntries(Object.entries({ ...good, ...claims }).filter(([, value]) => value !== undefined));
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: "one", ...header }).sign(key);
}

const statusWith = async (url: string, token: string): Promise<number> =>
  (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;

describe("a JWT", () => {
  test("of the issuer for this server makes its subject an owner of its own", async () => {
    await using served = await serve();
    await using ann = await connectClient(served.mcpUrl, await sign(served.mcpUrl), "2026-07-28");
    const page = await ann.client.callTool({
      name: "fetch_content",
      arguments: { url: "data:,The%20weir%20of%20Ann." },
    });
    const artifact_ref = /af_[0-9a-f]{32}/.exec(textOf(page))?.[0] ?? assert.fail(textOf(page));
    const read = { name: "read_artifact", arguments: { artifact_ref } };
    await using again = await connectClient(served.mcpUrl, await sign(served.mcpUrl), "2025-11-25");
    assert.match(textOf(await again.client.callTool(read)), /The weir of Ann/);
    // A subject with the name of a token's owner is another owner.
    const names = await served.makeToken({ name: "ann" });
    for (const token of [await sign(served.mcpUrl, { claims: { sub: "ann" } }), names]) {
      await using other = await connectClient(served.mcpUrl, token, "2026-07-28");
      assert.equal((await other.client.callTool(read)).isError, true);
    }
    assert.equal(await statusWith(`${served.url}/metrics`, await sign(served.mcpUrl)), 403);
  });

  test("that is wrong in one point is refused", async () => {
    await using served = await serve();
    const url = served.mcpUrl;
    assert.equal(await statusWith(url, await sign(url)), 405, "the right one is let in");
    const secret = Buffer.from(JSON.stringify(await exportJWK(keys.publicKey)));
    const rows: readonly [string, Promise<string> | string][] = [
      ["another issuer", sign(url, { claims: { iss: "https://issuer.example" } })],
      ["the issuer with a slash", sign(url, { claims: { iss: `${issuer.origin}/` } })],
      ["no issuer", sign(url, { claims: { iss: undefined } })],
      ["another audience", sign("https://other.example/mcp")],
      ["a longer audience", sign(`${url}/x`)],
      ["no audience", sign(url, { claims: { aud: undefined } })],
      ["expired", sign(url, { claims: { exp: NOW_SECONDS - 60 } })],
      ["without an end", sign(url, { claims: { exp: undefined } })],
      ["not valid yet", sign(url, { claims: { nbf: NOW_SECONDS + 600 } })],
      ["no subject", sign(url, { claims: { sub: undefined } })],
      ["an empty subject", sign(url, { claims: { sub: "" } })],
      ["a very long subject", sign(url, { claims: { sub: "a".repeat(300) } })],
      ["a subject that is not text", sign(url, { claims: { sub: 1 } })],
      ["another key", sign(url, { key: strangerKeys.privateKey })],
      ["an unknown key", sign(url, { header: { kid: "two" } })],
      ["the public key as a shared secret", sign(url, { key: secret, header: { alg: "HS256" } })],
      ["no signature", new UnsecuredJWT({ sub: "ann" }).setIssuer(issuer.origin).setAudience(url).encode()],
      ["a changed payload", (await sign(url)).replace(/\.(.)/, (_, first: string) => `.${first === "e" ? "f" : "e"}`)],
      ["cut short", (await sign(url)).slice(0, -2)],
      ["three dots", `${await sign(url)}.a`],
    ];
    for (const [what, token] of rows) assert.equal(await statusWith(url, await token), 401, what);
  });

  test("may name several audiences, and the clocks may differ a little", async () => {
    await using served = await serve();
    const claims = { aud: ["https://other.example", served.mcpUrl], exp: NOW_SECONDS - 5 };
    assert.equal(await statusWith(served.mcpUrl, await sign("", { claims })), 405);
  });

  test("is checked with keys that are asked for once", async () => {
    await using served = await serve();
    const before = keyRequests;
    for (let count = 0; count < 5; count++)
      assert.equal(await statusWith(served.mcpUrl, await sign(served.mcpUrl)), 405);
    // Tokens with unknown keys do not make the server ask again and again.
    for (let count = 0; count < 5; count++)
      assert.equal(await statusWith(served.mcpUrl, await sign(served.mcpUrl, { header: { kid: `x${count}` } })), 401);
    assert.equal(keyRequests - before, 1);
  });

  test("is refused as a failure of ours while the keys cannot be read; named tokens still work", async () => {
    await using served = await serve();
    const named = await served.makeToken({ name: "ann" });
    isBroken = true;
    try {
      assert.equal(await statusWith(served.mcpUrl, await sign(served.mcpUrl)), 500);
      assert.equal(await statusWith(served.mcpUrl, named), 405);
    } finally {
      isBroken = false;
    }
  });
});

test("clients that ask for OAuth learn who issues tokens", async () => {
  await using served = await serve();
  const refused = await fetch(served.mcpUrl, { method: "POST" });
  assert.equal(refused.status, 401);
  const metadata = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1];
  assert.equal(metadata, `${served.url}/.well-known/oauth-protected-resource/mcp`);
  assert.partialDeepStrictEqual(await (await fetch(metadata ?? "")).json(), {
    resource: served.mcpUrl,
    authorization_servers: [issuer.origin],
    bearer_methods_supported: ["header"],
  });
  await using alone = await openServedHttp();
  const without = await fetch(alone.mcpUrl, { method: "POST" });
  assert.doesNotMatch(without.headers.get("www-authenticate") ?? "", /resource_metadata/);
  assert.equal((await fetch(`${alone.url}/.well-known/oauth-protected-resource`)).status, 404);
});
