import assert from "node:assert/strict";
import { test } from "node:test";
import { compareReadings } from "./compare-readings.ts";

const readings: readonly { name: string; first: string; second: string; shown: "first" | "second"; guess: boolean }[] =
  [
    {
      name: "two readers that agree are believed, in any layout",
      first: "A page of many words as they are",
      second: "A page of many\nwords as they are",
      shown: "first",
      guess: false,
    },
    {
      name: "plausible characters that a second reader does not confirm are guesswork",
      first: "\u4e16\u754f\u4eba\u6746\u5ba3\u8a03",
      second: "\u4e16\u754c\u4eba\u6743\u5ba3\u8a00",
      shown: "second",
      guess: true,
    },
    {
      name: "words are the only reading beside letters of no language",
      first: "\u01e1\u01fc\u01f1\u01fa \u01d3\u01ef",
      second: "Open Access",
      shown: "second",
      guess: false,
    },
    {
      name: "words are the only reading beside shifted letters",
      first: "'(6&5,37,21 RI JRRGV",
      second: "DESCRIPTION of goods",
      shown: "second",
      guess: false,
    },
    { name: "text is better than none", first: "", second: "Page 1", shown: "second", guess: false },
    { name: "words are better than punctuation", first: "Total", second: "%&/ ()=", shown: "first", guess: true },
    { name: "a reader that finds nothing confirms nothing", first: "Total", second: "", shown: "first", guess: true },
    {
      name: "text of form fields, which only the first reader gives, is not lost",
      first: "Name: Ada Lovelace Address: St James Square, London City of Westminster",
      second: "Name: Address: City of",
      shown: "first",
      guess: true,
    },
    {
      name: "text of form fields does not make the rest doubtful",
      first: "Name: Ada Address: London",
      second: "Name: Address:",
      shown: "first",
      guess: false,
    },
  ];

for (const { name, shown, guess, ...texts } of readings) {
  test(name, () =>
    assert.deepEqual(compareReadings(texts.first, texts.second), { text: texts[shown], isGuesswork: guess }),
  );
}

const unknown = "\ubb3e\ud477";

test("a second reader that gives the numbers of unknown glyphs has not read them", () => {
  const first = "\ufffd\ufffd \ucc28\uc138\ub300 \ubc29\uc9c0";
  const second = `${unknown} \ucc28\uc138\ub300 \ubc29\uc9c0`;
  assert.deepEqual(compareReadings(first, second, unknown), { text: first, isGuesswork: true });
});

test("a second reader that knows the unknown glyphs fills them in", () => {
  const verdict = compareReadings("A \ufffdarbour fo\ufffd ships", "A harbour for ships", unknown);
  assert.deepEqual(verdict, { text: "A harbour for ships", isGuesswork: false });
});

test("a second reader that skips the unknown glyphs leaves them unknown", () => {
  const first = "A \ufffdarbour fo\ufffd ships";
  assert.deepEqual(compareReadings(first, "A arbour fo ships", unknown), { text: first, isGuesswork: true });
});

const page = `${"The quick brown fox runs to the old harbour where the boats lie. ".repeat(8)}Zürich, Zürich, Zürich.`;
const pageWithGaps = page.replaceAll("ü", "\ufffd");

test("unknown glyphs are filled in where they are less than 2 % of a page", () => {
  const numbers = unknown.repeat(2).slice(0, 3);
  assert.deepEqual(compareReadings(pageWithGaps, page, numbers), { text: page, isGuesswork: false });
});

test("a second reader that fills in only some of them, and gives the numbers of others, has not read them", () => {
  const second = page.replace("ü", unknown.slice(0, 1));
  assert.deepEqual(compareReadings(pageWithGaps, second, unknown), { text: pageWithGaps, isGuesswork: true });
});
