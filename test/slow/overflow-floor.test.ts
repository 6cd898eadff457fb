/** The floors of a long conversation: what stays in the provider's cache, and how full the window is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scoreConversation } from "../../bench/overflow-conversation.ts";
import { spillway } from "../../bench/overflow-strategies.ts";
import { findHttpSimulator } from "../../src/overflow/dialects/simulators.ts";

/** The second conversation and the smaller windows add more in each turn, and that is never cached. */
const floors = [
  { seed: 1, windowTokens: 100_000, cached: 0.9 },
  { seed: 2, windowTokens: 100_000, cached: 0.87 },
  { seed: 1, windowTokens: 64_000, cached: 0.86 },
  { seed: 1, windowTokens: 32_000, cached: 0.78 },
];
const MAX_MEAN_INPUT = 0.85;

for (const { seed, windowTokens, cached: floor } of floors) {
  test(`conversation ${seed} in ${windowTokens} tokens is cached to ${floor * 100} %, and no turn fails`, async () => {
    const simulator = findHttpSimulator("anthropic-messages");
    const { failed, cached, input } = await scoreConversation(simulator, spillway(), { seed, windowTokens });
    assert.equal(failed, 0);
    assert.ok(cached >= floor && input <= MAX_MEAN_INPUT, `cached ${cached}, input ${input}`);
  });
}
