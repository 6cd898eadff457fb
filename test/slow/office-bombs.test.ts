import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAX_CPU_MS, MAX_PEAK_MB, makeBombMeter } from "../measure-bomb.ts";
import { bombs } from "../office-bombs.ts";
import { officeTypes } from "../office-text.ts";

describe("a document made to exhaust a reader", { timeout: 600_000 }, () => {
  test("there are more than thirty, each different", () => {
    assert.ok(new Set(bombs.map(({ name }) => name)).size > 30);
  });

  test("ends in text or a typed reason, with little CPU time and memory", async (t) => {
    await using meter = await makeBombMeter("office-bomb-child");
    for (const bomb of bombs) {
      const { cpuMs, peakMb, chars, reason } = await meter.measure(bomb.make(), officeTypes[bomb.format]);
      const outcome = reason ?? `${chars} characters`;
      t.diagnostic(`${bomb.name}: ${Math.round(cpuMs)} ms, ${Math.round(peakMb)} MB, ${outcome}`);
      assert.ok(chars > 0 || reason !== null, bomb.name);
      assert.ok(cpuMs < MAX_CPU_MS, `${bomb.name}: ${cpuMs} ms`);
      assert.ok(peakMb < MAX_PEAK_MB, `${bomb.name}: ${peakMb} MB`);
    }
  });
});
