/** The benchmarks page shows tables, whichever way a bench has printed them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toMarkdown } from "../scripts/benchmarks-page.ts";

test("a table that was drawn with lines becomes a table of Markdown", () => {
  const drawn = [
    "3 files",
    "┌─────────┬─────────┐",
    "│ (index) │ found % │",
    "├─────────┼─────────┤",
    "│ ours    │ '99.10' │",
    "│ a peer  │ 12      │",
    "└─────────┴─────────┘",
    "| already | Markdown |",
  ].join("\n");
  const expected = [
    "3 files",
    "",
    "|  | found % |",
    "|---|---|",
    "| ours | 99.10 |",
    "| a peer | 12 |",
    "",
    "| already | Markdown |",
  ].join("\n");
  assert.equal(toMarkdown(drawn), expected);
});
