import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings, type Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { checkStart } from "./start-checks.ts";

const outside = { "serve.address": "0.0.0.0" };
const behindTls = { ...outside, "serve.tls": "in_front" } as const;
const named = { ...behindTls, "serve.hosts": ["mcp.example.com"] };

test("the server starts only where it is protected, and says what is missing", () => {
  const rows: readonly [Partial<Settings>, boolean, RegExp | undefined][] = [
    [{}, false, undefined],
    [{ "serve.address": "127.0.0.2" }, false, undefined],
    [{ "serve.address": "::1" }, false, undefined],
    [outside, true, /serve\.tls=in_front/],
    [{ "serve.address": "127.0.0.1.example.com" }, true, /serve\.tls=in_front/],
    [{ "serve.address": "::" }, true, /serve\.tls=in_front/],
    [behindTls, true, /serve\.hosts=/],
    [named, false, /spillway token add NAME/],
    [named, true, undefined],
    [{ "serve.hosts": ["*"] }, true, /without a scheme/],
    [{ "serve.hosts": ["https://mcp.example.com"] }, true, /without a scheme/],
    [{ "serve.hosts": ["mcp.example.com/x"] }, true, /without a scheme/],
    [{ "serve.hosts": ["mcp.example.com:8443", "[::1]:8403"] }, true, undefined],
    [{ "serve.origins": ["*"] }, true, /without a path/],
    [{ "serve.origins": ["https://*.example.com"] }, true, /without a path/],
    [{ "serve.origins": ["https://app.example.com/x"] }, true, /without a path/],
    [{ "serve.origins": ["app.example.com"] }, true, /without a path/],
    [{ "serve.origins": ["null"] }, true, /without a path/],
    [{ "serve.origins": ["https://app.example.com"] }, true, undefined],
    [{ "serve.issuer": "http://issuer.example.com" }, true, /Use https/],
    [{ "serve.issuer": "issuer.example.com" }, true, /Use https/],
    [{ "serve.issuer": "https://issuer.example.com", "serve.keys": "file:///keys" }, true, /Use https/],
    [{ "serve.issuer": "https://issuer.example.com", "serve.algorithms": ["HS256"] }, true, /RS256/],
    [{ "serve.issuer": "https://issuer.example.com", "serve.algorithms": ["none"] }, true, /RS256/],
    [{ "serve.issuer": "https://issuer.example.com", "serve.algorithms": [] }, true, /RS256/],
    [{ "serve.issuer": "https://issuer.example.com" }, true, undefined],
    [{ "serve.issuer": "http://localhost:9000", "serve.keys": "http://[::1]:9000/k" }, true, undefined],
  ];
  for (const [changes, hasTokens, hint] of rows) {
    const check = () => checkStart({ ...defaultSettings, ...changes }, hasTokens);
    if (hint === undefined) check();
    else
      assert.throws(check, (error) => error instanceof SpillwayError && hint.test(error.hint), JSON.stringify(changes));
  }
});
