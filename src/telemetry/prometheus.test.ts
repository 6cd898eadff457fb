import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createCounter, createHistogram } from "./prometheus.ts";

describe("the Prometheus text format", () => {
  test("writes a counter from the start, and one with labels once it was counted", () => {
    assert.equal(createCounter("a_total", "A.").text(), "# HELP a_total A.\n# TYPE a_total counter\na_total 0\n");
    const counter = createCounter("b_total", "B.", { isLabelled: true });
    assert.equal(counter.text(), "# HELP b_total B.\n# TYPE b_total counter\n");
    counter.add(2, { tool: "x" });
    counter.add(1, { tool: "x" });
    assert.match(counter.text(), /^b_total\{tool="x"\} 3$/m);
  });

  test("keeps any name inside its quotes and on its line", () => {
    const counter = createCounter("a_total", "A.", { isLabelled: true });
    counter.add(1, { tool: 'a"} 9\nb_total 5\\' });
    assert.match(counter.text(), /^a_total\{tool="a\\"\} 9\\nb_total 5\\\\"\} 1$/m);
    assert.equal(counter.text().trimEnd().split("\n").length, 3);
  });

  test("writes buckets that add up, for each label", () => {
    const histogram = createHistogram("s", "S.", [1, 5], { isLabelled: true });
    for (const value of [0.5, 3, 9, Number.NaN]) histogram.observe(value, { tool: "x" });
    assert.deepEqual(histogram.text().split("\n").slice(2, -1), [
      's_bucket{tool="x",le="1"} 1',
      's_bucket{tool="x",le="5"} 2',
      's_bucket{tool="x",le="+Inf"} 3',
      's_sum{tool="x"} 12.5',
      's_count{tool="x"} 3',
    ]);
  });
});
