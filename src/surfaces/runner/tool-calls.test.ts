import assert from "node:assert/strict";
import { test } from "node:test";
import { findTool } from "../../tools/tools.ts";
import { hideSecrets } from "./tool-calls.ts";

test("secrets are hidden however they are spelled and wherever they are, and nothing else is", () => {
  const withSecrets = findTool("read_artifact")?.input ?? assert.fail();
  for (const name of ["password", "Password", "pass_word"]) {
    assert.deepEqual(hideSecrets({ [name]: "sesame", pages: "3" }, withSecrets), {
      [name]: "(not stored)",
      pages: "3",
    });
  }
  for (const input of ['{"password":"sesame"}', [{ password: "sesame" }]])
    assert.equal(hideSecrets(input, withSecrets), "(not stored)");
  assert.deepEqual(hideSecrets({ args: { password: "sesame" } }, withSecrets), { args: "(not stored)" });
  for (const input of [{}, null, undefined, [], ""]) assert.deepEqual(hideSecrets(input, withSecrets), input);
  const withoutSecrets = findTool("web_fetch")?.input ?? assert.fail();
  for (const input of [{ url: "a.txt", more: [1] }, "a.txt", ["a.txt"], null, 7])
    assert.deepEqual(hideSecrets(input, withoutSecrets), input);
});

test("the whole input of a call to an unknown tool is hidden", () => {
  for (const input of [{ password: "sesame" }, "sesame", ["sesame"]])
    assert.equal(hideSecrets(input, undefined), "(not stored)");
  assert.deepEqual(hideSecrets({}, undefined), {});
});
