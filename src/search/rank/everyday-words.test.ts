import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkText } from "../index/chunk.ts";
import { createView } from "../index/index-view.ts";
import { createSegmentBuilder } from "../index/segments/build-segment.ts";
import { openSegment } from "../index/segments/index-segment.ts";
import { findCodeWords } from "./everyday-words.ts";
import { parseQuery } from "./query.ts";

/** A view of one text, in so many files that no word of it counts as one that code hardly has. */
function viewOf(text: string) {
  const builder = createSegmentBuilder();
  for (let id = 1; id <= 5; id++) builder.add({ id, path: `${id}.ts`, text, chunks: chunkText(text) });
  return createView([openSegment(builder.finish()) ?? assert.fail("no segment")], null);
}

const empty = viewOf("const nothing = 0;\n");
const translate = (question: string, view = empty) => findCodeWords(view, parseQuery(question).terms);
const codeWordsOf = (question: string, view = empty) => translate(question, view).map(({ text }) => text);

test("everyday words have words of code", () => {
  assert.ok(codeWordsOf("make a small picture").includes("thumbnail"));
  assert.ok(codeWordsOf("get rid of what is old").includes("remov"));
  assert.ok(codeWordsOf("the answer to a visitor").includes("respons"));
});

test("words that this code has itself are not translated, unless code in general hardly has them", () => {
  const view = viewOf("const picture = again;\n");
  assert.deepEqual(codeWordsOf("picture", view), []);
  assert.ok(codeWordsOf("picture").includes("imag"));
  assert.ok(codeWordsOf("again", view).includes("retri"));
});

test("of many words of code, the few nearest to the question count, and less than its own words", () => {
  assert.notDeepEqual(codeWordsOf("again when the connection fails"), codeWordsOf("again when the page is drawn"));
  for (const { word, weight } of translate("remove a wrong value later")) {
    assert.ok(weight > 0 && weight <= 0.5);
    assert.ok(word < 4);
  }
  const perWord = Map.groupBy(translate("the same again"), ({ word }) => word);
  for (const words of perWord.values()) assert.ok(words.length <= 8);
});

test("a question without known words has no words of code", () => {
  assert.deepEqual(codeWordsOf("qzxv wvut"), []);
  assert.deepEqual(findCodeWords(empty, []), []);
});
