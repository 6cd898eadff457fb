import assert from "node:assert/strict";
import { test } from "node:test";
import { createVerbatimGain } from "./verbatim.ts";
import { rankWeights } from "./weights.ts";

test("a text gains by the longest run of the query's words, and nothing by a short run", () => {
  const gainOf = createVerbatimGain("Error: connection closed before response") ?? assert.fail();
  assert.equal(gainOf('throw new Error("connection closed before response");'), rankWeights.verbatim);
  assert.equal(gainOf('fail("Connection closed before response")'), (rankWeights.verbatim * 4) / 5);
  assert.equal(gainOf("response before closed connection; connection closed before"), 0);
  assert.equal(createVerbatimGain("three words only"), null);
});
