/** Classifies every row of test/fixtures/refusals.jsonl: refusals, errors that only sound like one, and model text. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type Classifiable, classify } from "./classify.ts";
import { isOverflow, type Verdict } from "./verdict.ts";
import { wordings } from "./wordings.ts";

type Row = {
  readonly name: string;
  /**
   * Where the row comes from: `quoted` from a public thread (the name), `reviewer` or `written` by hand. The rules have
   * been fitted to all of them since, also to those that were first judged blind.
   */
  readonly origin: string;
  readonly input: Input;
  readonly expected: Expected;
  /** What the classifier is known to get wrong; such a row is skipped. */
  readonly mistake?: string;
};

/** What `classify` gets; `json` is a body that is sent as JSON text, `body` and the others are passed as they are. */
type Input = Classifiable | { readonly status: number | null; readonly json: unknown };

/** Fields of the verdict, null for one it must not have; or that a smaller request or output would not help. */
type Expected = { readonly [K in keyof Verdict]?: Verdict[K] | null } | { readonly overflow: false };

const rows = readFileSync(new URL("../../../test/fixtures/refusals.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line): Row => JSON.parse(line));

describe("a provider's response", () => {
  for (const { name, input, expected, mistake } of rows) {
    test(`${name} is ${JSON.stringify(expected)}`, { skip: mistake }, () => {
      const verdict = classify("json" in input ? { ...input, body: JSON.stringify(input.json) } : input);
      if ("overflow" in expected) assert.ok(!isOverflow(verdict) && verdict.class !== "output_limit", verdict.class);
      else assertFields(verdict, expected);
    });
  }
});

function assertFields(verdict: Verdict, expected: object): void {
  for (const [field, value] of Object.entries(expected))
    assert.equal(verdict[field as keyof Verdict] ?? null, value, field);
}

test("names are unique and there are at most two known mistakes", () => {
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  assert.ok(rows.filter(({ mistake }) => mistake !== undefined).length <= 2);
});

describe("a wording that claims to be quoted", () => {
  const bodies = rows.filter(({ origin }) => origin === "quoted").map(({ input }) => JSON.stringify(input));
  for (const { example } of wordings.filter(({ origin }) => origin === "quoted")) {
    test(`occurs in a row: ${example.slice(0, 80)}`, () => assert.ok(bodies.some((body) => body.includes(example))));
  }
});
