import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { soakCount } from "../../test/soak.ts";
import { splitWords, toTerms } from "./terms.ts";

const words = [
  { name: "words and digits", text: "Port 8080, please!", words: ["Port", "8080", "please"] },
  { name: "identifiers are one word", text: "max_retries = getUserName()", words: ["max_retries", "getUserName"] },
  { name: "full width becomes plain", text: "ＡＢＣ１", words: ["ABC1"] },
  { name: "accents and other alphabets", text: "naïve Привет", words: ["naïve", "Привет"] },
  { name: "scripts without spaces are separate words", text: "使用API接口", words: ["使用", "API", "接口"] },
  { name: "text without words", text: "-- !? --", words: [] },
];

const parts = [
  { word: "Plain", parts: ["plain"], identifier: null },
  { word: "max_retry_count", parts: ["max", "retri", "count"], identifier: "max_retry_count" },
  { word: "getUserName", parts: ["get", "user", "nam"], identifier: "getusernam" },
  { word: "HTTPServer2Go", parts: ["http", "server2", "go"], identifier: "httpserver2go" },
  { word: "URLs", parts: ["url"], identifier: null },
  { word: "sha256", parts: ["sha256"], identifier: null },
  { word: "__init__", parts: ["init"], identifier: null },
  { word: "___", parts: [], identifier: null },
  { word: "データベース", parts: ["デー", "ータ", "タベ", "ベー", "ース"], identifier: null },
  { word: "犬", parts: ["犬"], identifier: null },
];

const sameTerm = [
  ["cache", "caches", "cached", "caching"],
  ["install", "installs", "installed", "installing", "Installing"],
  ["retry", "retries", "retried", "retrying"],
  ["run", "runs", "running"],
  ["process", "processes", "processed", "processing"],
  ["box", "boxes"],
  ["value", "values", "valued"],
];

const otherTerms = [
  ["string", "str"],
  ["thing", "th"],
  ["need", "ne"],
  ["status", "statu"],
  ["this", "thi"],
  ["user", "use"],
];

describe("words", () => {
  for (const { name, text, words: expected } of words) test(name, () => assert.deepEqual(splitWords(text), expected));
});

describe("terms", () => {
  for (const { word, ...expected } of parts) {
    test(`of ${word}`, () => {
      const { parts, identifier } = toTerms(word);
      assert.deepEqual({ parts, identifier }, expected);
    });
  }

  for (const forms of sameTerm) {
    test(`${forms.join(", ")} are one`, () =>
      assert.equal(new Set(forms.map((form) => toTerms(form).parts[0])).size, 1));
  }

  for (const [one = "", other = ""] of otherTerms) {
    test(`${one} is not ${other}`, () => assert.notDeepEqual(toTerms(one), toTerms(other)));
  }

  test("of ASCII identifiers are split like those with a letter of another script", () => {
    const name = fc.stringMatching(/^[A-Ca-c1_]{1,12}$/);
    fc.assert(
      fc.property(name, (word) => {
        const [accented = "", ...others] = toTerms(`é_${word}`).parts;
        assert.deepEqual([accented, others], ["é", [...toTerms(word).parts]]);
      }),
      { numRuns: soakCount({ sample: 400, full: 2_000 }) },
    );
  });
});
