import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { defaultSettings } from "../../src/config/settings.ts";
import { getPool, readChildLimits } from "../../src/extract/pool/pools.ts";
import { lastWords, worstCases } from "../html-worst.ts";

/** The pool ends a child that exceeds these, and the test fails. */
const limits = { ...readChildLimits(defaultSettings), cpuMs: 5_000, memoryBytes: 400 * 1024 * 1024 };

/** The markup of lists and quotations is repeated on every line, up to a limit. */
const MAX_GROWTH = 16;

after(() => getPool("parse", limits).close());

describe("a page made to hang its reader or exhaust memory is read within 5 s of CPU and 400 MB", () => {
  for (const [name, make] of Object.entries(worstCases)) {
    test(name, async () => {
      const bytes = Buffer.from(make());
      const file = {
        content: { bytes },
        sizeBytes: bytes.length,
        kind: "html",
        mediaType: "text/html",
        charset: "utf-8",
      } as const;
      const job = { engine: "html", file, options: { mode: "markdown", from: 0 } } as const;
      let text = "";
      for await (const piece of getPool("parse", limits).run(job, new AbortController().signal)) {
        assert.ok(!("failed" in piece), "failed" in piece ? JSON.stringify(piece.failed) : "");
        if ("segment" in piece) text += piece.segment.text;
      }
      assert.ok(text.includes(lastWords), `${text.length} characters, ending with ${text.slice(-100)}`);
      assert.ok(text.length < MAX_GROWTH * bytes.length + 10_000, `${text.length} of ${bytes.length}`);
    });
  }
});
