import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SpillwayError } from "../errors.ts";
import { findTarget, type ProviderSettings } from "./providers.ts";

const noSettings: ProviderSettings = { "runner.endpoints": [], "runner.keys": [] };

function refusal(modelSpec: string, settings = noSettings, env: Record<string, string> = {}): SpillwayError {
  try {
    findTarget(modelSpec, settings, env);
  } catch (error) {
    if (error instanceof SpillwayError) return error;
  }
  return assert.fail(`${modelSpec} was accepted`);
}

describe("a model target", () => {
  test("is parsed from provider:model, where the model may have colons and slashes", () => {
    const env = { OPENAI_API_KEY: "one", ANTHROPIC_API_KEY: "two", GEMINI_API_KEY: "three" };
    const settings = { ...noSettings, "runner.endpoints": ["vllm=http://127.0.0.1:8000/v1/"] };
    const cases = [
      ["openai:gpt-5", { apiFormat: "openai", model: "gpt-5", baseUrl: undefined, key: "one" }],
      ["anthropic:claude", { apiFormat: "anthropic", model: "claude", baseUrl: undefined, key: "two" }],
      ["google:gemini-3", { apiFormat: "google", model: "gemini-3", baseUrl: undefined, key: "three" }],
      [
        "ollama:q/q:8b",
        { apiFormat: "compatible", model: "q/q:8b", baseUrl: "http://127.0.0.1:11434/v1", key: undefined },
      ],
      ["vllm:llama", { apiFormat: "compatible", model: "llama", baseUrl: "http://127.0.0.1:8000/v1", key: undefined }],
    ] as const;
    for (const [modelSpec, wanted] of cases) {
      const { provider: _, ...target } = findTarget(modelSpec, settings, env);
      assert.deepEqual(target, wanted);
    }
  });

  test("reads its key only from the variable that the setting names", () => {
    const settings = { ...noSettings, "runner.keys": ["openai=$WORK_KEY"] };
    assert.equal(findTarget("openai:gpt-5", settings, { WORK_KEY: " mine\n", OPENAI_API_KEY: "other" }).key, "mine");
    assert.match(refusal("openai:gpt-5", settings, { OPENAI_API_KEY: "other" }).message, /WORK_KEY is not set/);
  });

  test("has errors that say what is missing or wrong, and never repeat a key", () => {
    assert.equal(refusal("openai:gpt-5").message, "There is no key for openai: OPENAI_API_KEY is not set.");
    assert.equal(refusal("openai:gpt-5", noSettings, { OPENAI_API_KEY: " " }).code, "key_missing");
    assert.match(refusal("google:x").message, /GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY is not set/);
    for (const modelSpec of ["gpt-5", "openai:", ":x", "constructor:x", "nobody:gpt-5", ""]) {
      assert.equal(refusal(modelSpec, noSettings, { OPENAI_API_KEY: "k" }).code, "usage", modelSpec);
    }
    for (const key of ["sk-first\nsk-second", "sk-fir\u2026st", "sk-\u0001", "sk a"]) {
      const error = refusal("openai:gpt-5", noSettings, { OPENAI_API_KEY: key });
      assert.equal(error.code, "key_invalid", key);
      assert.ok(error.message.includes("OPENAI_API_KEY") && !/first|second|fir/.test(error.advice), error.advice);
    }
    for (const address of [
      "http://bob:hunter2@host/v1",
      "http://hunter2@host",
      "http://host/v1?key=hunter2",
      "http://host/#hunter2",
    ]) {
      const error = refusal("openai:x", { ...noSettings, "runner.endpoints": [`vllm=${address}`] });
      assert.ok(error.code === "config_invalid" && !error.advice.includes("hunter2"), error.advice);
    }
    for (const line of ["vllm", "vllm=127.0.0.1:8000", "vllm=ftp://host", "=http://host", "vllm=http://"]) {
      assert.equal(refusal("openai:x", { ...noSettings, "runner.endpoints": [line] }).code, "config_invalid", line);
    }
    const pasted = refusal("openai:x", { ...noSettings, "runner.keys": ["openai=sk-secret"] });
    assert.ok(pasted.code === "config_invalid" && !pasted.advice.includes("sk-secret"));
  });
});
