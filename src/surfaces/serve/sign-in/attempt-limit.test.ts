import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAttemptLimit, MAX_ATTEMPTS, MAX_ATTEMPTS_PER_ADDRESS } from "./attempt-limit.ts";

describe("attempts to sign in", () => {
  test("are limited for each address, and allowed again with time", () => {
    let now = 0;
    const attempts = createAttemptLimit(() => now);
    for (let count = 0; count < MAX_ATTEMPTS_PER_ADDRESS; count++) assert.equal(attempts.take("192.0.2.1"), 0);
    const waitSeconds = attempts.take("192.0.2.1");
    assert.ok(waitSeconds > 0);
    assert.equal(attempts.take("192.0.2.2"), 0, "another address");
    now = waitSeconds * 1_000;
    assert.equal(attempts.take("192.0.2.1"), 0);
    assert.ok(attempts.take("192.0.2.1") > 0);
  });

  test("are limited for all addresses together", () => {
    let now = 0;
    const attempts = createAttemptLimit(() => now);
    for (let count = 0; count < MAX_ATTEMPTS; count++) assert.equal(attempts.take(`address ${count}`), 0);
    assert.ok(attempts.take("one more") > 0);
    now = 60_000;
    assert.equal(attempts.take("one more"), 0);
  });

  test("of one address do not use up those of the others", () => {
    const attempts = createAttemptLimit(() => 0);
    for (let count = 0; count < 10 * MAX_ATTEMPTS; count++) attempts.take("192.0.2.1");
    assert.equal(attempts.take("192.0.2.2"), 0);
  });
});
