import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { documentBombs } from "../document-bombs.ts";
import { MAX_CPU_MS, MAX_PEAK_MB, makeBombMeter } from "../measure-bomb.ts";

describe("a file made to exhaust a reader", { timeout: 600_000 }, () => {
  test("there are more than thirty, each different", () => {
    assert.ok(new Set(documentBombs.map(({ name }) => name)).size > 30);
  });

  test("ends in text, facts or a typed reason, with little CPU time and memory", async (t) => {
    await using meter = await makeBombMeter("document-bomb-child");
    for (const bomb of documentBombs) {
      const { cpuMs, peakMb, chars, infos, reason } = await meter.measure(
        await bomb.make(),
        bomb.mediaType,
        bomb.entry,
      );
      const outcome = reason ?? `${chars} characters`;
      t.diagnostic(`${bomb.name}: ${Math.round(cpuMs)} ms, ${Math.round(peakMb)} MB, ${outcome}`);
      assert.equal(reason, bomb.reason ?? null, bomb.name);
      assert.ok(chars > 0 || infos > 0 || reason !== null, bomb.name);
      assert.ok(cpuMs < MAX_CPU_MS, `${bomb.name}: ${cpuMs} ms`);
      assert.ok(peakMb < MAX_PEAK_MB, `${bomb.name}: ${peakMb} MB`);
    }
  });
});
