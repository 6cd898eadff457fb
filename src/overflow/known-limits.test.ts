/** Limits that are learnt: when they count, whose they are, and how a wrong one is forgotten. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Verdict } from "./classify/verdict.ts";
import { knownLimits } from "./known-limits.ts";
import type { Target } from "./wire/outgoing-request.ts";

const target: Target = { endpoint: "api.sim", model: "sim-1" };
const refusal = (limit: number, input: number): Verdict => ({
  class: "context_tokens",
  confidence: 0.95,
  unit: "tokens",
  limit,
  input,
  actual: input,
});

/** Limits with a clock that only a test moves, after so many refusals of the same number. */
function learnt(times: number, given: readonly string[] = []) {
  const clock = { ms: 0 };
  const limits = knownLimits(given, () => clock.ms);
  for (let at = 0; at < times; at++) limits.learn(target, refusal(8_000, 9_000), 9_000);
  return { limits, clock };
}

describe("a limit that is learnt", () => {
  test("counts from the second refusal that names it", () => {
    assert.deepEqual(
      [1, 2].map((times) => learnt(times).limits.tokensFor(target)),
      [undefined, 8_000],
    );
  });

  test("is that of one upstream and one model", () => {
    const { limits } = learnt(2);
    assert.equal(limits.tokensFor({ ...target, endpoint: "other.sim" }), undefined);
    assert.equal(limits.tokensFor({ ...target, model: "sim-2" }), undefined);
  });

  test("stays while what is accepted is below it, and is forgotten when more is", () => {
    const { limits } = learnt(2);
    limits.disprove(target, 8_000);
    assert.equal(limits.tokensFor(target), 8_000);
    limits.disprove({ ...target, model: "sim-2" }, 50_000);
    assert.equal(limits.tokensFor(target), 8_000);
    limits.disprove(target, 8_001);
    assert.deepEqual([limits.tokensFor(target), limits.any()], [undefined, false]);
  });

  test("gives way to another number, which has to be named twice as well", () => {
    const { limits } = learnt(2);
    limits.learn(target, refusal(16_000, 20_000), 20_000);
    assert.equal(limits.tokensFor(target), undefined);
    limits.learn(target, refusal(16_000, 20_000), 20_000);
    assert.equal(limits.tokensFor(target), 16_000);
  });

  test("is asked for again after an hour, when one more refusal confirms it", () => {
    const { limits, clock } = learnt(2);
    clock.ms = 60 * 60 * 1_000;
    assert.equal(limits.tokensFor(target), 8_000);
    clock.ms += 1;
    assert.equal(limits.tokensFor(target), undefined);
    limits.learn(target, refusal(8_000, 9_000), 9_000);
    assert.equal(limits.tokensFor(target), 8_000);
  });

  test("never stands in the way of one that was set, which nothing disproves", () => {
    const { limits, clock } = learnt(2, ["sim-1=4_000"]);
    limits.disprove(target, 100_000);
    clock.ms = 10 ** 9;
    assert.deepEqual([limits.tokensFor(target), limits.learntFor(target)], [4_000, undefined]);
  });
});

describe("a limit that is never named", () => {
  const refusing = (...estimates: readonly number[]) => {
    const clock = { ms: 0 };
    const limits = knownLimits([], () => clock.ms);
    for (const estimate of estimates) limits.refusedBlindly(target, estimate);
    return { limits, clock };
  };

  test("is at most what was refused twice, it or less", () => {
    assert.equal(refusing(9_000).limits.refusedFor(target), undefined);
    const { limits } = refusing(9_500, 9_000, 12_000);
    assert.equal(limits.refusedFor(target), 9_500);
    assert.equal(limits.refusedFor({ ...target, model: "sim-2" }), undefined);
    limits.accept(target, 8_000);
    assert.deepEqual([limits.refusedFor(target), limits.acceptedFor(target)], [9_500, 8_000]);
  });

  test("is sought again where more was accepted than was refused, or less refused than was accepted", () => {
    const { limits } = refusing(9_000, 9_500);
    limits.accept(target, 9_200);
    assert.equal(limits.refusedFor(target), undefined);
    limits.refusedBlindly(target, 9_100);
    assert.deepEqual([limits.refusedFor(target), limits.acceptedFor(target)], [9_500, 0]);
  });

  test("is sought again after an hour", () => {
    const { limits, clock } = refusing(9_000, 9_500);
    clock.ms = 60 * 60 * 1_000;
    assert.equal(limits.refusedFor(target), 9_500);
    clock.ms += 1;
    assert.equal(limits.refusedFor(target), undefined);
  });
});
