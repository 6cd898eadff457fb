import assert from "node:assert/strict";
import { test } from "node:test";
import { findConfigured, hasProvider } from "./web-access.ts";

const none = { "web.providers": [], "web.addresses": [] };
const names = (settings: Parameters<typeof findConfigured>[0], env: Record<string, string>) =>
  findConfigured(settings, env).map(({ provider }) => provider.name);

test("a provider is configured by its keys, or by its address if it has no key", () => {
  assert.deepEqual(names(none, {}), []);
  assert.deepEqual(names(none, { BRAVE_API_KEY: "k", EXA_API_KEY: "  " }), ["brave"]);
  assert.deepEqual(names(none, { GOOGLE_PSE_KEY: "k" }), [], "both keys are needed");
  assert.deepEqual(names({ ...none, "web.addresses": ["searxng=http://127.0.0.1:8888/"] }, {}), ["searxng"]);
  assert.deepEqual(hasProvider(none, {}), false);
});

test("web.providers gives the order and leaves out the others", () => {
  const env = { EXA_API_KEY: "k", BRAVE_API_KEY: "k", TAVILY_API_KEY: "k" };
  assert.deepEqual(names(none, env), ["exa", "brave", "tavily"]);
  assert.deepEqual(names({ ...none, "web.providers": ["Tavily", "exa", "kagi"] }, env), ["tavily", "exa"]);
});

test("a setting or a key that cannot be used fails the call, and the tools stay listed", () => {
  const cases = [
    { settings: { ...none, "web.providers": ["bing"] }, env: {}, message: /names "bing", which is unknown/ },
    { settings: { ...none, "web.addresses": ["http://127.0.0.1:8888"] }, env: {}, message: /not name=address/ },
    { settings: { ...none, "web.addresses": ["bing=http://a.example"] }, env: {}, message: /not name=address/ },
    { settings: { ...none, "web.addresses": ["exa=https://u:p@a.example"] }, env: {}, message: /not name=address/ },
    { settings: none, env: { EXA_API_KEY: "a\nb" }, message: /EXA_API_KEY contains a character/ },
  ];
  for (const { settings, env, message } of cases) {
    assert.throws(
      () => findConfigured(settings, env),
      (error: Error) =>
        message.test(error.message) && !error.message.includes("a\nb") && !error.message.includes("u:p"),
    );
    assert.equal(hasProvider(settings, env), true);
  }
});
