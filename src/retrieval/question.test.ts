import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createQuestion } from "./question.ts";

const words =
  "caching caches cache parties party dies die running runs nine hopped max_retries utf8Decoder HTTPServer x 42";
const word = fc.constantFrom(...words.split(" "), "größe", "日本語");

test("the quick check never misses a text that matches the subject of a question", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), fc.array(word, { maxLength: 4 }), (asked, written) => {
      const question = createQuestion(asked.join(" "));
      const text = `some lines before ${written.join(", ").toUpperCase()} ${written.join(" ")}`;
      assert.ok(question.match(text) === null || question.mayMatch(text), `${asked} in ${written}`);
    }),
  );
});

test("the quick check refuses a text without a word of the subject, whatever function words it has", () => {
  const { mayMatch } = createQuestion("what overheated in hangar nine");
  assert.equal(mayMatch("request 12 served in 40 ms by what is there"), false);
  assert.equal(mayMatch("the Hangars are open"), true);
  assert.equal(createQuestion("what is it").mayMatch("it is what it is"), true);
});
