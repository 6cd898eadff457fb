import assert from "node:assert/strict";
import { test } from "node:test";
import { verbatimGain } from "./verbatim.ts";
import { weights } from "./weights.ts";

test("a text gains by the longest run of the question's words, and nothing by chance", () => {
  const gainOf = verbatimGain("Error: connection closed before response") ?? assert.fail();
  assert.equal(gainOf('throw new Error("connection closed before response");'), weights.verbatim);
  assert.equal(gainOf('fail("Connection closed before response")'), (weights.verbatim * 4) / 5);
  assert.equal(gainOf("response before closed connection; connection closed before"), 0);
  assert.equal(verbatimGain("three words only"), null);
});
