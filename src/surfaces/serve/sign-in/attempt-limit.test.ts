import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAttemptLimit, MAX_FAILURES_PER_ADDRESS, MAX_LOOKS } from "./attempt-limit.ts";

describe("attempts to sign in", () => {
  test("that fail are limited for each address, and allowed again with time", () => {
    let now = 0;
    const attempts = createAttemptLimit(() => now);
    for (let count = 0; count < MAX_FAILURES_PER_ADDRESS; count++) assert.equal(attempts.takeFailure("192.0.2.1"), 0);
    const waitSeconds = attempts.takeFailure("192.0.2.1");
    assert.ok(waitSeconds > 0);
    assert.equal(attempts.takeFailure("192.0.2.2"), 0, "another address");
    now = waitSeconds * 1_000;
    assert.equal(attempts.takeFailure("192.0.2.1"), 0);
    assert.ok(attempts.takeFailure("192.0.2.1") > 0);
  });

  test("by a code are limited for all addresses together", () => {
    let now = 0;
    const attempts = createAttemptLimit(() => now);
    for (let count = 0; count < MAX_LOOKS; count++) assert.equal(attempts.takeLook(), 0);
    assert.ok(attempts.takeLook() > 0);
    now = 60_000;
    assert.equal(attempts.takeLook(), 0);
  });
});
