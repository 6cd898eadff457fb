import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRateLimit } from "./rate-limit.ts";

describe("a rate limit", () => {
  test("allows a minute's requests at once, then one each time that one was earned", () => {
    let now = 0;
    const rates = createRateLimit(() => now);
    for (let count = 0; count < 60; count++) assert.equal(rates.take("ann", 60), 0);
    assert.equal(rates.take("ann", 60), 1);
    now = 999;
    assert.equal(rates.take("ann", 60), 1);
    now = 1_000;
    assert.equal(rates.take("ann", 60), 0);
    assert.equal(rates.take("ann", 60), 1);
    now = 3_600_000;
    for (let count = 0; count < 60; count++) assert.equal(rates.take("ann", 60), 0);
    assert.equal(rates.take("ann", 60), 1);
  });

  test("counts owners apart, and says how long a slow one waits", () => {
    const rates = createRateLimit(() => 0);
    assert.equal(rates.take("ann", 1), 0);
    assert.equal(rates.take("ann", 1), 60);
    assert.equal(rates.take("bob", 1), 0);
  });

  test("a clock that goes back gives nothing", () => {
    let now = 60_000;
    const rates = createRateLimit(() => now);
    assert.equal(rates.take("ann", 1), 0);
    now = 0;
    assert.equal(rates.take("ann", 1), 60);
  });
});
