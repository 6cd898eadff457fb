/** Which addresses a login through the gateway may lead to, whatever a server says about itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../../../../test/server.ts";
import { createLoginRelay } from "./login-relay.ts";

test("codes and tokens are not sent to addresses of this machine, or without TLS, that a server elsewhere names", async () => {
  for (const endpoint of [
    "http://127.0.0.1:1/x",
    "http://login.example/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
  ]) {
    const asked: string[] = [];
    const issuer = { issuer: "https://login.example", authorization_endpoint: endpoint, token_endpoint: endpoint };
    const resource = { resource: "https://docs.example/mcp", authorization_servers: ["https://login.example"] };
    const relay = createLoginRelay({
      url: "https://docs.example/mcp",
      fetch: async (input) => {
        asked.push(String(input));
        return Response.json(String(input).includes("login.example") ? issuer : resource);
      },
    });
    await using gateway = await startServer((request, response) => {
      const place = { origin: "http://127.0.0.1", base: "http://127.0.0.1/token" };
      void relay.serve(request.url ?? "", request, "grant_type=authorization_code&code=secret", response, place);
    });
    for (const path of ["/oauth/authorize?client_id=c", "/oauth/token"]) {
      const reply = await fetch(`${gateway.origin}${path}`, { method: "POST", redirect: "manual" });
      assert.equal(reply.status, 404, `${endpoint}: ${path}`);
    }
    assert.deepEqual(
      asked.filter((address) => address.startsWith(endpoint)),
      [],
    );
  }
});
