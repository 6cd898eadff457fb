/** Sizes of targets that name no limit: what they accepted, what they refused, and what follows for the next request. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Target } from "../wire/outgoing-request.ts";
import { createSeenSizes } from "./seen-sizes.ts";

const target: Target = { endpoint: "api.sim", model: "sim-1" };
const otherModel: Target = { ...target, model: "sim-2" };

/** Sizes with a manual clock, after refusals of this many tokens. */
function refusedSizes(...refused: readonly number[]) {
  const clock = { ms: 0 };
  const seen = createSeenSizes(() => clock.ms);
  for (const tokens of refused) seen.recordRefused(target, "tokens", tokens);
  return { seen, clock };
}

const accept = (tokens: number) => ({ tokens, bytes: tokens * 4 });

describe("a target that names no limit", () => {
  test("is expected to refuse a size at or below which it refused two requests", () => {
    assert.equal(refusedSizes(9_000).seen.refusedFor(target, "tokens"), undefined);
    const { seen } = refusedSizes(9_500, 9_000, 12_000);
    assert.equal(seen.refusedFor(target, "tokens"), 9_500);
    assert.equal(seen.refusedFor(target, "bytes"), undefined);
    assert.equal(seen.refusedFor(otherModel, "tokens"), undefined);
  });

  test("is expected to accept it again once it was accepted, and after an hour", () => {
    const { seen } = refusedSizes(9_000, 9_500);
    seen.recordAccepted(target, accept(9_200));
    assert.equal(seen.refusedFor(target, "tokens"), undefined);
    const { seen: aged, clock } = refusedSizes(9_000, 9_500);
    clock.ms = 60 * 60 * 1_000;
    assert.equal(aged.refusedFor(target, "tokens"), 9_500);
    clock.ms += 1;
    assert.equal(aged.refusedFor(target, "tokens"), undefined);
  });

  test("gets 95 % of the largest size it accepted, in tokens and in bytes", () => {
    const { seen } = refusedSizes();
    seen.recordAccepted(target, accept(10_000));
    seen.recordAccepted(target, accept(8_000));
    assert.deepEqual(seen.aimFor(target, "tokens", 40_000), { size: 9_500, isProven: true });
    assert.deepEqual(seen.aimFor(target, "bytes", 160_000), { size: 38_000, isProven: true });
    assert.deepEqual(seen.aimFor(otherModel, "tokens", 40_000), { size: 18_000, isProven: false });
  });

  test("gets 45 % of the smallest size it refused where nothing comparable was accepted", () => {
    const { seen } = refusedSizes(40_000, 18_000);
    seen.recordAccepted(target, accept(20));
    assert.deepEqual(seen.aimFor(target, "tokens", 40_000), { size: 8_100, isProven: false });
  });

  test("does not get a size again that it accepted once and refused later", () => {
    const { seen } = refusedSizes();
    seen.recordAccepted(target, accept(9_200));
    seen.recordRefused(target, "tokens", 9_100);
    assert.equal(seen.acceptedFor(target).tokens, 0);
    assert.deepEqual(seen.aimFor(target, "tokens", 9_100), { size: 4_095, isProven: false });
  });
});
