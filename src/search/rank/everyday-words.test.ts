import assert from "node:assert/strict";
import { test } from "node:test";
import { findCodeWords } from "./everyday-words.ts";
import { parseQuery } from "./query.ts";

const codeWordsOf = (question: string) => findCodeWords(parseQuery(question).terms).map(({ text }) => text);

test("everyday words have words of code", () => {
  assert.ok(codeWordsOf("make a small picture").includes("thumbnail"));
  assert.ok(codeWordsOf("throw away what is old").includes("purg"));
  assert.ok(codeWordsOf("the answer to a visitor").includes("respons"));
});

test("names that code has itself are not translated", () => {
  assert.deepEqual(codeWordsOf("token cache timeout"), []);
});

test("of many words of code, the few nearest to the question count, and less than its own words", () => {
  const [about, other] = [codeWordsOf("look for the same text"), codeWordsOf("the same machine answers")];
  assert.notDeepEqual(about, other);
  for (const { word, weight } of findCodeWords(parseQuery("remove a wrong value later").terms)) {
    assert.ok(weight > 0 && weight <= 0.5);
    assert.ok(word < 4);
  }
  const perWord = Map.groupBy(findCodeWords(parseQuery("remove it").terms), ({ word }) => word);
  for (const words of perWord.values()) assert.ok(words.length <= 5);
});

test("a question without known words has no words of code", () => {
  assert.deepEqual(codeWordsOf("qzxv wvut"), []);
  assert.deepEqual(findCodeWords([]), []);
});
