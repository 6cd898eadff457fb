/** Answers of services, gateways and servers, and mistakes that only sound like an overflow: a set the rules were once judged by blind. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { classify } from "./classify.ts";
import { isOverflow, type OverflowClass, type Verdict } from "./verdict.ts";
import { wordings } from "./wordings.ts";

type Row = {
  readonly from: string;
  readonly status: number | null;
  readonly body: string;
  readonly is: OverflowClass | "no_overflow";
} & Partial<Pick<Verdict, "limit" | "actual" | "unit">>;

const rows = readFileSync(new URL("../../../test/refusals.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line): Row => JSON.parse(line));

describe("answers", () => {
  for (const { from, status, body, is, ...figures } of rows.filter(({ is }) => is !== "no_overflow")) {
    test(`of ${from} are ${is}: ${body.slice(0, 100)}`, () => {
      const verdict = classify({ status, body });
      assert.equal(verdict.class, is);
      for (const [name, value] of Object.entries(figures)) assert.equal(verdict[name as keyof Verdict], value, name);
    });
  }
});

describe("a wording that claims to be quoted", () => {
  for (const { example } of wordings.filter(({ origin }) => origin === "quoted")) {
    test(`is: ${example.slice(0, 80)}`, () => assert.ok(rows.some(({ body }) => body.includes(example))));
  }
});

test("mistakes are taken for an overflow in two cases of 73 at most", () => {
  const mistakes = rows.filter(({ is }) => is === "no_overflow");
  const taken = mistakes.filter((row) => isOverflow(classify(row)) || classify(row).class === "output_limit");
  assert.equal(mistakes.length, 73);
  assert.ok(taken.length <= 2, taken.map(({ body }) => body).join("\n"));
});

test("an error that AWS names in a header is read by that name", () => {
  const body = JSON.stringify({ message: "Too many tokens for this request" });
  assert.equal(classify({ status: 400, body }).class, "context_tokens");
  const headers = { "x-amzn-errortype": "ServiceQuotaExceededException:http://internal" };
  assert.equal(classify({ status: 400, headers, body }).class, "rate_limit");
});

test("a limit of a few bytes is no limit of a request", () => {
  const { limit, actual } = classify({ status: 413, body: "Request body is too large: 40 > 32" });
  assert.deepEqual([limit, actual], [undefined, undefined]);
});
