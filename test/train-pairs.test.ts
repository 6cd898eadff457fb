import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findCommentPairs } from "../scripts/train/comment-pairs.ts";
import { findDocumentPairs } from "../scripts/train/document-pairs.ts";
import { writePair } from "../scripts/train/pair-terms.ts";
import { excludedDocument, excludedPath, testPath } from "../scripts/train/sources.ts";
import { findStringPairs } from "../scripts/train/string-pairs.ts";
import { findTestPairs } from "../scripts/train/test-pairs.ts";

describe("training pairs", () => {
  test("are the first sentences of a comment, and the code below it", () => {
    const text =
      "\n\n\n/**\n * Closes the gate of the dam. It waits until the water is calm.\n */\nfunction closeGate(dam) {\n  return dam.shut();\n}\n";
    const pairs = findCommentPairs("src/gate.ts", text);
    assert.deepEqual(
      pairs.map(({ question }) => question),
      ["Closes the gate of the dam.", "It waits until the water is calm."],
    );
    assert.match(pairs[0]?.code ?? "", /closeGate/);
    assert.doesNotMatch(pairs[0]?.code ?? "", /calm/);
  });

  test("are sentences inside strings, without what is filled in, and the code around them", () => {
    const text = 'function open(gate) {\n  if (!gate) throw new Error("the gate %s cannot be opened twice");\n}\n';
    const [pair] = findStringPairs("gate.js", text);
    assert.equal(pair?.question, "the gate cannot be opened twice");
    assert.doesNotMatch(pair?.code ?? "", /opened twice/);
    assert.match(pair?.code ?? "", /function open/);
  });

  test("are titles of tests, in words or as names, and the code of the test", () => {
    const titles = [
      'it("rings the bell when the water is high", () => {\n  ring(bell);\n});\n',
      "def test_rings_the_bell_when_water_is_high():\n    ring(bell)\n",
      "func testRingsTheBellWhenWaterIsHigh() {\n  ring(bell)\n}\n",
    ].map((text) => findTestPairs("test/bell.x", text)[0]?.question.toLowerCase());
    assert.deepEqual(titles, [
      "rings the bell when the water is high",
      "rings the bell when water is high",
      "rings the bell when water is high",
    ]);
  });

  test("are headings and sentences of a document, and the rest of the section", () => {
    const text = `# How to open the gate slowly\n\nTurn the wheel to the left until it stops. Then wait a minute or two.\n\n\`\`\`js\nopenGate({ speed: 1 });\n\`\`\`\n`;
    const pairs = findDocumentPairs("docs/gate.md", text);
    assert.deepEqual(
      pairs.map(({ question }) => question),
      ["How to open the gate slowly", "Turn the wheel to the left until it stops.", "Then wait a minute or two."],
    );
    assert.ok(pairs.every(({ code }) => code.includes("openGate")));
  });

  test("are written as terms, each once, without question words", () => {
    const pair = { question: "How does the gate open the gates", path: "src/dam/gate.ts", code: "openGate(openGate)" };
    assert.equal(writePair(pair), "gat open\tsrc dam gat open");
  });

  test("leave out files of others, tests and lists of changes", () => {
    assert.ok(["vendor/a.js", "a.min.js", "x/fixtures/b.py"].every((path) => excludedPath.test(path)));
    assert.ok(["test/a.js", "a_test.go", "FooTests.cs"].every((path) => testPath.test(path)));
    assert.ok(["CHANGELOG.md", "docs/release-2.md"].every((path) => excludedDocument.test(path)));
    assert.ok(!excludedDocument.test("docs/gate.md"));
  });
});
