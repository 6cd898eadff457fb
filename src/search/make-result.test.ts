import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { joinSpans } from "./make-result.ts";
import type { ChosenSpan, Span } from "./rank/spans.ts";

type Lines = readonly [startLine: number, endLine: number];

const toSpan = ([startLine, endLine]: Lines): ChosenSpan => ({ startLine, endLine, focus: startLine });
const toLines = ({ startLine, endLine }: Span): Lines => [startLine, endLine];
/** Lines of this many characters each. */
const linesOf = (chars: number) => (span: Span) => Math.max(0, span.endLine - span.startLine + 1) * chars;

for (const [name, spans, chars, joined] of [
  [
    "the best one first, the others by their lines",
    [
      [20, 22],
      [40, 41],
      [5, 5],
      [30, 30],
    ],
    1,
    [
      [20, 22],
      [5, 5],
      [30, 30],
      [40, 41],
    ],
  ],
  [
    "neighbours are one span",
    [
      [20, 22],
      [41, 41],
      [40, 40],
    ],
    30,
    [
      [20, 22],
      [40, 41],
    ],
  ],
  [
    "the best one grows by its neighbours",
    [
      [20, 22],
      [23, 23],
      [18, 19],
    ],
    30,
    [[18, 23]],
  ],
  [
    "a blank line or a bracket between two is shown with them",
    [
      [20, 22],
      [40, 40],
      [42, 43],
    ],
    1,
    [
      [20, 22],
      [40, 43],
    ],
  ],
  [
    "a line of code between two is not",
    [
      [20, 22],
      [40, 40],
      [42, 43],
    ],
    30,
    [
      [20, 22],
      [40, 40],
      [42, 43],
    ],
  ],
  [
    "many blank lines between two are not",
    [
      [20, 22],
      [40, 40],
      [44, 45],
    ],
    0,
    [
      [20, 22],
      [40, 40],
      [44, 45],
    ],
  ],
] as const satisfies readonly (readonly [string, readonly Lines[], number, readonly Lines[]])[]) {
  test(name, () => {
    assert.deepEqual(joinSpans(spans.map(toSpan), linesOf(chars)).map(toLines), joined);
  });
}

test("the focus of the best span stays", () => {
  const [best] = joinSpans([toSpan([20, 22]), toSpan([18, 19])], linesOf(1));
  assert.deepEqual(best, { startLine: 18, endLine: 22, focus: 20 });
});

test("every line that was chosen is shown once", () => {
  const spanList = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 4 })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(spanList, fc.integer({ min: 0, max: 9 }), (places, chars) => {
      const spans = places.map(([start, more]) => toSpan([start, start + more]));
      const listLines = (each: Span) =>
        Array.from({ length: each.endLine - each.startLine + 1 }, (_, at) => each.startLine + at);
      const shown = joinSpans(spans, linesOf(chars)).flatMap(listLines);
      assert.equal(new Set(shown).size, shown.length);
      for (const line of spans.flatMap(listLines)) assert.ok(shown.includes(line));
    }),
  );
});
