import assert from "node:assert/strict";
import { test } from "node:test";
import * as limits from "./limits.ts";

test("the limits are those of the contract", () => {
  assert.deepEqual(
    { ...limits },
    {
      MAX_INLINE_CONTENT: 30_000,
      DEFAULT_GET_CONTENT_MAX_CHARS: 30_000,
      MAX_GET_CONTENT_CHARS: 100_000,
      EXCERPT_CHARS: 4_000,
      CHARACTER_LIMIT: 100_000,
      CHAR_TO_TOKEN_RATIO: 4,
      TRUNCATION_MARGIN: 0.8,
      EFFECTIVE_CHAR_LIMIT: 80_000,
      TRUNCATION_WARNING_THRESHOLD: 0.7,
      MIN_BUDGET_CHARS: 1_000,
      OVERHEAD_CHARS: 600,
      WIRE_BYTES: 900_000,
    },
  );
});
