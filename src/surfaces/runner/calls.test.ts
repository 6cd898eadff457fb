import assert from "node:assert/strict";
import { test } from "node:test";
import { findTool } from "../../tools/tools.ts";
import { hidden } from "./calls.ts";

test("a secret is hidden however it is spelled, and nothing else is", () => {
  const fields = findTool("read_artifact")?.input ?? assert.fail();
  for (const name of ["password", "Password", "pass_word"]) {
    assert.deepEqual(hidden({ [name]: "sesame", pages: "3" }, fields), { [name]: "(not stored)", pages: "3" });
  }
  assert.equal(hidden('{"password":"sesame"}', fields), "(not stored)");
  const open = findTool("web_fetch")?.input ?? assert.fail();
  for (const input of [{ url: "a.txt" }, "a.txt", null, 7]) assert.deepEqual(hidden(input, open), input);
});
