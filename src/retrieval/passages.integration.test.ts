import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { createHeadingFinder } from "../extract/headings.ts";
import { rankPassages } from "./passages.ts";

const manual = `# Pump manual

This manual describes how to set up, use and clean the P-200 pump. Keep the manual near the pump, and hand it on with the
pump when you sell it. Read the safety notes before you use the pump for the first time, and whenever something is not clear
to you. How do I find something? Use the index at the end of the manual, or the list of error codes in the last chapter.

## Installation

Place the pump on a level floor. Connect the inlet hose to the lower port and the outlet hose to the upper port, then tighten
both clamps by hand. The pump must stand lower than the tank, or it will not fill by itself. Plug the cable in last, when
all hoses are connected and no water is on the floor.

## Cleaning

Unplug the cable. Open the four screws of the lid and take the filter out. Rinse the filter under warm water without soap and
let it dry for an hour. A filter that was cleaned ten times should be replaced by a new one; order number 55-210. The housing
is wiped with a damp cloth.

## Error codes

Error 11: no water reaches the pump. Check the inlet hose for kinks and the tank for water.

Error 12: the motor is too hot. Let the pump cool for 30 minutes and check that the air slots are free.

Error 13: the filter is blocked. Clean it as described above.

## Warranty

The warranty lasts two years from the day of purchase. It covers the motor, the housing and the electronics, but not the
filter, the hoses and other parts that wear out. Send the pump with the receipt to the address on the back of the manual.
`;

const log = Array.from({ length: 400 }, (_, index) =>
  index === 271
    ? "2024-05-01T10:04:31Z ERROR payment-service could not reserve stock: connection refused by inventory-db:5432"
    : `2024-05-01T10:0${index % 10}:00Z INFO payment-service handled request ${index} in ${index % 37} ms, connection kept`,
).join("\n");

const chinese = `安装说明。首先把泵放在平坦的地面上，然后连接进水管和出水管，最后插上电源。${"请注意安全，按照说明操作。".repeat(20)}

清洁滤网。拔掉电源，打开盖子，取出滤网，用温水冲洗，晾干后装回。${"请注意安全，按照说明操作。".repeat(20)}

保修条款。保修期为两年，自购买之日起计算，不包括易损件。${"请注意安全，按照说明操作。".repeat(20)}
`;

const filler = (name: string) => `function ${name}(input) {\n  return input.map((value) => value + 1);\n}\n`.repeat(5);
const code = `${filler("first")}
export function parseRetryAfter(header, now) {
  const seconds = Number(header);
  return Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
}
${"// a line of comment to make the block longer\n".repeat(6)}
${filler("second")}
const MAX_BODY_BYTES = 1024 * 1024;
${"// another line of comment to make the block longer\n".repeat(6)}
${filler("third")}`;

const questions = [
  { document: "manual", text: manual, query: "how do I clean the filter", expectedText: "Rinse the filter" },
  { document: "manual", text: manual, query: "error 12", expectedText: "the motor is too hot" },
  {
    document: "manual",
    text: manual,
    query: "Which parts does the warranty cover?",
    expectedText: "It covers the motor",
  },
  { document: "manual", text: manual, query: "connecting hoses", expectedText: "Connect the inlet hose" },
  { document: "manual", text: manual, query: "INSTALLATION", expectedText: "level floor" },
  { document: "manual", text: manual, query: "order number 55-210", expectedText: "55-210" },
  { document: "log", text: log, query: "connection refused", expectedText: "refused by inventory-db" },
  { document: "log", text: log, query: "error inventory-db 5432", expectedText: "refused by inventory-db" },
  { document: "log", text: log, query: "handled request 123", expectedText: "handled request 123 " },
  { document: "Chinese text", text: chinese, query: "怎么清洁滤网", expectedText: "取出滤网" },
  { document: "Chinese text", text: chinese, query: "保修期", expectedText: "保修期为两年" },
  { document: "Chinese text", text: chinese, query: "泵", expectedText: "平坦的地面" },
  { document: "code", text: code, query: "parseRetryAfter", expectedText: "function parseRetryAfter" },
  { document: "code", text: code, query: "parse retry-after header", expectedText: "function parseRetryAfter" },
  { document: "code", text: code, query: "parse_retry_after", expectedText: "function parseRetryAfter" },
  { document: "code", text: code, query: "max body bytes", expectedText: "MAX_BODY_BYTES" },
  { document: "code", text: code, query: "maxBodyBytes", expectedText: "MAX_BODY_BYTES" },
];

describe("the first passage", () => {
  for (const { document, text, query, expectedText } of questions) {
    test(`of a ${document} answers ${JSON.stringify(query)}`, async () => {
      const { passages } = await rank(text, query);
      const [best] = passages;
      assert.ok(best !== undefined);
      assert.ok(text.slice(best.start, best.end).includes(expectedText), text.slice(best.start, best.end));
    });
  }

  test("has adjacent words rather than separate ones", async () => {
    const rest = "x ".repeat(200);
    const text = `Read the big table. ${rest}\n\nThe big read table. ${rest}\n\n`;
    const { passages } = await rank(text, "read table");
    assert.ok((passages[0]?.start ?? 0) > 0);
  });

  test("is under a heading with the words rather than under another", async () => {
    const body = `The limit is a number. ${"x ".repeat(200)}\n\n`;
    const { passages } = await rank(`# Sizes\n\n${body}${body}# Memory\n\n${body}${body}`, "memory limit");
    assert.deepEqual(
      passages.slice(0, 2).map(({ heading }) => heading),
      ["Memory", "Memory"],
    );
  });
});

describe("a ranking", () => {
  test("is empty if no word matches, and for a question without words", async () => {
    for (const query of ["zebra", "", " ?! "]) {
      assert.deepEqual(await rank(manual, query), { passages: [], matchedCount: 0, isEstimated: false });
    }
  });

  test("answers a question that has only common words", async () => {
    const { passages } = await rank(manual, "the and of");
    assert.ok(passages.length > 0);
    assert.ok(passages.every(({ score }) => score > 0));
  });

  test("omits passages far weaker than the best, and counts all matches", async () => {
    const weak = `The pump is one of many things here.\n\n${"Other words entirely. ".repeat(30)}\n\n`;
    const strong = "Rotary pump bearing lubrication interval: forty hours of rotary pump bearing operation.";
    const { passages, matchedCount } = await rank(
      `${weak.repeat(20)}${strong}\n`,
      "rotary pump bearing lubrication interval",
    );
    assert.ok(matchedCount > 10, `${matchedCount}`);
    assert.equal(passages.length, 1);
  });

  test("has a hundred passages at most", async () => {
    const { passages, matchedCount } = await rank(`${"request ".repeat(140)}\n\n`.repeat(150), "request");
    assert.ok(matchedCount >= 150);
    assert.equal(passages.length, 100);
  });

  test("puts the earlier of two equal passages first", async () => {
    const { passages } = await rank(`${"same words here ".repeat(40)}\n\n`.repeat(5), "words");
    const starts = passages.map(({ start }) => start);
    assert.deepEqual(
      starts,
      starts.toSorted((one, other) => one - other),
    );
    assert.equal(new Set(passages.map(({ score }) => score)).size, 1);
  });

  test("uses only the first 64 distinct words", async () => {
    const words = Array.from({ length: 63 }, (_, index) => `word${index}`).join(" ");
    assert.notEqual((await rank(manual, `${words} filter`)).matchedCount, 0);
    assert.equal((await rank(manual, `${words} word63 filter`)).matchedCount, 0);
  });

  for (const unit of ["1", "A", "a_", "aB", "e", "日", "#", " ", "\n", "\ud83d\ude00"]) {
    test(`of a hostile text of ${JSON.stringify(unit)} takes time in proportion to its length`, () =>
      assertLinearTime(20_000, (count) => rank(unit.repeat(2 * count), `${unit.repeat(count)}ing`)));
  }

  test("stops with the abort's reason", async () => {
    const reason = new Error("stop");
    const texts = [{ text: manual, offset: 0, line: 1 }];
    await assert.rejects(rankPassages(texts, "pump", AbortSignal.abort(reason)), reason);
  });

  test("for any text and question is deterministic, ordered, and scored between 0 and 1", async () => {
    const words = fc.array(fc.constantFrom("alpha", "beta", "gamma", "the", "日本語", "\n\n", "x".repeat(400)));
    const text = words.map((list) => list.join(" "));
    await fc.assert(
      fc.asyncProperty(text, text, async (document, query) => {
        const { passages } = await rank(document, query);
        assert.deepEqual((await rank(document, query)).passages, passages);
        const scores = passages.map(({ score }) => score);
        assert.deepEqual(
          scores,
          scores.toSorted((one, other) => other - one),
        );
        assert.ok(scores.every((score) => score > 0 && score <= 1));
      }),
    );
  });
});

function rank(text: string, query: string) {
  const marks = createHeadingFinder()(text);
  return rankPassages([{ text, offset: 0, line: 1, marks }], query);
}

test("a very long text is ranked alike, although its parts without a word of the question are skipped", async () => {
  const part = "the level of the river is four\n".repeat(5_000);
  const last = "the parties hopped over the weir\n";
  const texts = [part, part, `${part}${last}`].map((text, index) => ({
    text,
    offset: index * part.length,
    line: index * 5_000 + 1,
  }));
  const { passages, matchedCount } = await rankPassages(texts, "which party hops over a weir");
  assert.equal(matchedCount, passages.length);
  assert.equal(passages[0]?.end, 3 * part.length + last.length - 1);
});

describe("a log whose lines all have a word of the question", () => {
  const line = (number: number) => `INFO request ${number} served in ${number % 900} ms by a worker of the pool\n`;
  const LINES_IN_PART = 2_500;
  /** A passage ends after the line that reaches a thousand characters. */
  const LINES_IN_PASSAGE = Math.ceil(1_000 / line(100_000).length);
  const PARTS = 50;

  function* log(lastLine: string) {
    let [offset, first] = [0, 0];
    for (let part = 0; part < PARTS; part++, first += LINES_IN_PART) {
      const lines = Array.from({ length: LINES_IN_PART }, (_, index) => line(first + index)).join("");
      const text = part === PARTS - 1 ? lines + lastLine : lines;
      yield { text, offset, line: first + 1 };
      offset += text.length;
    }
  }

  for (const { query, lastLine } of [
    { query: "request zeppelin", lastLine: "ERROR the zeppelin overheated\n" },
    { query: "request 987654321", lastLine: "INFO request 987654321 served\n" },
    { query: "which worker pool", lastLine: "WARN the worker pool is empty\n" },
  ]) {
    test(`is searched to its end for ${JSON.stringify(query)}, and its matches are estimated`, async () => {
      const { passages, matchedCount, isEstimated } = await rankPassages(log(lastLine), query);
      assert.equal(passages[0]?.endLine, PARTS * LINES_IN_PART + 1);
      assert.equal(isEstimated, true);
      const exact = (PARTS * LINES_IN_PART) / LINES_IN_PASSAGE;
      assert.ok(Math.abs(matchedCount - exact) < 0.1 * exact, `${matchedCount} of ${exact}`);
    });
  }

  test("is matched only where something else may be found", async () => {
    const cpuOf = async (query: string) => {
      const before = process.cpuUsage();
      await rankPassages(log(""), query);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // A word that is not ASCII is looked for in every passage.
    const everywhere = await cpuOf("request größer");
    const common = await cpuOf("request");
    assert.ok(common < 0.9 * everywhere, `${common} of ${everywhere} microseconds`);
  });
});
