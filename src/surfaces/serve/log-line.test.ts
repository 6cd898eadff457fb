import assert from "node:assert/strict";
import { test } from "node:test";
import { toLogLine } from "./log-line.ts";

test("what a client sent neither begins an entry of the log nor reaches the terminal as a code", () => {
  assert.equal(toLogLine("mcp: bad\nspillway serve: all is well"), "mcp: bad\n  spillway serve: all is well");
  assert.equal(toLogLine("a\r\nb"), "a\n  b");
  assert.equal(toLogLine("\u001b[2Jgone\u0007 \u202eabc \u2028x"), "gone\ufffd \ufffdabc \ufffdx");
  assert.equal(toLogLine("Grüße, 日本"), "Grüße, 日本");
});
