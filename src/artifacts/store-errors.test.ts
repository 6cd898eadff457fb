/** What a store that does not work says of itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unavailableError } from "./store-errors.ts";

test("a store that cannot be written is named once in a sentence", () => {
  const cause = Object.assign(new Error("denied"), { code: "EACCES" });
  assert.deepEqual(
    (["kept", "read", "changed"] as const).map((action) => unavailableError(action, cause).message),
    [
      "The artifact could not be kept: the store cannot be written.",
      "The store cannot be read: its folder cannot be written.",
      "The store cannot be changed: its folder cannot be written.",
    ],
  );
});
